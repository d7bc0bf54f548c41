import Crypto
public import TillCore

/// The provider's answer to a batch: one decision per payment, and the deletion token.
public struct BatchReceipt: Hashable, Sendable {
    public var batch: String
    /// One decision per payment, in batch order.
    public var decisions: [RecordDecision]
    /// The provider's deletion token, as received.
    public var token: String

    public init(batch: String, decisions: [RecordDecision], token: String) {
        self.batch = batch
        self.decisions = decisions
        self.token = token
    }

    /// SHA-256 over the decisions, as named in the deletion token.
    public static func digest(of decisions: [RecordDecision]) -> [UInt8] {
        var writer = PackedWriter()
        for decision in decisions { decision.write(to: &writer) }
        return Array(SHA256.hash(data: writer.bytes))
    }

    func write(to writer: inout PackedWriter) {
        writer.text(batch)
        writer.text(token)
        writer.word(UInt32(clamping: decisions.count))
        for decision in decisions { decision.write(to: &writer) }
    }

    init?(_ reader: inout PackedReader) {
        guard let batch = reader.text(), let token = reader.text(), let count = reader.word(),
            count <= BatchContent.mostMembers
        else { return nil }
        var decisions: [RecordDecision] = []
        for _ in 0..<count {
            guard let decision = RecordDecision(&reader) else { return nil }
            decisions.append(decision)
        }
        self.batch = batch
        self.token = token
        self.decisions = decisions
    }
}

/// The provider's decision on one stored payment.
public struct RecordDecision: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The payment was approved and the money taken.
        case approved(reference: ProviderReference, card: CardSummary?)
        /// The payment was declined: no money was taken and the order is unpaid.
        case declined(Decline)
        /// The provider cannot read the record or refuses to process it; it needs manual review.
        case poison(reason: String)
    }

    public var sequence: UInt64
    public var outcome: Outcome

    public init(sequence: UInt64, outcome: Outcome) {
        self.sequence = sequence
        self.outcome = outcome
    }

    func write(to writer: inout PackedWriter) {
        writer.long(sequence)
        switch outcome {
        case .approved(let reference, let card):
            writer.byte(1)
            writer.text(reference.rawValue)
            writer.text(optional: card?.brand)
            writer.text(optional: card?.lastFour)
            writer.text(optional: card?.entryMode)
        case .declined(let decline):
            writer.byte(2)
            writer.text(decline.reason.rawValue)
            writer.text(optional: decline.code)
            writer.text(optional: decline.message)
            writer.text(optional: decline.requestID)
        case .poison(let reason):
            writer.byte(3)
            writer.text(reason)
        }
    }

    init?(_ reader: inout PackedReader) {
        guard let sequence = reader.long(), let kind = reader.byte() else { return nil }
        self.sequence = sequence
        switch kind {
        case 1:
            guard let reference = reader.text(), let brand = reader.optionalText(),
                let lastFour = reader.optionalText(), let mode = reader.optionalText()
            else { return nil }
            let card = brand.map { CardSummary(brand: $0, lastFour: lastFour ?? "", entryMode: mode) }
            outcome = .approved(reference: ProviderReference(rawValue: reference), card: card)
        case 2:
            guard let reason = reader.text(), let code = reader.optionalText(), let message = reader.optionalText(),
                let request = reader.optionalText()
            else { return nil }
            outcome = .declined(
                Decline(reason: DeclineReason(rawValue: reason), code: code, message: message, requestID: request))
        case 3:
            guard let reason = reader.text() else { return nil }
            outcome = .poison(reason: reason)
        default: return nil
        }
    }
}
