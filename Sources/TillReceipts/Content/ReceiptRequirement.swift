public import TillCore

/// One field that a card's scheme or a region may demand.
public enum ReceiptField: String, Hashable, Sendable, CaseIterable {
    /// The name under which the shop trades.
    case storeName = "store_name"
    /// Where the shop is.
    case storeAddress = "store_address"
    /// The shop's tax number.
    case taxID = "tax_id"
    /// The shop's telephone number.
    case phone
    /// The shop's merchant number at the acquirer.
    case merchantID = "merchant_id"
    /// The number that the acquirer gave the terminal.
    case terminalID = "terminal_id"
    /// The card's brand, as the provider spells it.
    case brand
    /// The last digits of the card.
    case lastFour = "last_four"
    /// The application's preferred name or label.
    case applicationName = "application_name"
    /// The application identifier of a chip card (EMV tag 84).
    case aid
    /// Which account was used.
    case accountType = "account_type"
    /// The issuer's authorization code.
    case authorizationCode = "authorization_code"
    /// The authorization response code.
    case authorizationResponseCode = "authorization_response_code"
    /// The application cryptogram of a chip card (EMV tag 9F26).
    case cryptogram
    /// Terminal verification results (EMV tag 95).
    case tvr
    /// Transaction status information (EMV tag 9B).
    case tsi
    /// How the holder was verified.
    case verification
    /// How the card was read.
    case entryMode = "entry_mode"

    /// It belongs to the head of the receipt.
    var isOfStore: Bool {
        switch self {
        case .storeName, .storeAddress, .taxID, .phone: true
        default: false
        }
    }

    /// What the row is called.
    var label: ReceiptLabel {
        switch self {
        case .storeName: .store
        case .storeAddress: .address
        case .taxID: .taxID
        case .phone: .phone
        case .merchantID: .merchantID
        case .terminalID: .terminalID
        case .brand, .lastFour: .card
        case .applicationName: .application
        case .aid: .aid
        case .accountType: .account
        case .authorizationCode: .authorizationCode
        case .authorizationResponseCode: .arc
        case .cryptogram: .cryptogram
        case .tvr: .tvr
        case .tsi: .tsi
        case .verification: .verification
        case .entryMode: .entry
        }
    }
}

/// What must stand on a receipt when: one row of a table, so that a change of a rule is a change of data.
///
/// From the published minimum lists of acquirers and networks. They change and differ; what a shop's own
/// acquirer says goes first.
public struct ReceiptRequirement: Sendable {
    /// Only for this brand; `nil`: any.
    public let brand: String?
    /// Only in this country; `nil`: any.
    public let region: String?
    /// Only for these ways of reading the card; empty: any.
    public let entryModes: [String]
    /// Only for cards presented this way; `nil`: any.
    public let tender: TenderKind?
    /// Only for these outcomes; empty: any.
    public let outcomes: [ReceiptTransaction.Outcome]
    /// What must be there.
    public let fields: [ReceiptField]

    /// Every rule; a receipt must meet all that fit it.
    public static let all: [ReceiptRequirement] = [
        // The shop and its place, and the card disguised. At a reader also how it was read: without that nobody could
        // tell which of the other rows speak.
        ReceiptRequirement(tender: .reader, fields: [.storeName, .storeAddress, .brand, .lastFour, .entryMode]),
        ReceiptRequirement(entryModes: ["keyed"], fields: [.storeName, .storeAddress, .brand, .lastFour]),
        // The networks demand the application on every chip receipt, and a statement about the PIN.
        ReceiptRequirement(entryModes: chip, fields: [.applicationName, .aid, .verification]),
        // An approval carries the issuer's code; on a decline there is none.
        ReceiptRequirement(
            entryModes: chip + stripe + ["keyed"], outcomes: [.approved, .partial], fields: [.authorizationCode]),
        // A chip's decline must show why: its results and how it was read.
        ReceiptRequirement(entryModes: chip, outcomes: [.declined], fields: [.tvr]),
        // Canadian debit: which account, and the issuer's answer.
        ReceiptRequirement(
            brand: "interac", entryModes: chip,
            fields: [.accountType, .authorizationResponseCode, .tvr, .tsi]),
        ReceiptRequirement(brand: "interac", region: "CA", fields: [.terminalID]),
        // Australian debit: which account.
        ReceiptRequirement(brand: "eftpos_au", entryModes: chip, fields: [.accountType, .authorizationResponseCode]),
        ReceiptRequirement(brand: "eftpos_au", region: "AU", fields: [.terminalID]),
        // American Express recommends the cryptogram on contact reads.
        ReceiptRequirement(brand: "amex", entryModes: ["contact_emv"], fields: [.cryptogram]),
    ]

