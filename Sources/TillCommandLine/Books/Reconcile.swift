import ArgumentParser
import TillBooks
import TillCore
import TillCounter
import TillFeatureBooks
import TillJournal
import TillStatements
import TillProvider

/// `till reconcile`: compares providers' statements with the journal.
struct Reconcile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Holds providers' statements against the journal, line by line.",
        discussion: """
            Each line is imported once: the same file, or one that overlaps, doubles nothing. What does not match is \
            an incident: `till journal incidents` lists them, and --resolve closes one.

            Forms of files: \(Reconcile.forms.map(\.format.name).joined(separator: ", ")).

            At most \(StatementLimits.maximumLines) lines are imported at once. An import that is stopped in the \
            middle, however that happens, is gone on with by the same command.

            Exit code 0: nothing is open; 1: a statement cannot be read or fetched, and nothing of it was imported; 2: \
            something does not match.
            """)
    /// The period of the first fetch of statements.
    static let firstFetch = Span.days(30)
    /// The period of one fetch.
    static let window = Span.days(7)

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The statements, one file after the other.") var files: [String] = []
    @Option(name: .long, help: "What the files are; without it that is found out.") var format: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Fetch the statements of this provider, if it gives any.", valueName: "provider"))
    var fetch: String?
    @Option(name: .long, help: "The first day to fetch, such as 2026-11-01; by default 30 days back.")
    var since: String?
    @Option(name: .long, help: "The provider's own name for the shop's account, where payments are in several of them.")
    var providerAccount: String?

    private typealias Result = (name: String, provider: ProviderName, outcome: Reconciliation.Outcome)

    static let forms = StatementForm.all(of: ProviderModules.all)

    func validate() throws {
        guard !files.isEmpty || fetch != nil else { throw ValidationError("Give files, or --fetch.") }
        guard since == nil || fetch != nil else { throw ValidationError("--since goes with --fetch.") }
        if let since, LedgerDay(since) == nil {
            throw ValidationError("--since is a day that there is, such as 2026-11-22.")
        }
        if let format, !Reconcile.forms.contains(where: { $0.format.name == format }) {
            let known = Reconcile.forms.map(\.format.name).joined(separator: ", ")
            throw ValidationError("There is no format \(format). There are: \(known).")
        }
    }

    func run() async throws {
        // All files are read before any import.
        let read: [(file: StatementFile, statement: Reconciliation.Statement)]
        do { read = try readAll() } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
        let progress = ImportProgress(isShown: Output.isTerminal && !common.json)
        // --provider names the provider of the files here, not that of sales; a simulator is configured only if chosen.
        try await withCounter(common, provider, [.provider: fetch]) { counter in
            let reconciliation = Reconciliation(
                counter.journal, clock: counter.clock, account: counter.options.account, mode: counter.mode)
            var owned: [Reconciliation.Statement] = []
            for (file, statement) in read {
                owned.append(
                    try file.owned(statement, by: try await reconciliation.accounts(of: statement.provider)))
            }
            var results: [Result] = []
            for (path, statement) in zip(files, owned) {
                let found = try await reconciliation.add(statement, progress: progress.of(path))
                progress.end()
                results.append((path, statement.provider, found))
            }
            if let fetch {
                let name = ProviderName(rawValue: fetch)
                results.append((fetch, name, try await fetched(name, counter, reconciliation, progress)))
            }
            try await show(results, counter)
        }
    }

    private func file(_ path: String) throws -> StatementFile {
        StatementFile(
            path, try TextFile.bytes(path, limit: StatementLimits.maximumBytes),
            provider: provider.provider.map(ProviderName.init(rawValue:)), format: format,
            providerAccount: providerAccount)
    }

    /// Reads every file. Together they are limited to the lines of one import.
    private func readAll() throws -> [(file: StatementFile, statement: Reconciliation.Statement)] {
        var left = StatementLimits.maximumLines
        return try files.map { path in
            let read = try Self.read(file(path), left: left)
            left -= read.statement.lines.count
            return read
        }
    }

    private static func read(
        _ file: StatementFile, left: Int
    ) throws -> (file: StatementFile, statement: Reconciliation.Statement) {
        let statement = try file.read(forms)
        guard statement.lines.count <= left else {
            throw CommandError(
                code: "statement_too_large",
                what:
                    "The files have more than \(StatementLimits.maximumLines) lines together, and no more are imported "
                    + "at once. Nothing was imported or posted.",
                next: "Give them one after the other, or split them by day.")
        }
        var read = file
        // Frees the bytes, so that the content is not in memory twice.
        read.bytes = []
        return (read, statement)
    }

    /// Fetches week by week, so that only one week is in memory.
    private func fetched(
        _ name: ProviderName, _ counter: Counter, _ reconciliation: Reconciliation, _ progress: ImportProgress
    ) async throws -> Reconciliation.Outcome {
        guard let source = counter.module(name)?.statements else {
            throw CommandError(
                code: "no_statements",
                what:
                    "Statements of \(name) cannot be fetched: it is not configured, or has none. Nothing was imported.",
                next: "Set its key, or give its report as a file.")
        }
        let now = counter.clock.now()
        let account: String? =
            if let providerAccount { providerAccount } else { await source.account() }
        var from =
            since.flatMap { Timestamp(internetTime: $0 + "T00:00:00Z") }
            ?? now.adding(Span(milliseconds: -Reconcile.firstFetch.milliseconds))
        var all = Reconciliation.Outcome()
        repeat {
            let to = min(from.adding(Reconcile.window), now)
            let part = try await source.part(from: from, to: to, progress: progress.fetching())
            progress.end()
            all.add(
                try await reconciliation.add(
                    Reconciliation.Statement(
                        provider: name, providerAccount: account, lines: part.lines, lag: source.lag,
                        covers: part.covers),
                    progress: progress.of("\(name), \(LedgerDay(of: from)) to \(LedgerDay(of: to))")))
            progress.end()
            from = to
        } while from < now
        return all
    }

    private func show(_ results: [Result], _ counter: Counter) async throws {
        var open: [Incident] = []
        var count = 0
        for provider in Set(results.map(\.provider)).sorted(by: { $0.rawValue < $1.rawValue }) {
            open += try await Reconciliation.open(counter.journal, provider)
            count += try await Reconciliation.openCount(counter.journal, provider)
        }
        if common.json {
            Output.line(Reconcile.json(results, open, count: count))
        } else {
            for (name, _, found) in results {
                Output.line(
                    "\(name): \(found.imported) lines imported, \(found.known) known before; \(found.matched) matched, "
                        + "\(found.posted) fees and payouts, \(found.differs) with another amount, \(found.unknown) "
                        + "unknown; \(found.expected) expected later, \(found.missing) missing at the provider.")
            }
            for incident in open { Output.line("\(incident.id)  \(incident)") }
            Output.line(
                count == 0
                    ? "Everything matches." : "Open: \(count). `till journal incidents --resolve` closes one.")
        }
        if count > 0 { throw ExitCode(2) }
    }

    private static func json(
        _ results: [Result], _ open: [Incident], count: Int
    ) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("statements")
        writer.beginArray()
        for (name, provider, found) in results {
            writer.beginObject()
            writer.field("name", name)
            writer.field("provider", provider.rawValue)
            ReconciliationJSON.members(of: found, into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.field("open_count", count)
        writer.key("open")
        writer.beginArray()
        for incident in open {
            writer.beginObject()
            writer.field("id", incident.id)
            writer.field("provider", incident.provider.rawValue)
            writer.field("payment", incident.payment.rawValue.isEmpty ? nil : incident.payment.rawValue)
            writer.field("what", incident.description)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}
