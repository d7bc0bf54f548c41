import TillCore
import TillOffline

/// The serialized decisions about a batch.
enum OfflineReceiptText {
    static func write(_ decisions: [RecordDecision]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for decision in decisions {
            writer.beginObject()
            writer.field("sequence", Int64(clamping: decision.sequence))
            writer.field("outcome", decision.outcome.word)
            switch decision.outcome {
            case .approved(let reference, let card):
                writer.field("reference", reference.rawValue)
                writer.field("brand", card?.brand)
                writer.field("last_four", card?.lastFour)
                writer.field("entry_mode", card?.entryMode)
            case .declined(let decline):
                writer.field("reason", decline.reason.rawValue)
                writer.field("code", decline.code)
                writer.field("message", decline.message)
            case .poison(let reason): writer.field("reason", reason)
            }
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }

    static func read(_ bytes: [UInt8]) -> [RecordDecision]? {
        let limits = JSONLimits(maximumBytes: 4 << 20, maximumDepth: 8, maximumValues: 100_000)
        guard let values = JSONValue(ifValid: bytes, limits: limits)?.arrayValue else { return nil }
        var decisions: [RecordDecision] = []
        for value in values {
            guard let sequence = value["sequence"]?.int64Value, sequence >= 0 else { return nil }
            let outcome: RecordDecision.Outcome
            switch value["outcome"]?.stringValue {
            case "approved":
                let card = value["brand"]?.stringValue.map {
                    CardSummary(
                        brand: $0, lastFour: value["last_four"]?.stringValue ?? "",
                        entryMode: value["entry_mode"]?.stringValue)
                }
                outcome = .approved(
                    reference: ProviderReference(rawValue: value["reference"]?.stringValue ?? ""), card: card)
            case "declined":
                outcome = .declined(
                    Decline(
                        reason: DeclineReason(rawValue: value["reason"]?.stringValue ?? "generic_decline"),
                        code: value["code"]?.stringValue, message: value["message"]?.stringValue))
            case "poison": outcome = .poison(reason: value["reason"]?.stringValue ?? "")
            default: return nil
            }
            decisions.append(RecordDecision(sequence: UInt64(sequence), outcome: outcome))
        }
        return decisions
    }
}
