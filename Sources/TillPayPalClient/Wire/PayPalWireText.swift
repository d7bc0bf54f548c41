package import TillCore

/// Sanitizes provider text for display or storage: one line, bounded, without card numbers.
package enum PayPalWireText {
    package static func line(_ text: String, limit: Int) -> String {
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return CardNumberMask.maskedForPeople(text)
        }
        let line = String(
            text.unicodeScalars.prefix(limit).map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return CardNumberMask.maskedForPeople(line)
    }

    /// Returns a PayPal code: letters, digits, underscores and hyphens, at most 100 bytes; `nil` for anything else.
    package static func word(_ value: JSONValue?) -> String? {
        guard let text = value?.stringValue, !text.isEmpty, text.utf8.count <= 100 else { return nil }
        let isWord = text.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
                || $0 == 0x2D
        }
        return isWord && CardNumberMask.maskedForPeople(text) == text ? text : nil
    }
}
