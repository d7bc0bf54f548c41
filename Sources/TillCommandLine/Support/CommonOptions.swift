import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillJournal
import TillProvider

/// The options common to all commands.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The journal: a file, or postgresql://…. Also TILL_JOURNAL.", valueName: "place"))
    var journal: String?

    @Flag(name: .long, help: "Print one JSON object and nothing else.")
    var json = false

    @Option(name: .long, help: ArgumentHelp("The account. Also TILL_ACCOUNT.", valueName: "name"))
    var account: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The settings file, JSON. Also TILL_CONFIG; by default till.json, if there is one here.", valueName: "file")
    )
    var config: String?

    /// Returns the effective settings, with this command line; `nil` for an option that was not given.
    /// - Parameter carried: the values of providers' options, by the keys of their settings.
    func settings(
        _ more: [Setting: String?] = [:], carried: [String: String] = [:]
    ) throws(SettingsError) -> Settings {
        var given: [String: String] = [:]
        for (key, text) in carried { given[key] = text }
        for (setting, text) in more { given[setting.key] = text }
        given[Setting.journal.key] = journal
        given[Setting.account.key] = account
        let settings = try Settings(of: ProviderModules.all, commandLine: given, file: config)
        _ = try settings.journalAddress()
        SecretsOnCommandLine.warn(settings)
        return settings
    }

    /// Rejects a PostgreSQL journal, for commands that require a journal file.
    func refusePostgreSQL(_ command: String) throws {
        do {
            guard case .postgres = try settings().journalAddress() else { return }
            throw CommandError(
                code: "journal_is_no_file",
                what: "\(command) works on a journal's file, and this one is in PostgreSQL.",
                next:
                    "A database is copied and restored with PostgreSQL's own: pg_basebackup and an archive of its log.")
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: json)
        }
    }

    /// The account of the command.
    var accountID: AccountID {
        // Not the counter's: settings changed since the counter opened must not redirect the command to another shop's
        // account.
        get throws(SettingsError) { AccountID(rawValue: try settings().text(.account) ?? AccountID.main.rawValue) }
    }
}

/// The provider options. Help shows them under a topic of their own: ``ProviderHelp``.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "sandbox, \(ProviderModules.all.map { $0.name.rawValue }.joined(separator: ", ")) or cash. Also "
                + "TILL_PROVIDER; "
                + "sandbox by default. `till help providers` lists the options of each.", valueName: "name",
            visibility: .hidden))
    var provider: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Hosts beside the providers' own that may be sent their keys. Also TILL_PROVIDER_HOSTS.",
            valueName: "hosts", visibility: .hidden))
    var providerHosts: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long the sandbox takes for each call, such as 50ms.", valueName: "time", visibility: .hidden))
    var sandboxLatency: String?

    @Option(
        name: .customLong(ProviderArguments.carrier), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(visibility: .private))
    var carried: [String] = []

    /// Returns the effective settings, with these options.
    func settings(_ common: CommonOptions, _ more: [Setting: String?] = [:]) throws(SettingsError) -> Settings {
        let given: [Setting: String?] = [
            .provider: provider, .providerHosts: providerHosts, .sandboxLatency: sandboxLatency,
        ]
        return try common.settings(given.merging(more) { $1 }, carried: ProviderArguments.values(carried))
    }

    /// Returns the counter's options.
    func counterOptions(
        _ common: CommonOptions, _ more: [Setting: String?] = [:]
    ) throws(SettingsError) -> CounterOptions {
        try CounterOptions(try settings(common, more))
    }
}

extension Settings {
    /// Returns the location of the journal.
    /// - Throws: ``SettingsError/wrongValue(place:reason:)`` for an unsupported address.
    func journalAddress() throws(SettingsError) -> JournalAddress {
        do throws(JournalAddressError) {
            return try JournalAddress(text(.journal) ?? CounterOptions.defaultJournal)
        } catch { throw .wrongValue(place: "The journal", reason: "\(error)") }
    }
}

extension CounterOptions {
    /// Derives the options from settings.
    init(_ settings: Settings) throws(SettingsError) {
        let address = try settings.journalAddress()
        self.init(
            journal: settings.text(.journal) ?? CounterOptions.defaultJournal, files: address.files)
        self.settings = settings
        modules = ProviderModules.all
        receipts = try ReceiptSetup(settings)
        if let text = settings.text(.orderScope) {
            guard let scope = OrderScope(text) else {
                throw .wrongValue(
                    place: "The order scope",
                    reason: "must be 1 to \(OrderScope.maximumBytes) letters, digits, dots, dashes and underscores")
            }
            orderScope = scope
        }
        if let number = settings.number(.dayDifferenceLimit) { dayDifferenceLimit = Int64(number) }
        if let number = settings.number(.contactDays) { contactRetention = .days(Int64(number)) }
        if let latency = settings.span(.sandboxLatency) { sandboxLatency = latency }
        if let seconds = settings.number(.leaseSeconds) { lease = .seconds(Int64(seconds)) }
        mode = settings.text(.mode).flatMap { PaymentMode(rawValue: $0) }
        do throws(IdentifierError) {
            if let name = settings.text(.account) { account = try AccountID(validating: name) }
            if let name = settings.text(.provider) { chosenProvider = try ProviderName(validating: name) }
        } catch {
            throw .wrongValue(place: "The account or the provider", reason: "cannot be used: \(error)")
        }
        offline = try OfflineOptions(settings, journal: files)
    }
}
