import ArgumentParser
import TillCore
import TillJournal
import TillServer

/// `till sign-in`: makes an address that signs a browser in to the counter's page.
struct SignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Makes an address that signs a browser in to the counter's page, once and within ten minutes.",
        discussion: """
            The counter on the same journal may run or be started later. Whoever has the address is signed in for the
            account, so it is as good as a key for ten minutes; the journal keeps only a hash of it.
            """)
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The address under which the browser reaches the counter, as https://till.example; usually where it was last "
                + "opened.", valueName: "address"))
    var url: String?

    func run() async throws {
        try await withCounter(common, provider) { counter in
            let address = try await address(of: counter)
            let code = try await StartCodes(counter.journal, clock: MeasuringClock(counter.clock))
                .make(for: counter.options.account)
            let start = address.start(code: code)
            guard common.json else {
                Output.line(start)
                return Output.note(
                    "Open it in the browser: it signs in once, for the account \(counter.options.account), within ten "
                        + "minutes.")
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("start_url", start)
            writer.field("account", counter.options.account.rawValue)
            writer.field("valid_seconds", StartCodes.lifetime.milliseconds / 1_000)
            writer.endObject()
            Output.line(writer.text)
        }
    }

    private func address(of counter: Counter) async throws -> CounterAddress {
        if let url {
            guard let address = CounterAddress(page: url) else {
                throw CommandError(
                    code: "invalid_url", what: "“\(url.prefix(80))” is no address of a page. Nobody can sign in by it.",
                    next: "Give the address as https://till.example, without a path.")
            }
            return address
        }
        if let last = try await Records<CounterAddress>(counter.journal).document(CounterAddress.key) { return last }
        let settings = try provider.settings(common)
        return CounterAddress(host: settings.text(.host) ?? "127.0.0.1", port: settings.number(.port) ?? 8_080)
    }
}
