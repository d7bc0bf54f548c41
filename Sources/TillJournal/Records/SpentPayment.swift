import TillCore

/// That a provider has an attempt of a payment which the journal lost. Its next attempt would have the same name and
/// the same keys, and a provider answers a key that it has seen with what came of it then: a charge that was given back
/// since would pass for a new one. So the payment makes no further attempt, for good, whatever a person finds out about
/// the charge. Made with the incident that says so, in the same commit.
enum SpentPayment {
    static let collection: RecordCollection = "spent_payment"

    static func id(_ payment: PaymentID) -> RecordID { RecordID(collection, payment.rawValue) }

    /// Kept once, however many attempts were lost.
    static func change(_ payment: PaymentID) -> RecordChange {
        .insertIfAbsent(Record(id(payment), body: Array("{}".utf8)))
    }
}
