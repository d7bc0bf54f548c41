public import TillCore

/// The fields of a card read that a receipt shows, as the journal keeps them. The provider may leave out any of them.
public typealias ReceiptDetails = EMVReceiptData

/// What is needed to print the receipt of a payment at a reader, beside the order's lines.
public struct CardPresentReceiptParameters: Hashable, Sendable {
    /// How much was paid.
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

    /// Those of a paid intent; `nil` if it was not paid at a reader. Interac payments have a receipt too.
    public init?(_ intent: PaymentIntent, storeName: String?, date: Timestamp, reader: CardReader?) {
        guard let details = intent.paymentMethod?.cardPresentDetails else { return nil }
        self.init(
            amount: intent.amount, date: date, storeName: storeName, cardDetails: details, order: intent.order,
            reader: reader?.label)
    }
}
