import TillCore

/// Unwraps a payment token from its transport envelope.
///
/// Wallets deliver an object: the signed and encrypted part alone (`paymentData`), the whole token around it, or the
/// browser's event around that (`payment.token`; `details.token` in the Payment Request API). Merchants pass these on
/// as text within JSON, or in base64. The envelope is unsigned and cannot affect the signed contents.
enum TokenEnvelope {
    /// Maximum nesting: text, event, payment, token, text. A more deeply nested token is not found.
    static let maximumLayers = 8
    private static let members = ["payment", "details", "token"]

    /// Parses a file or a request body: JSON, or JSON in base64.
    static func document(_ bytes: some Collection<UInt8>) throws(PaymentTokenError) -> JSONValue {
        guard bytes.count <= UnverifiedPaymentToken.Limits.documentBytes else {
            throw malformed("too_long", "The token has \(bytes.count) bytes; real ones have about 4,000.")
        }
        // Some editors write a byte order mark before UTF-8.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : Array(bytes)
        do {
            return try JSONValue(
                parsing: text,
                limits: JSONLimits(maximumBytes: UnverifiedPaymentToken.Limits.documentBytes, maximumDepth: 16))
        } catch {
            // A token's JSON begins with one of {"; base64 never does.
            guard let first = text.first(where: { $0 > 0x20 }), first != 0x7B, first != 0x22, first != 0x5B,
                let decoded = TransportBase64.decode(text), decoded.first(where: { $0 > 0x20 }) == 0x7B
            else { throw malformed("not_json", "The token is not JSON that can be read: \(error.description)") }
            return try document(decoded)
        }
    }

    /// Returns the whole token, or its signed and encrypted part if only that was delivered.
    static func token(in document: JSONValue) throws(PaymentTokenError) -> JSONValue {
        var value = document
        for _ in 0..<maximumLayers {
            if case .string(let text) = value {
                value = try self.document(text.utf8)
            } else if value["paymentData"] == nil, value["signature"] == nil,
                let inner = members.lazy.compactMap({ value[$0] }).first
            {
                value = inner
            } else {
                break
            }
        }
        guard value.objectValue != nil else { throw malformed("not_object", "The token is not a JSON object.") }
        return value
    }

    /// Returns the signed and encrypted part of a whole token.
    static func paymentData(in token: JSONValue) throws(PaymentTokenError) -> JSONValue {
        switch token["paymentData"] {
        case nil: return token
        case .null?, .string("")?: return .object([])
        case .string(let text)?:
            let data = try document(text.utf8)
            guard case .string(let inner) = data else { return data }
            return try document(inner.utf8)
        case let value?: return value
        }
    }

    private static func malformed(_ code: String, _ what: String) -> PaymentTokenError {
        PaymentTokenError(.format, code, what)
    }
}