    /// Speaks about every receipt of a card.
    static let everyCard = ReceiptRequirement(fields: [])
    private static let chip = ["contact_emv", "contactless_emv"]
    private static let stripe = ["magnetic_stripe_track2", "magnetic_stripe_fallback", "contactless_magstripe_mode"]

    init(
        brand: String? = nil, region: String? = nil, entryModes: [String] = [], tender: TenderKind? = nil,
        outcomes: [ReceiptTransaction.Outcome] = [], fields: [ReceiptField]
    ) {
        self.brand = brand
        self.region = region
        self.entryModes = entryModes
        self.tender = tender
        self.outcomes = outcomes
        self.fields = fields
    }

    /// Whether the row speaks about this receipt.
    func applies(to receipt: ReceiptContent) -> Bool {
        let part = receipt.transaction
        guard part.outcome == .approved || part.outcome == .partial || part.outcome == .declined,
            part.tender == .reader || part.tender == .card
        else { return false }
        if let brand, brand != part.brand?.plain { return false }
        if let tender, tender != part.tender { return false }
        if let region, region != receipt.store.region { return false }
        if !entryModes.isEmpty, !entryModes.contains(part.entryMode?.plain ?? "") { return false }
        return outcomes.isEmpty || outcomes.contains(part.outcome)
    }
}

extension ReceiptContent {
    /// Required fields that nobody gave, in the order of the table. They are printed as gaps, and a shop's log should
    /// show them as an error: ``missingFieldsSentence``.
    public var missingFields: [ReceiptField] {
        var missing: [ReceiptField] = []
        for requirement in ReceiptRequirement.all where requirement.applies(to: self) {
            for field in requirement.fields where !has(field) && !missing.contains(field) { missing.append(field) }
        }
        if ReceiptRequirement.everyCard.applies(to: self) {
            for field in store.required where !has(field) && !missing.contains(field) { missing.append(field) }
        }
        return missing
    }

    /// One sentence for the log; `nil` if all is there.
    public var missingFieldsSentence: String? {
        let missing = missingFields
        guard !missing.isEmpty else { return nil }
        return "The receipt of \(paymentID) lacks what its card demands: "
            + missing.map(\.rawValue).joined(separator: ", ")
            + ". It shows gaps there; set the shop's details or ask the provider for the fields."
    }

    private func has(_ field: ReceiptField) -> Bool {
        switch field {
        case .storeName: !store.name.plain.isEmpty
        case .storeAddress: !store.address.isEmpty
        case .taxID: store.taxID != nil
        case .phone: store.phone != nil
        case .merchantID: store.merchantID != nil
        case .terminalID: store.terminalID != nil
        case .brand: transaction.brand != nil && transaction.brand?.plain != "unknown"
        case .lastFour: transaction.lastFour != nil
        case .applicationName: transaction.applicationName != nil
        case .aid: transaction.aid != nil
        case .accountType: transaction.accountType != nil
        case .authorizationCode: transaction.authorizationCode != nil
        case .authorizationResponseCode: transaction.authorizationResponseCode != nil
        case .cryptogram: transaction.cryptogram != nil
        case .tvr: transaction.terminalVerificationResults != nil
        case .tsi: transaction.transactionStatusInformation != nil
        case .verification: transaction.verification != nil
        // For a refund of its own paper no card was read.
        case .entryMode: transaction.entryMode != nil || transaction.kind == .refund && original != nil
        }
    }
}
