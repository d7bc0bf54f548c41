package import Hummingbird
import TillCore

/// The cookie that holds a session's token.
package enum SessionCookie: Hashable, Sendable {
    /// The cookie over TLS, which only this host can set or read over TLS.
    case overTLS
    /// The cookie without TLS. Cookies ignore ports, so the name distinguishes the counters of a machine.
    case plain(instance: String)

    /// The maximum number of same-named cookies tried: a browser sends one, unless another host of its domain has set
    /// more.
    static let maximumCandidates = 4

    package var name: String {
        switch self {
        case .overTLS: "__Host-till_session"
        case .plain(let instance): "till_session_\(instance)"
        }
    }

    /// Returns the tokens of a request under this name.
    package func tokens(in request: Request) -> [String] {
        var found: [String] = []
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == name { found.append(String(parts[1])) }
            }
        }
        return Array(found.prefix(SessionCookie.maximumCandidates))
    }

    /// Returns the `Set-Cookie` value that sets a token.
    package func holding(_ token: String) -> String { "\(name)=\(token)\(attributes)" }

    /// The `Set-Cookie` value that deletes the cookie.
    package var emptied: String { "\(name)=\(attributes); Max-Age=0" }

    private var attributes: String {
        "; Path=/; HttpOnly; SameSite=Strict" + (self == .overTLS ? "; Secure" : "")
    }

    /// Returns `true` if a request came over TLS to the server itself or to a trusted proxy (``OriginReader``). Headers
    /// of other clients are ignored.
    package static func isSecure(_ request: Request) -> Bool { request.head.scheme == "https" }
}
