public import TillCore

/// An account of the ledger. Its name is stable: exports of different days and journals can be put together.
public struct LedgerAccount: Hashable, Sendable {
    /// What is counted there.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What a provider owes the shop: captured, not yet paid out.
        case receivable
        /// What a provider has paid out and no bank statement has shown.
        case inTransit = "in_transit"
        /// Money in the shop's own cash drawer.
        case cash
        /// What a person says was paid or given back without the provider.
        case elsewhere
        /// What providers took back for disputes that are not lost.
        case disputed
        /// What a provider's statement says and no payment accounts for.
        case suspense
        /// What customers are owed: refunds that failed after they had succeeded.
        case refundsDue = "refunds_due"
        /// What customers added at the reader.
        case tips
        case sales
        case returns
        /// What providers keep for their service.
        case fees
        case disputeLosses = "dispute_losses"
        /// What a person has given up: money in suspense, and debts to customers that nobody asks for.
        case writeOffs = "write_offs"
        /// Between the currency of a payment and that of its settlement.
        case exchange
    }

    public let kind: Kind
    /// Whose provider account it is about; `nil` for what belongs to the shop alone.
    public let provider: ProviderName?
    /// The provider's own name for the shop's account; `nil`: not known.
    public let providerAccount: String?
    /// Play money has accounts of its own, so that it never mixes with money.
    public let isTest: Bool

    /// - Parameter provider: the provider or one of its ways to move money: `stripe-terminal` is Stripe's.
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

    /// The provider that settles. Cards online and at readers are two ways of one provider, and its statements hold
    /// both. A module's name has letters, digits and `_`, so what stands behind a dash is the way: `stripe-terminal` is
    /// Stripe's. `adyen_terminal` is older than that rule.
    public static func owner(of provider: ProviderName) -> ProviderName {
        let module = provider.rawValue.prefix { $0 != "-" }
        let older = "_terminal"
        return ProviderName(rawValue: String(module.hasSuffix(older) ? module.dropLast(older.count) : module))
    }

    /// `Assets:Receivable:Stripe:Acct-1`, in letters, digits and dashes that beancount and hledger both take.
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

    /// A part of a name: begins with a capital letter or a digit, and goes on with letters, digits and dashes.
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
