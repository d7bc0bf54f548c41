import TillCore

/// For whom passkeys are: the name under which browsers know the counter's page.
struct RelyingParty: Hashable, Sendable {
    /// The origin of the page, such as `https://till.example`.
    let origin: String
    /// The host in it. A passkey that was made for one name is of no use under another.
    let id: String

    /// - Returns: `nil` for an origin for which browsers make no passkeys: an address in place of a name, or without TLS
    ///   beyond this machine.
    init?(origin: String) {
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

/// What a browser says that it was asked for (WebAuthn Level 3, 5.8.1).
struct PasskeyClientData: Hashable, Sendable {
    enum Purpose: String, Sendable {
        case register = "webauthn.create"
        case signIn = "webauthn.get"
    }

    static let maximumBytes = 4_096

    let challenge: [UInt8]

    /// Reads it, and checks what is the same for each challenge.
    init(_ bytes: [UInt8], for purpose: Purpose, at party: RelyingParty) throws(PasskeyFault) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: PasskeyClientData.maximumBytes))
        } catch { throw .malformed("client data") }
        guard json["type"]?.stringValue == purpose.rawValue else { throw .purpose }
        guard json["origin"]?.stringValue == party.origin else { throw .origin }
        // In a frame of another page the person does not see whom they sign in to.
        let isAlone = json["crossOrigin"].map { $0.boolValue == false } ?? true
        guard isAlone, json["topOrigin"] == nil else { throw .origin }
        guard let text = json["challenge"]?.stringValue, let challenge = Base64URL.decode(text) else {
            throw .challenge
        }
        self.challenge = challenge
    }
}
