package import TillCore

/// The JSON form of endpoints and messages.
package enum WebhookJSON {
    /// Encodes an endpoint.
    /// - Parameter secret: The secret, when it is shown: once.
    package static func write(
        _ endpoint: WebhookEndpoint, pending: Int, at now: Timestamp, secret: WebhookSecret? = nil,
        into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("id", endpoint.id.rawValue)
        writer.field("url", endpoint.url)
        writer.field("types", .array(endpoint.types.words.map { .string($0) }))
        writer.field("allow_private", endpoint.allowsPrivate)
        writer.field("enabled", endpoint.isEnabled)
        if case .disabled(let reason, let at) = endpoint.state {
            writer.field("disabled_reason", reason.rawValue)
            writer.field("disabled_at", at.description)
        } else {
            writer.field("disabled_reason", nil)
            writer.field("disabled_at", nil)
        }
        writer.field("pending", pending)
        writer.field("sequence", endpoint.cursor)
        writer.field("signing_secrets", endpoint.signing(at: now).count)
        writer.field("created_at", endpoint.createdAt.description)
        if let secret { writer.field("secret", secret.text.reveal()) }
        writer.endObject()
    }

    /// Encodes a message with its last attempt.
    package static func write(_ message: WebhookMessage, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", message.id.rawValue)
        writer.field("type", message.type)
        writer.field("payment_id", message.payment?.rawValue)
        writer.field("sequence", message.sequence)
        writer.field("state", message.state.rawValue)
        writer.field("attempts", message.attempts)
        writer.field("attempted_at", message.attemptedAt?.description)
        writer.field("next_attempt_at", message.state == .pending ? message.nextAt?.description : nil)
        writer.key("status")
        if let status = message.status { writer.int(Int64(status)) } else { writer.null() }
        writer.field("note", message.note)
        writer.field("body", message.body)
        writer.endObject()
    }
}
