public import TillCore

/// What a request may do. A route asks for one; a key or a session holds some.
public enum Permission: String, CaseIterable, Hashable, Sendable {
    /// Read payments, receipts, the ledger and what is open.
    case read
    /// Take payments and what belongs to taking them: collect, confirm, capture, void, receipts.
    case sell
    /// Give captured money back to customers.
    case refund
    /// Readers, taps and printers.
    case readers
    /// Bring in what devices stored without a connection, and read it.
    case offline
    /// What needs a person with authority: attention, incidents, statements.
    case admin
    /// Who works at the shop, and what they may do.
    case staff
}

extension Permission {
    /// The word for it where somebody's role is spoken of.
    var staffPermission: String { StaffPermission.allCases.first { $0.scopes.contains(self) }?.rawValue ?? rawValue }
}

extension Set<Permission> {
    /// All that there are.
    public static let all = Set(Permission.allCases)
    /// What a key of before there were scopes may do: all that there was then.
    static let ofBefore = all.subtracting([.staff])
    /// What a key may do for which nobody said it: sell and read, but neither give money back nor decide.
    public static let standard: Set<Permission> = [.read, .sell]
    /// The word for ``all`` on the command line.
    static let wordForAll = "all"

    /// Reads words with commas between: `read,sell`, or `all`.
    public init(scopes text: String) throws(UnknownScope) {
        guard text != Self.wordForAll else {
            self = .all
            return
        }
        self = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let permission = Permission(rawValue: word.filter { $0 != " " }) else {
                throw UnknownScope(word: String(word.prefix(40)))
            }
            insert(permission)
        }
    }

    /// Their words, in the order in which they are declared.
    public var words: [String] { Permission.allCases.filter(contains).map(\.rawValue) }
}

/// A word that is no scope.
public struct UnknownScope: ExplainedError, Hashable {
    let word: String

    public var code: String { "unknown_scope" }
    public var what: String {
        word.isEmpty ? "A scope is empty. No key was made." : "There is no scope “\(word)”. No key was made."
    }
    /// Keys move no money.
    public var moneyMoved: MoneyMoved { .no }
    public var next: String {
        "Use \(Permission.allCases.map(\.rawValue).joined(separator: ", ")) with commas between, or all."
    }
}
