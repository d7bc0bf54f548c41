internal import TillCore

extension CardNumberMask {
    /// Masks the values of form fields for the card number and the security code, then everything that could be a card
    /// number.
    static func body(_ text: String) -> String { text.hasPrefix("{") ? json(text) : form(text) }

    /// Masks the values of JSON members with a card number, a security code or a secret, then everything that could be
    /// a card number.
    private static func json(_ text: String) -> String {
        var result = text
        for name in ["security_code", "cvv", "cvc", "number", "expiry", "client_secret", "access_token"] {
            let key = "\"\(name)\":\""
            var rest = result[...]
            result = ""
            while let found = rest.firstRange(of: key) {
                result += rest[..<found.upperBound] + mask
                rest = rest[found.upperBound...].drop { $0 != "\"" }
            }
            result += rest
        }
        return maskedForPeople(result)
    }

    static func form(_ body: String) -> String {
        let pairs = body.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = pair[..<equals].replacing("%5B", with: "[").replacing("%5D", with: "]")
            guard name.hasSuffix("[number]") || name.hasSuffix("[cvc]") else { return String(pair) }
            return "\(pair[..<equals])=\(mask)"
        }
        return maskedForPeople(pairs.joined(separator: "&"))
    }
}
