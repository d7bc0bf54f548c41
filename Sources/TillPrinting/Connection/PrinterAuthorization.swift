import Crypto
import Foundation
import TillCore

/// The Authorization header: with the password itself, or with a digest that proves knowledge of it. RFC 7617, RFC
/// 7616.
struct PrinterAuthorization: Sendable {
    private enum Scheme {
        case basic
        case digest(DigestChallenge)
    }

    private let scheme: Scheme
    private let credentials: PrinterCredentials
    /// The number of responses to this challenge so far.
    private var count = 0

    private init(_ scheme: Scheme, _ credentials: PrinterCredentials) {
        self.scheme = scheme
        self.credentials = credentials
    }

    /// Returns the authorization for a printer that refused a request.
    /// - Parameter before: the refused header; `nil` if none was sent yet.
    /// - Throws: ``IPPError/authentication(_:)``. A plaintext password is never sent without TLS.
    static func answering(
        _ headers: [String], before: PrinterAuthorization?, credentials: PrinterCredentials?, isSecure: Bool
    ) throws(IPPError) -> PrinterAuthorization {
        guard let credentials else { throw .authentication(.needed) }
        let challenges = headers.compactMap { AuthenticationChallenge(parsing: $0) }
        for challenge in challenges {
            guard let digest = DigestChallenge(challenge) else { continue }
            guard before == nil || digest.isStale else { throw .authentication(.wrong) }
            return PrinterAuthorization(.digest(digest), credentials)
        }
        guard challenges.contains(where: { $0.scheme == "basic" }) else {
            let names = challenges.map(\.scheme).joined(separator: ", ")
            throw .authentication(.unknownScheme(String(names.prefix(60))))
        }
        guard before == nil else { throw .authentication(.wrong) }
        guard isSecure else { throw .authentication(.onlyOverTLS) }
        return PrinterAuthorization(.basic, credentials)
    }

    /// Returns the header of the next request.
    mutating func header(method: String, path: String) -> String {
        switch scheme {
        case .basic:
            let pair = "\(credentials.user):\(credentials.password.reveal())"
            return "Basic " + Data(pair.utf8).base64EncodedString()
        case .digest(let challenge):
            count += 1
            return challenge.header(
                credentials, method: method, path: path, count: count,
                clientNonce: Hex.lowercase((0..<16).map { _ in UInt8.random(in: 0...255) }))
        }
    }
}

/// One `WWW-Authenticate`: a scheme and its parameters.
struct AuthenticationChallenge: Hashable {
    /// `basic` or `digest`, in lower case.
    let scheme: String
    /// Parameters by lowercase name.
    let parameters: [String: String]

    /// Parses one challenge; the first of duplicate parameters counts. At most 32 are read.
    init?(parsing text: String) {
        guard text.utf8.count <= 4_096 else { return nil }
        scheme = String(text.prefix { $0 != " " }).lowercased()
        guard !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
            return nil
        }
        var rest = text.dropFirst(scheme.count)
        var found: [String: String] = [:]
        while found.count < 32 {
            rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != "," && $0 != " " }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.first == "=" else { break }
            rest = rest.dropFirst()
            var value = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let next = rest.popFirst(), next != "\"" {
                    if next == "\\", let escaped = rest.popFirst() { value.append(escaped) } else { value.append(next) }
                }
            } else {
                value = String(rest.prefix { $0 != "," && $0 != " " })
                rest = rest.dropFirst(value.count)
            }
            if found[name.lowercased()] == nil { found[name.lowercased()] = value }
        }
        parameters = found
    }
}

/// A supported challenge of RFC 7616: MD5 or SHA-256, with a nonce count against replays (`qop=auth`), or as in RFC
/// 2069 without it.
struct DigestChallenge: Hashable, Sendable {
    private let realm: String
    private let nonce: String
    private let opaque: String?
    private let algorithm: String?
    private let isSHA256: Bool
    private let countsAnswers: Bool
    /// `true` if the password was right and only the nonce had expired.
    let isStale: Bool

    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.scheme == "digest", let nonce = challenge.parameters["nonce"], !nonce.isEmpty else {
            return nil
        }
        self.nonce = nonce
        realm = challenge.parameters["realm"] ?? ""
        opaque = challenge.parameters["opaque"]
        algorithm = challenge.parameters["algorithm"]
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
        switch algorithm?.lowercased() {
        case "sha-256": isSHA256 = true
        case "md5", nil: isSHA256 = false
        default: return nil
        }
        guard let qop = challenge.parameters["qop"] else {
            countsAnswers = false
            return
        }
        guard qop.split(whereSeparator: { $0 == "," || $0 == " " }).contains("auth") else { return nil }
        countsAnswers = true
    }

    /// Returns the header that answers the challenge.
    func header(
        _ credentials: PrinterCredentials, method: String, path: String, count: Int, clientNonce: String
    ) -> String {
        let number =
            String(repeating: "0", count: max(0, 8 - String(count, radix: 16).count)) + String(count, radix: 16)
        let who = hash("\(credentials.user):\(realm):\(credentials.password.reveal())")
        let what = hash("\(method):\(path)")
        let proof =
            countsAnswers
            ? hash("\(who):\(nonce):\(number):\(clientNonce):auth:\(what)") : hash("\(who):\(nonce):\(what)")
        var parts = [
            "username=\(quoted(credentials.user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))",
            "uri=\(quoted(path))", "response=\"\(proof)\"",
        ]
        if let algorithm { parts.append("algorithm=\(isSHA256 ? "SHA-256" : algorithm.uppercased())") }
        if let opaque { parts.append("opaque=\(quoted(opaque))") }
        if countsAnswers { parts += ["qop=auth", "nc=\(number)", "cnonce=\"\(clientNonce)\""] }
        return "Digest " + parts.joined(separator: ", ")
    }

    private func hash(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return isSHA256 ? Hex.lowercase(SHA256.hash(data: bytes)) : Hex.lowercase(Insecure.MD5.hash(data: bytes))
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
