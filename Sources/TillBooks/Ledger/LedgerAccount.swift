public import TillCore

/// An account of the ledger. Its name is stable, so exports of different days and journals can be combined.
public struct LedgerAccount: Hashable, Sendable {
    /// The purpose of an account.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Money a provider owes the shop: captured, not yet paid out.
        case receivable
        /// Payouts by a provider that no bank statement has confirmed.
        case inTransit = "in_transit"
        /// Money in the shop's own cash drawer.
        case cash
        /// Payments and refunds recorded by staff that did not go through a provider.
        case elsewhere
        /// Funds withdrawn by providers for disputes that are not lost.
        case disputed
        /// Amounts on a provider's statement that no payment accounts for.
        case suspense
        /// Money owed to customers: refunds that failed after they had succeeded.
        case refundsDue = "refunds_due"
        /// Tips that customers added at the reader.
        case tips
        case sales
        case returns
        /// Fees withheld by providers.
        case fees
        case disputeLosses = "dispute_losses"
        /// Amounts written off by staff: money in suspense, and unclaimed debts to customers.
        case writeOffs = "write_offs"
        /// The difference between the currency of a payment and that of its settlement.
        case exchange
    }

    public let kind: Kind
    /// The provider that the account belongs to; `nil` for accounts of the shop alone.
    public let provider: ProviderName?
    /// The provider's identifier of the shop's account; `nil` if not known.
    public let providerAccount: String?
    /// `true` for test money, which has accounts of its own and never mixes with live money.
    public let isTest: Bool

    /// - Parameter provider: the provider or one of its channels: `stripe-terminal` belongs to Stripe.
    public init(_ kind: Kind, provider: ProviderName?, providerAccount: String?, isTest: Bool) {
        self.kind = kind
        let isShared =
            switch kind {
            case .cash, .elsewhere, .refundsDue, .tips, .sales, .returns: true
            case .receivable, .inTransit, .disputed, .suspense, .fees, .disputeLosses, .writeOffs, .exchange: false
            }
        self.provider = isShared ? nil : provider.map(LedgerAccount.owner)
        self.providerAccount = isShared ? nil : providerAccount
        self.isTest = isTest
    }

    /// Returns the provider that settles. Online cards and readers are two channels of one provider, and its statements
    /// contain both. The name of a module has letters, digits and `_`; anything after a dash is the channel:
    /// `stripe-terminal` belongs to Stripe. `adyen_terminal` predates that rule.
    public static func owner(of provider: ProviderName) -> ProviderName {
        let module = provider.rawValue.prefix { $0 != "-" }
        let older = "_terminal"
        return ProviderName(rawValue: String(module.hasSuffix(older) ? module.dropLast(older.count) : module))
    }

    /// `Assets:Receivable:Stripe:Acct-1`, in letters, digits and dashes, which both beancount and hledger accept.
    public var name: String {
        var parts = [root]
        if isTest { parts.append("Test") }
        parts.append(title)
        if let provider { parts.append(LedgerAccount.component(provider.rawValue)) }
        if let providerAccount { parts.append(LedgerAccount.component(providerAccount)) }
        return parts.joined(separator: ":")
    }

    private var root: String {
        switch kind {
        case .receivable, .inTransit, .cash, .elsewhere, .disputed, .suspense: "Assets"
        case .refundsDue, .tips: "Liabilities"
        case .sales, .returns: "Income"
        case .fees, .disputeLosses, .writeOffs: "Expenses"
        case .exchange: "Equity"
        }
    }

    private var title: String {
        switch kind {
        case .receivable: "Receivable"
        case .inTransit: "InTransit"
        case .cash: "Cash"
        case .elsewhere: "Elsewhere"
        case .disputed: "Disputed"
        case .suspense: "Suspense"
        case .refundsDue: "RefundsDue"
        case .tips: "Tips"
        case .sales: "Sales"
        case .returns: "Returns"
        case .fees: "Fees"
        case .disputeLosses: "DisputeLosses"
        case .writeOffs: "WriteOffs"
        case .exchange: "Exchange"
        }
    }

    /// Returns a component of an account name: a capital letter or digit followed by letters, digits and dashes.
    private static func component(_ text: String) -> String {
        let letters = text.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: byte
            default: UInt8(ascii: "-")
            }
        }
        guard let first = letters.first, first != UInt8(ascii: "-") else {
            return "X" + String(decoding: letters, as: UTF8.self)
        }
        let capital = (0x61...0x7A).contains(first) ? first - 0x20 : first
        return String(decoding: [capital] + letters.dropFirst(), as: UTF8.self)
    }
}

extension LedgerAccount: Comparable {
    public static func < (left: LedgerAccount, right: LedgerAccount) -> Bool { left.name < right.name }
}

extension LedgerAccount: CustomStringConvertible {
    public var description: String { name }
}
