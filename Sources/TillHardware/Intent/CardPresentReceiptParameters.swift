public import TillCore

/// The fields of a card read that a receipt shows. The provider may leave out any of them.
public struct ReceiptDetails: Hashable, Sendable {
    /// Application preferred name (EMV 9F12).
    public var applicationPreferredName: String?
    /// Application identifier, AID (EMV 84).
    public var dedicatedFileName: String?
    /// Authorization response code (EMV 8A).
    public var authorizationResponseCode: String?
    /// The issuer's authorization code.
    public var authorizationCode: String?
    /// Application cryptogram (EMV 9F26), hex.
    public var applicationCryptogram: String?
    /// Terminal verification results (EMV 95), hex.
    public var terminalVerificationResults: String?
    /// Transaction status information (EMV 9B), hex.
    public var transactionStatusInformation: String?
    /// How the cardholder was verified: `offline_pin`, `signature`, `none`, …
    public var cardholderVerificationMethod: String?
    /// `credit`, `checking`, `savings`, `prepaid`, …
    public var accountType: String?

    /// Makes an empty one.
    public init() {}

    /// The same as the journal keeps it.
    public var emv: EMVReceiptData {
        var data = EMVReceiptData()
        data.applicationPreferredName = applicationPreferredName
        data.dedicatedFileName = dedicatedFileName
        data.accountType = accountType
        data.authorizationResponseCode = authorizationResponseCode
        data.authorizationCode = authorizationCode
        data.applicationCryptogram = applicationCryptogram
        data.terminalVerificationResults = terminalVerificationResults
        data.transactionStatusInformation = transactionStatusInformation
        data.cardholderVerificationMethod = cardholderVerificationMethod
        return data
    }

    /// That of what the journal keeps.
    public init(_ data: EMVReceiptData) {
        applicationPreferredName = data.applicationPreferredName
        dedicatedFileName = data.dedicatedFileName
        accountType = data.accountType
        authorizationResponseCode = data.authorizationResponseCode
        authorizationCode = data.authorizationCode
        applicationCryptogram = data.applicationCryptogram
        terminalVerificationResults = data.terminalVerificationResults
        transactionStatusInformation = data.transactionStatusInformation
        cardholderVerificationMethod = data.cardholderVerificationMethod
    }
}

/// What is needed to print the receipt of a payment at a reader, beside the order's lines.
public struct CardPresentReceiptParameters: Hashable, Sendable {
    /// How much was paid.
    public let amount: Money
    /// When.
    public let date: Timestamp
    /// The shop's name.
    public let storeName: String?
    /// The card.
    public let cardDetails: CardPresentTransactionDetails
    /// The order.
    public let order: OrderID?
    /// The reader's label or serial number.
    public let reader: String?

    /// Makes them.
    public init(
        amount: Money, date: Timestamp, storeName: String?, cardDetails: CardPresentTransactionDetails,
        order: OrderID?, reader: String? = nil
    ) {
        self.amount = amount
        self.date = date
        self.storeName = storeName
        self.cardDetails = cardDetails
        self.order = order
        self.reader = reader
    }

    /// Those of a paid intent; `nil` if it was not paid at a reader. Interac payments have a receipt too.
    public init?(_ intent: PaymentIntent, storeName: String?, date: Timestamp, reader: CardReader?) {
        guard let details = intent.paymentMethod?.cardPresentDetails else { return nil }
        self.init(
            amount: intent.amount, date: date, storeName: storeName, cardDetails: details, order: intent.order,
            reader: reader?.label)
    }
}
