import TillCore

/// The relying party of passkeys: the name under which browsers know the counter's page.
package struct RelyingParty: Hashable, Sendable {
    /// The origin of the page, such as `https://till.example`.
    package let origin: String
    /// The host of the origin. A passkey made for one host is invalid under another.
    package let id: String

    /// - Returns: `nil` for an origin without passkey support in browsers: an IP address instead of a name, or no TLS
    ///   beyond this machine.
    package init?(origin: String) {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.count == 2, let host = parts[1].split(separator: ":").first.map(String.init),
            !host.hasPrefix("["), host.last?.isNumber == false
        else { return nil }
        guard parts[0] == "https:" || (parts[0] == "http:" && (host == "localhost" || host.hasSuffix(".localhost")))
        else { return nil }
        self.origin = origin
        id = host
    }
}

/// The client data of a WebAuthn response (WebAuthn Level 3, 5.8.1).
package struct PasskeyClientData: Hashable, Sendable {
    package enum Purpose: String, Sendable {
        case register = "webauthn.create"
        case signIn = "webauthn.get"
    }

    package static let maximumBytes = 4_096

    package let challenge: [UInt8]

    /// Reads the client data and checks everything but the challenge.
    package init(_ bytes: [UInt8], for purpose: Purpose, at party: RelyingParty) throws(PasskeyFault) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: PasskeyClientData.maximumBytes))
        } catch { throw .malformed("client data") }
        guard json["type"]?.stringValue == purpose.rawValue else { throw .purpose }
        guard json["origin"]?.stringValue == party.origin else { throw .origin }
        // In a frame of another page, the relying party is not visible to the person.
        let isAlone = json["crossOrigin"].map { $0.boolValue == false } ?? true
        guard isAlone, json["topOrigin"] == nil else { throw .origin }
        guard let text = json["challenge"]?.stringValue, let challenge = Base64URL.decode(text) else {
            throw .challenge
        }
        self.challenge = challenge
    }
}
