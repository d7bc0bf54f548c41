public import TillCore

/// The fields of a card read that a receipt shows, as recorded in the journal. The provider may omit any of them.
public typealias ReceiptDetails = EMVReceiptData

/// The data for the receipt of a payment at a reader, beside the order's lines.
public struct CardPresentReceiptParameters: Hashable, Sendable {
    /// The amount paid.
    public let amount: Money
    public let date: Timestamp
    public let storeName: String?
    public let cardDetails: CardPresentTransactionDetails
    public let order: OrderID?
    /// The reader's label or serial number.
    public let reader: String?

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

    /// Takes the data of a paid intent; `nil` if it was not paid at a reader. Interac payments have a receipt too.
    public init?(_ intent: PaymentIntent, storeName: String?, date: Timestamp, reader: CardReader?) {
        guard let details = intent.paymentMethod?.cardPresentDetails else { return nil }
        self.init(
            amount: intent.amount, date: date, storeName: storeName, cardDetails: details, order: intent.order,
            reader: reader?.label)
    }
}
