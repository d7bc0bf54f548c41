import Crypto
public import TillCore

/// Something about money that no payment of this journal accounts for. It is kept until a person has said what it was.
public struct Incident: RecordDocument, Hashable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable {
        /// A provider reported something about a payment that the journal does not know: one that was made after the
        /// backup from which the journal was restored, or one of another counter with the same account.
        case unknownPayment = "unknown_payment"
    }

    /// Of what was delivered so many bytes are kept at most.
    public static let maximumDocumentBytes = 16 << 10
    public static let collection: RecordCollection = "incident"
    /// Those that wait for a person.
    public static let open = RecordMatch("state", "open")

    /// Made from what it is about, so that it is kept once.
    public let id: String
    public let kind: Kind
    public let provider: ProviderName
    /// The provider's name for what it reported.
    public let event: String
    /// The payment that is not known.
    public let payment: PaymentID
    public let at: Timestamp
    /// The beginning of what was delivered, without anything that could be a card number.
    public let document: String
    /// What a person found out; `nil`: nobody has looked yet.
    public var resolution: String?

    /// A webhook about a payment that is not known.
    public init(
        webhook event: String, of provider: ProviderName, about payment: PaymentID, body: [UInt8], at: Timestamp
    ) {
        let name = Array("\(provider.rawValue)\n\(event)".utf8)
        id = "inc_" + Hex.lowercase(Array(SHA256.hash(data: name)).prefix(12))
        kind = .unknownPayment
        self.provider = provider
        self.event = event
        self.payment = payment
        self.at = at
        document = CardScrubbing.withoutNumbers(
            String(decoding: body.prefix(Incident.maximumDocumentBytes), as: UTF8.self))
    }

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        guard let kind = Kind(rawValue: try body.text("kind")) else { throw body.damaged("kind") }
        id = stored.id.key
        self.kind = kind
        provider = ProviderName(rawValue: try body.text("provider"))
        event = try body.text("event")
        payment = PaymentID(rawValue: try body.text("payment"))
        at = Timestamp(milliseconds: try body.int("at"))
        document = try body.text("document")
        resolution = body.optionalText("resolution")
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("kind", kind.rawValue)
        writer.field("provider", provider.rawValue)
        writer.field("event", event)
        writer.field("payment", payment.rawValue)
        writer.field("at", at.milliseconds)
        writer.field("document", document)
        writer.field("resolution", resolution)
        writer.endObject()
        return Record(
            RecordID(Incident.collection, id), body: writer.bytes,
            fields: ["state": resolution == nil ? "open" : "resolved"])
    }
}

extension Incident: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch kind {
        case .unknownPayment:
            "\(provider) reported something about payment \(payment), which this journal does not know. Look it up at "
                + "the provider: its order may have been paid."
        }
    }
}
