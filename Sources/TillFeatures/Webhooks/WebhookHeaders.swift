package import TillCore

/// The header fields of an attempt (Standard Webhooks 1.0.0).
package enum WebhookHeaders {
    /// Returns the fields of an attempt.
    /// - Parameters:
    ///   - at: The time of this attempt, whichever it is: a receiver refuses old ones as replays.
    ///   - secrets: The signing secrets, newest first; each gives one signature.
    package static func fields(
        id: String, at: Timestamp, body: [UInt8], secrets: [WebhookSecret]
    ) -> [(name: String, value: String)] {
        let seconds = at.milliseconds / 1_000
        let signatures = secrets.map { $0.signature(id: id, timestamp: seconds, body: body) }
        return [
            ("content-type", "application/json"), ("user-agent", "Till-Webhooks/1"), ("webhook-id", id),
            ("webhook-timestamp", String(seconds)), ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
