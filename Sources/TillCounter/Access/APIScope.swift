public import TillCore

/// A scope of the API. A route requires one; a key or a session holds a set.
public enum APIScope: String, CaseIterable, Hashable, Sendable {
    /// Read payments, receipts, the ledger and open items.
    case read
    /// Take payments, with all that belongs to it: collect, confirm, capture, void, receipts.
    case sell
    /// Refund captured payments.
    case refund
    /// Readers, taps and printers.
    case readers
    /// Upload and read payments that devices stored offline.
    case offline
    /// Decisions that need authority: attention, incidents, statements.
    case admin
    /// Manage staff and their roles.
    case staff
}

extension APIScope {
    /// The name of the scope in the context of staff roles.
    package var staffPermission: String {
        StaffPermission.allCases.first { $0.scopes.contains(self) }?.rawValue ?? rawValue
    }
}

extension Set<APIScope> {
    /// Every scope.
    public static let all = Set(APIScope.allCases)
    /// The scopes of a key stored before scopes existed: every scope of that time.
    static let ofBefore = all.subtracting([.staff])
    /// The default scopes of a key: sell and read, but neither refund nor decide.
    public static let standard: Set<APIScope> = [.read, .sell]
    /// The word for ``all`` on the command line.
    static let wordForAll = "all"

    /// Parses comma-separated scopes: `read,sell`, or `all`.
    public init(scopes text: String) throws(UnknownScope) {
        guard text != Self.wordForAll else {
            self = .all
            return
        }
        self = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let scope = APIScope(rawValue: word.filter { $0 != " " }) else {
                throw UnknownScope(word: String(word.prefix(40)))
            }
            insert(scope)
        }
    }

    /// The scopes in the order of their declaration.
    public var words: [String] { APIScope.allCases.filter(contains).map(\.rawValue) }
}

/// An error for an unknown scope.
public struct UnknownScope: ExplainedError, Hashable {
    package let word: String

    public var code: String { "unknown_scope" }
    public var what: String {
        word.isEmpty ? "A scope is empty. No key was made." : "There is no scope “\(word)”. No key was made."
    }
    /// Keys move no money.
    public var moneyMoved: MoneyMoved { .no }
    public var next: String {
        "Use \(APIScope.allCases.map(\.rawValue).joined(separator: ", ")) with commas between, or all."
    }
}
