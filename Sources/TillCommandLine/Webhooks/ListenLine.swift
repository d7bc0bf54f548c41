import TillCore
import TillFeatureWebhooks

/// A message that was handed on, as it is shown.
struct ListenLine: Sendable {
    let event: ListenEvent
    let type: WebhookType
    let id: WebhookMessageID
    let outcome: ListenForwarder.Outcome

    /// The line for display: the event's position, type, payment, message and the answer's status, with its beginning
    /// if the message was not taken.
    var text: String {
        let status = outcome.status.map(String.init) ?? "no answer"
        let line = "\(event.sequence)  \(type.rawValue)  \(event.payment)  \(id)  \(status)"
        guard !outcome.isTaken else { return line }
        let note = outcome.note.isEmpty ? "" : "  \(outcome.note)"
        return line + (outcome.attempts > 1 ? "  left out after \(outcome.attempts) attempts" : "") + note
    }

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("sequence", event.sequence)
        writer.field("type", type.rawValue)
        writer.field("payment_id", event.payment.rawValue)
        writer.field("id", id.rawValue)
        writer.key("status")
        if let status = outcome.status { writer.int(Int64(status)) } else { writer.null() }
        writer.field("taken", outcome.isTaken)
        writer.field("attempts", outcome.attempts)
        writer.field("note", outcome.note)
        writer.endObject()
        return writer.text
    }
}
