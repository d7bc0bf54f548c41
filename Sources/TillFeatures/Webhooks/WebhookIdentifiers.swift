package import TillCore
import TillCounter
package import TillJournal

/// The identifier of an endpoint: `we_` and 24 letters.
package struct WebhookEndpointID: Identifier {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Returns the identifier for a request, so that its repetition finds what it made.
    static func of(_ account: AccountID, key: String) -> WebhookEndpointID {
        WebhookEndpointID(rawValue: "we_" + WebhookLetters.of("endpoint/\(account)/\(key)", count: 24))
    }
}

/// The identifier of a message: `msg_` and 32 letters, without the full stop that Standard Webhooks excludes.
package struct WebhookMessageID: Identifier {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Returns the identifier of an event's message to an endpoint: the same however often it is made. It holds the
    /// event's time, since after a restore another event may have the same place.
    package static func of(_ event: StoredEvent, to endpoint: WebhookEndpointID) -> WebhookMessageID {
        of(
            event.payment, version: event.version, event: event.record.event.name, at: event.record.at, to: endpoint)
    }

    /// Returns the same for an event of a payment that is not in this process.
    package static func of(
        _ payment: PaymentID, version: Int, event: String, at: Timestamp, to endpoint: WebhookEndpointID
    ) -> WebhookMessageID {
        let name = "\(payment)/\(version)/\(at.milliseconds)/\(event)"
        return WebhookMessageID(rawValue: "msg_" + WebhookLetters.of("message/\(endpoint)/\(name)", count: 32))
    }

    /// Draws the identifier of a test message.
    package static func random() -> WebhookMessageID {
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return WebhookMessageID(rawValue: "msg_" + WebhookLetters.letters(bytes))
    }
}

/// Letters in place of hexadecimal digits, of which some would read as a card number and be masked.
private enum WebhookLetters {
    static func of(_ text: String, count: Int) -> String {
        String(letters(digest("till/webhooks/\(text)".utf8)).prefix(count))
    }

    static func letters(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [0x61 + ($0 >> 4), 0x61 + ($0 & 15)] }, as: UTF8.self)
    }
}
