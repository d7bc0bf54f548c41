public import TillCore
public import TillJournal
public import TillProvider

/// An error that prevents a counter from starting.
public enum CounterError: ExplainedError {
    /// The journal cannot be opened.
    case journal(String, JournalError)
    /// A provider is configured but not usable.
    case provider(ProviderModuleError)
    /// A provider's keys would be sent to a foreign host.
    case foreignHost(ForeignProviderHost)
    /// Some credentials move real money, and others do not.
    case mixedModes(live: [String], test: [String])
    /// The configured mode contradicts the credentials.
    case modeContradicted(set: PaymentMode, by: [String])
    /// The journal belongs to the other mode.
    case otherMode(String, is: PaymentMode, configured: PaymentMode)
    /// Several providers move real money, and none is chosen.
    case noProviderChosen([ProviderName])
    /// A stand-in is chosen in live mode.
    case standIn(StandInRefusal)

    public var code: String {
        switch self {
        case .journal: "journal_unavailable"
        case .provider(let error): error.code
        case .foreignHost(let refusal): refusal.code
        case .mixedModes: "mixed_modes"
        case .modeContradicted: "mode_contradicted"
        case .otherMode: "journal_of_other_mode"
        case .noProviderChosen: "no_provider_chosen"
        case .standIn(let refusal): refusal.code
        }
    }

    public var what: String {
        switch self {
        case .journal(let path, let error): "The journal \(path) cannot be opened. \(error)"
        case .provider(let error): error.what
        case .foreignHost(let refusal): refusal.what
        case .mixedModes(let live, let test):
            "The key of \(live.joined(separator: " and ")) is live and that of \(test.joined(separator: " and ")) is "
                + "for tests: a counter is in one mode."
        case .modeContradicted(let mode, let titles):
            "The mode is set to \(mode.rawValue), and the key of \(titles.joined(separator: " and ")) is of the other."
        case .otherMode(let path, let mode, let configured):
            "The journal \(path) is of \(mode.rawValue) mode, and the counter is set up for \(configured.rawValue) "
                + "mode. It was not opened."
        case .noProviderChosen(let names):
            "Real money can go through \(names.map(\.rawValue).joined(separator: " or ")), and none of them is chosen."
        case .standIn(let refusal): refusal.what
        }
    }

    /// No request was sent.
    public var moneyMoved: MoneyMoved { .no }

    /// The next step for the operator.
    public var next: String {
        switch self {
        case .journal(let place, _):
            switch try? JournalAddress(place) {
            case .postgres:
                "Check that the server runs and lets this user in, as psql does with the same address, or give another "
                    + "journal with --journal."
            case .file, nil: "Check the path, its rights and the disk, or give another with --journal."
            }
        case .provider(let error): error.next
        case .foreignHost(let refusal): refusal.next
        case .mixedModes: "Configure live keys only, or test keys only; for both run two counters with two journals."
        case .modeContradicted: "Take the setting out: the keys decide."
        case .otherMode(_, _, let configured):
            "Give another journal with --journal. To continue this one in the other mode: till journal mode "
                + "\(configured.rawValue)"
        case .noProviderChosen: "Name one with --provider or TILL_PROVIDER."
        case .standIn(let refusal): refusal.next
        }
    }

    /// Runs a journal operation of a counter that opens.
    package static func of<Value>(
        _ journal: any CounterStore, _ body: () async throws(JournalError) -> Value
    ) async throws(CounterError) -> Value {
        do { return try await body() } catch { throw .journal(journal.path, error) }
    }
}

/// The refusal of a simulated provider or reader in live mode: it would report payments as paid although no money
/// moved.
public struct StandInRefusal: ExplainedError, Hashable {
    /// The display name of the requested stand-in.
    public let standIn: String

    public init(_ standIn: String) { self.standIn = standIn }

    /// The counter's own providers that move no real money.
    public static let providers: Set<ProviderName> = [.sandbox, ProviderName(rawValue: "offline")]

    /// Refuses a provider that only simulates money in live mode.
    public static func check(_ provider: ProviderName, in mode: PaymentMode) throws(StandInRefusal) {
        guard mode == .live, providers.contains(provider) else { return }
        throw StandInRefusal("The provider \(provider)")
    }

    /// Refuses a simulated reader in live mode.
    public static func check(reader: String, in mode: PaymentMode) throws(StandInRefusal) {
        guard mode == .live else { return }
        throw StandInRefusal("The reader \(reader)")
    }

    public var code: String { "stand_in_in_live_mode" }
    public var what: String { "\(standIn) moves no real money, and this counter is in live mode. Nothing was charged." }
    public var moneyMoved: MoneyMoved { .no }
    public var next: String { "Take the payment with the provider that is configured." }
}
