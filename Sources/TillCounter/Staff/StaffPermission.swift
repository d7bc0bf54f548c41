/// A permission of staff. A role holds several, and they open route scopes. Scopes apply to API keys and people alike;
/// distinctions finer than a scope apply to people only.
public enum StaffPermission: String, CaseIterable, Hashable, Sendable {
    /// Permission to take payments and issue receipts.
    case sell
    /// Permission to authorize now and capture later.
    case hold
    /// Permission to void an authorization, or release its remainder.
    case void
    /// Permission to refund payments, up to the limits of the role.
    case refund
    /// Permission to refund payments without a limit.
    case refundFreely = "refund_freely"
    /// Permission to give discounts on sales of an amount, up to the limits of the role. Without it a discount needs
    /// approval.
    case discount
    /// Permission to give discounts without a limit.
    case discountFreely = "discount_freely"
    /// Permission to open the cash drawer on a printer without a sale, which requires ``readers`` as well, and to open,
    /// count and close its day, which requires ``sell``.
    case drawer
    /// Permission to view the ledger and metrics, and the reports of the day; without it the drawer is counted blind.
    case totals
    /// Permission to use card readers, taps and printers, and to view offline payments.
    case readers
    /// Permission to resolve payments that need review, and to import statements.
    case review
    /// Permission to add staff, change their roles and PINs, and end their sessions.
    case staff
    /// Permission to view settings, and to manage webhook endpoints, API keys, connected shops, readers and printers.
    /// Changing settings requires access to the machine.
    case settings

    /// The permissions that this one implies; voiding, for example, implies selling.
    var entailed: Set<StaffPermission> {
        switch self {
        case .hold, .void, .discount: [.sell]
        case .refundFreely: [.refund]
        case .discountFreely: [.discount, .sell]
        case .sell, .refund, .drawer, .totals, .readers, .review, .staff, .settings: []
        }
    }

    /// All permissions of the releases before ``discount`` and ``discountFreely``; later ones are not added.
    static let beforeDiscounts: Set<StaffPermission> = [
        .sell, .hold, .void, .refund, .refundFreely, .drawer, .totals, .readers, .review, .staff, .settings,
    ]

    /// The route scopes that it opens, in addition to ``APIScope/read``.
    package var scopes: Set<APIScope> {
        switch self {
        case .sell, .hold, .void, .discount, .discountFreely: [.sell]
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
    /// All permissions.
    public static let all = Set(StaffPermission.allCases)

    /// The raw values, in declaration order.
    public var words: [String] { StaffPermission.allCases.filter(contains).map(\.rawValue) }

    /// The set with all implied permissions.
    var complete: Set<StaffPermission> { reduce(into: self) { $0.formUnion($1.entailed) } }

    /// Parses comma-separated permissions, such as `sell,refund`, or `all`.
    public init(words text: String) throws(StaffError) {
        guard text != "all" else {
            self = .all
            return
        }
        let names: [String] = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            part.filter { $0 != " " }
        }
        self = try Set(names: names)
    }

    /// Reads the names of permissions, and adds all implied ones.
    package init(names: [String]) throws(StaffError) {
        self = []
        for name in names {
            guard let permission = StaffPermission(rawValue: name) else {
                throw .unknownPermission(String(name.prefix(40)))
            }
            formUnion([permission])
        }
        self = complete
    }
}
