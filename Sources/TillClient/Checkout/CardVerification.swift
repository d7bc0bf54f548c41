public import TillCore

/// The question to a card's bank that comes before a nonce of Braintree's fields pays: `three_d_secure` of the fields'
/// key. The counter reads the answer from Braintree, and declines a nonce without one.
public struct CardVerification: Hashable, Sendable {
    /// The amount that the bank is asked about: that of the payment. Braintree's SDK takes it in major units, as
    /// its `decimalString`, and Braintree compares it with the transaction.
    public let amount: Money
    /// The document as the counter sent it. Open: members that this version does not know are kept.
    public let document: JSONValue

    /// Reads the document, whose amount counts only if it is the session's.
    init(_ document: JSONValue, of session: CounterCheckoutSession) throws(CounterCheckoutError) {
        guard let text = document["amount"]?.stringValue else {
            throw .unreadable(reason: "it has no three_d_secure.amount")
        }
        let asked = session.amount.decimalString
        guard text == asked else { throw .mismatch(.amount, asked: asked, answered: String(text.prefix(32))) }
        amount = session.amount
        self.document = document
    }
}

/// The end of a bank's question about a card. It proves nothing: the counter reads the bank's answer from the provider.
public enum CardVerificationEnd: Sendable {
    /// The reference to pay with: the nonce that Braintree's SDK returned with the bank's answer. Where no bank is to
    /// be asked, it is the reference of the fields.
    case reference(Secret<String>)
    /// The customer left the question. Nothing was charged, and the nonce of the fields may be used up.
    case closed
    /// The question could not be shown. Nothing was charged.
    case notShown
}
