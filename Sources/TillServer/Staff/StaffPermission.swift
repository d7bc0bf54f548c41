/// What a member of staff may do. A role holds some, and they open the scopes that routes ask for: a route's scope is
/// for keys and people alike, and what is finer than a scope is asked of people alone.
public enum StaffPermission: String, CaseIterable, Hashable, Sendable {
    /// Take payments and hand over receipts.
    case sell
    /// Hold money now and capture it later.
    case hold
    /// Void an authorization, or release what is left of one.
    case void
    /// Give money back, up to the limits of the role.
    case refund
    /// Give money back without a limit.
    case refundFreely = "refund_freely"
    /// Open the cash drawer on a printer without a sale, together with ``readers``.
    case drawer
    /// See the ledger and metrics.
    case totals
    /// Use card readers, taps and printers, and see what is stored without a connection.
    case readers
    /// Decide what needs a person, and import statements.
    case review
    /// Add staff, change their roles and PINs, and end their sessions.
    case staff
    /// See what is set. Settings are changed on the machine alone.
    case settings

    /// What goes with it: nobody voids who may not sell.
    var entailed: Set<StaffPermission> {
        switch self {
        case .hold, .void: [.sell]
        case .refundFreely: [.refund]
        case .sell, .refund, .drawer, .totals, .readers, .review, .staff, .settings: []
        }
    }

    /// The scopes of routes that it opens, beside ``Permission/read``.
    var scopes: Set<Permission> {
        switch self {
        case .sell, .hold, .void: [.sell]
        case .refund, .refundFreely: [.refund]
        case .readers: [.readers, .offline]
        case .review: [.admin]
        case .staff: [.staff]
        case .settings: [.admin]
        case .drawer, .totals: []
        }
    }
}

extension Set<StaffPermission> {
    /// All that there are.
    public static let all = Set(StaffPermission.allCases)

    /// Their words, in the order in which they are declared.
    public var words: [String] { StaffPermission.allCases.filter(contains).map(\.rawValue) }

    /// With what they entail.
    var complete: Set<StaffPermission> { reduce(into: self) { $0.formUnion($1.entailed) } }

    /// Reads words with commas between: `sell,refund`, or `all`.
    public init(words text: String) throws(StaffError) {
        guard text != "all" else {
            self = .all
            return
        }
        self = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let permission = StaffPermission(rawValue: word.filter { $0 != " " }) else {
                throw .unknownPermission(String(word.prefix(40)))
            }
            formUnion([permission])
        }
        self = complete
    }
}
