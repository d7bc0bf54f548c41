public import TillCore

/// A field that a card scheme or a region may require.
public enum ReceiptField: String, Hashable, Sendable, CaseIterable {
    /// The shop's trading name.
    case storeName = "store_name"
    /// The shop's address.
    case storeAddress = "store_address"
    /// The shop's tax number.
    case taxID = "tax_id"
    /// The shop's telephone number.
    case phone
    /// The merchant ID (MID) at the acquirer.
    case merchantID = "merchant_id"
    /// The terminal ID (TID) assigned by the acquirer.
    case terminalID = "terminal_id"
    /// The card's brand, as the provider spells it.
    case brand
    /// The last digits of the card.
    case lastFour = "last_four"
    /// The preferred name or label of the EMV application.
    case applicationName = "application_name"
    /// The application identifier of a chip card (EMV tag 84).
    case aid
    /// The account type used.
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
    /// The cardholder verification method.
    case verification
    /// The card entry mode.
    case entryMode = "entry_mode"

    /// `true` for a field of the receipt's header.
    var isOfStore: Bool {
        switch self {
        case .storeName, .storeAddress, .taxID, .phone: true
        default: false
        }
    }

    /// The label of the row.
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

/// One row of the table of required fields, kept as data so that a rule change needs no change of code.
///
/// Based on the minimum lists published by acquirers and networks. These change and differ; the requirements of the
/// shop's own acquirer take precedence.
public struct ReceiptRequirement: Sendable {
    /// The brand that the rule applies to; `nil` for any.
    public let brand: String?
    /// The country that the rule applies to; `nil` for any.
    public let region: String?
    /// The entry modes that the rule applies to; empty for any.
    public let entryModes: [String]
    /// The tender that the rule applies to; `nil` for any.
    public let tender: TenderKind?
    /// The outcomes that the rule applies to; empty for any.
    public let outcomes: [ReceiptTransaction.Outcome]
    /// The required fields.
    public let fields: [ReceiptField]

    /// All rules; a receipt must satisfy every rule that applies.
    public static let all: [ReceiptRequirement] = [
        // The shop and its location, and the masked card. At a reader also the entry mode, without which it is unknown
        // which other rows apply.
        ReceiptRequirement(tender: .reader, fields: [.storeName, .storeAddress, .brand, .lastFour, .entryMode]),
        ReceiptRequirement(entryModes: ["keyed"], fields: [.storeName, .storeAddress, .brand, .lastFour]),
        // The networks require the application on every chip receipt, and a statement about the PIN.
        ReceiptRequirement(entryModes: chip, fields: [.applicationName, .aid, .verification]),
        // An approval carries the issuer's code; a decline has none.
        ReceiptRequirement(
            entryModes: chip + stripe + ["keyed"], outcomes: [.approved, .partial], fields: [.authorizationCode]),
        // A declined chip transaction must show the reason: its verification results.
        ReceiptRequirement(entryModes: chip, outcomes: [.declined], fields: [.tvr]),
        // Canadian debit: the account type and the issuer's response.
        ReceiptRequirement(
            brand: "interac", entryModes: chip,
            fields: [.accountType, .authorizationResponseCode, .tvr, .tsi]),
        ReceiptRequirement(brand: "interac", region: "CA", fields: [.terminalID]),
        // Australian debit: the account type.
        ReceiptRequirement(brand: "eftpos_au", entryModes: chip, fields: [.accountType, .authorizationResponseCode]),
        ReceiptRequirement(brand: "eftpos_au", region: "AU", fields: [.terminalID]),
        // American Express recommends the cryptogram on contact reads.
        ReceiptRequirement(brand: "amex", entryModes: ["contact_emv"], fields: [.cryptogram]),
    ]

    /// The rule that matches every card receipt.
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

    /// `true` if the rule applies to this receipt.
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

extension StoreDetails {
    /// What card receipts have to show of the shop, by the schemes or by its acquirer, and is not set.
    package var missingFields: [ReceiptField] {
        var missing: [ReceiptField] = []
        for field in [ReceiptField.storeName, .storeAddress] + required
        where has(field) == false && !missing.contains(field) { missing.append(field) }
        return missing
    }

    /// Returns whether a detail of the shop is set; `nil` for a field of the card.
    private func has(_ field: ReceiptField) -> Bool? {
        switch field {
        case .storeName: !name.plain.isEmpty
        case .storeAddress: !address.isEmpty
        case .taxID: taxID != nil
        case .phone: phone != nil
        case .merchantID: merchantID != nil
        case .terminalID: terminalID != nil
        default: nil
        }
    }
}

extension ReceiptContent {
    /// Required fields without a value, in the order of the table. They are printed as gaps, the shop's own details on
    /// the merchant copy only, and should be logged as an error: ``missingFieldsSentence``.
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

    /// One sentence for the log; `nil` if no field is missing.
    public var missingFieldsSentence: String? {
        let missing = missingFields
        guard !missing.isEmpty else { return nil }
        return "The receipt of \(paymentID) lacks what its card demands: "
            + missing.map(\.rawValue).joined(separator: ", ")
            + ". The shop's copy shows gaps there; set the shop's details or ask the provider for the fields."
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
        // A separate refund receipt involves no card read.
        case .entryMode: transaction.entryMode != nil || transaction.kind == .refund && original != nil
        }
    }
}
