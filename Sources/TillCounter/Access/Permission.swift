public import TillCore

/// A permission. A route requires one; a key or a session holds a set.
public enum Permission: String, CaseIterable, Hashable, Sendable {
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

extension Permission {
    /// The name of the permission in the context of staff roles.
    package var staffPermission: String {
        StaffPermission.allCases.first { $0.scopes.contains(self) }?.rawValue ?? rawValue
    }
}

extension Set<Permission> {
    /// Every permission.
    public static let all = Set(Permission.allCases)
    /// The permissions of a key stored before scopes existed: every permission of that time.
    static let ofBefore = all.subtracting([.staff])
    /// The default permissions of a key: sell and read, but neither refund nor decide.
    public static let standard: Set<Permission> = [.read, .sell]
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
            guard let permission = Permission(rawValue: word.filter { $0 != " " }) else {
                throw UnknownScope(word: String(word.prefix(40)))
            }
            insert(permission)
        }
    }

    /// The scopes in the order of their declaration.
    public var words: [String] { Permission.allCases.filter(contains).map(\.rawValue) }
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
        "Use \(Permission.allCases.map(\.rawValue).joined(separator: ", ")) with commas between, or all."
    }
}
