import ArgumentParser
import Crypto
import Logging
import Synchronization
import TillCheckout
import TillCore
import TillCounter
import TillFeatureApplePay
import TillJournal
import TillJournalSQLite
import TillProvider
import TillServer
import TillWeb

/// `till serve`: serves the counter over HTTP.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Starts the counter: the page, the interface, webhooks. Ctrl-C finishes what is in flight and stops.")

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Option(
        name: .long,
        help: ArgumentHelp("Where to listen. Also TILL_HOST; 127.0.0.1 by default.", valueName: "address"))
    var host: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The port; 0 takes a free one. Also TILL_PORT; \(ListenAddress.standard.port) by default.",
            valueName: "number"))
    var port: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "A key for the account. Better: TILL_API_KEY, TILL_API_KEY_FILE or till keys create.", valueName: "key"))
    var apiKey: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Settings of Apple Pay, JSON. Without them the sandbox has a shop at /shop.", valueName: "file"))
    var applePay: String?
    @Option(
        name: .customLong("apple-pay-origin"),
        help: ArgumentHelp(
            "Simulates Apple for pages under test of this origin, such as http://localhost:3000. Repeatable.",
            valueName: "origin"))
    var applePayOrigins: [String] = []
    @OptionGroup var appleStandIn: AppleStandInArguments
    @Option(name: .long, help: ArgumentHelp("A folder for a copy of the journal.", valueName: "folder"))
    var copyTo: String?
    @OptionGroup var listening: ListeningArguments
    @OptionGroup var store: StoreOptions

    func run() async throws {
        do {
            try await serve()
        } catch let error as LeaseLost {
            throw Output.fail(error, json: common.json, code: Serve.endedForSuccessor)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        } catch {
            throw Output.fail(
                CommandError(
                    code: "serve_failed", what: "The counter could not run: \(error).",
                    next: "Check the address, and that its port is free, or give others with --host and --port."),
                json: common.json)
        }
    }

    /// `EX_TEMPFAIL`: the settings are fine, and the process supervisor restarts the counter.
    static let endedForSuccessor: Int32 = 75

    private func serve() async throws {
        let settings = try provider.settings(
            common,
            store.given.merging([.host: host, .port: port, .apiKey: apiKey, .copyTo: copyTo]) { $1 }
                .merging(try listening.given) { $1 })
        if settings.text(.copyTo) != nil { try common.refusePostgreSQL("--copy-to") }
        var options = try ServerOptions(settings, at: SystemClock().now())
        try options.checkListening(
            telling: settings.text(.receiptURL).map { [(setting: Setting.receiptURL.key, address: $0)] } ?? [])
        var logger = Logger(label: "till") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = settings.text(.logLevel).flatMap(Logger.Level.init(rawValue:)) ?? .warning
        let key = try settings.strongKey()
        let feed = EventFeed()
        let counter = try await Counter.open(
            try CounterOptions(settings), clock: EventLoopClock(), onLease: { Output.note("\($0)") },
            onCommit: feed.committed, onHint: feed.hinted)
        do {
            try counter.checkProvider()
            if let sweep = try await RestoreSweep.due(in: counter.journal) {
                Output.note("Nothing is sold yet. \(sweep) \(sweep.next)")
            }
            if let problem = counter.returnProblem {
                Output.note("Customers cannot come back from their bank's page. \(problem.what) \(problem.next)")
            }
            options.hardwareAccounts = try settings.accounts(.hardwareAccounts)
            if let key { options.keys[Serve.hash(key)] = counter.options.account }
            let host = options.host
            let applePay = try ApplePayMount.serving(
                self.applePay, counter, host: host, origins: applePayOrigins, standIn: appleStandIn,
                statsD: try StatsD(settings))
            let copier = try counter.copier(in: settings.text(.copyTo))
            // Nothing that follows refuses the start.
            async let noted: Void = Serve.note(settings, at: host, counter)
            let words = StartWords(counter, options, hasShop: applePay?.hasShop ?? false)
            let ports = Mutex<Int?>(nil)
            options.onPublicListening = { port in ports.withLock { $0 = port } }
            options.onListening = announce(
                words, options, counter, publicPort: { ports.withLock { $0 } },
                opensBrowser: settings.text(.openBrowser) != "false")
            let server = CounterServer(
                counter: counter, feed: feed, options: options, applePay: applePay, copier: copier, logger: logger)
            // The start stands in the audit log before anything that happens at this counter.
            await noted
            try await server.run()
        } catch {
            await counter.close()
            throw error
        }
        await counter.close()
        if !common.json { Output.note("The counter is closed. What was in flight is done.") }
    }

    /// Returns a start code for the sign-in address. A journal that currently rejects writes does not prevent the
    /// start.
    private static func startCode(_ counter: Counter) async -> String? {
        do throws(JournalError) {
            return try await StartCodes(counter.journal, clock: MeasuringClock(counter.clock))
                .make(for: counter.options.account)
        } catch {
            Output.note("No address for signing in could be made: \(error) Later, run `till sign-in`.")
            return nil
        }
    }

    /// Records the settings in force in the audit log. A journal that currently rejects writes does not prevent the
    /// start.
    private static func note(_ settings: Settings, at host: String, _ counter: Counter) async {
        do throws(JournalError) { try await SettingsInForce(settings).start(at: host, in: counter.journal) } catch {
            Output.note("The audit log does not say what is set at this start: \(error)")
        }
    }

    /// Returns what is done once the counter listens: its address is kept, and printed with a start code. Both are
    /// written now, since no request waits for them.
    private func announce(
        _ words: StartWords, _ options: ServerOptions, _ counter: Counter, publicPort: @escaping @Sendable () -> Int?,
        opensBrowser: Bool
    ) -> @Sendable (Int) -> Void {
        let (isJSON, host, isSecure) = (common.json, options.host, options.tls != nil)
        return { port in
            let address = CounterAddress(host: host, port: port, isSecure: isSecure)
            Task {
                async let kept: Void = Serve.keep(address, counter)
                let start = await Serve.startCode(counter).map { address.start(code: $0) }
                await kept
                if isJSON {
                    Output.line(words.json(port, publicPort(), start: start))
                } else {
                    words.lines(port, publicPort(), start: start).forEach(Output.line)
                    if let start, opensBrowser { StartPage.open(start) }
                }
                guard await SystemClock().pause(for: .seconds(1)) else { return }
                ProcessMemory.releaseStartup()
            }
        }
    }

    /// Keeps the address for `till sign-in`.
    private static func keep(_ address: CounterAddress, _ counter: Counter) async {
        do throws(JournalError) { try await Records<CounterAddress>(counter.journal).put(address) } catch {
            Output.note("`till sign-in` will need --url: the counter's address could not be kept. \(error)")
        }
    }

    private static func hash(_ key: String) -> String { Hex.lowercase(SHA256.hash(data: Array(key.utf8))) }
}

extension Counter {
    /// Returns the continuous copier of the journal; `nil` if no folder is set.
    fileprivate func copier(in folder: String?) throws -> JournalCopier? {
        guard let folder, let journal = journal as? SQLiteJournal else { return nil }
        return try JournalCopier(journal, folder: folder, clock: clock)
    }

    /// Rejects a provider that is not configured.
    fileprivate func checkProvider() throws {
        let name = options.provider
        guard !takesPayments(name) else { return }
        throw CommandError(
            code: "unknown_provider", what: "The provider \(name) is not configured.",
            next: ProviderModules.all.first { $0.name == name }?.setUp
                ?? "Choose one of those that `till providers` lists.")
    }
}
