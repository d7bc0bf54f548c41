import Foundation
public import TillCore

/// The facts of a reader token that are readable without its provider's key: expiry and issuer.
public struct ReaderTokenFacts: Hashable, Sendable {
    /// The expiry: the token's own claim, but never later than ``TapToPayDeadlines/tokenLifetime`` after receipt.
    public var until: Timestamp
    /// The issuer, if claimed.
    public var issuer: String?
    /// The maximum length of a token, in bytes.
    public static let mostBytes = 16_384

    public init(until: Timestamp, issuer: String?) { (self.until, self.issuer) = (until, issuer) }

    /// Reads the claims of a signed JSON token. They are not verified: the reader verifies the token. The times only
    /// schedule the renewal, the issuer only protects stored payments.
    public init(_ token: PaymentCardReader.Token, receivedAt now: Timestamp, _ deadlines: TapToPayDeadlines) {
        let latest = now.adding(deadlines.tokenLifetime)
        guard token.rawValue.utf8.count <= ReaderTokenFacts.mostBytes,
            let claims = ReaderTokenFacts.claims(token.rawValue)
        else {
            self.init(until: latest, issuer: nil)
            return
        }
        var until = latest
        if case .number(let text)? = claims["exp"], let seconds = Int64(text) {
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            if !overflow { until = min(latest, Timestamp(milliseconds: milliseconds)) }
        }
        var issuer: String?
        if case .string(let text)? = claims["iss"] { issuer = text }
        self.init(until: until, issuer: issuer)
    }

    private static func claims(_ text: String) -> JSONValue? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var body = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while !body.utf8.count.isMultiple(of: 4) { body += "=" }
        guard let data = Data(base64Encoded: body) else { return nil }
        return JSONValue(ifValid: Array(data))
    }
}
