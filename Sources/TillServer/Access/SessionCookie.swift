import Hummingbird
import TillCore

/// The cookie that holds a session's token.
enum SessionCookie: Hashable, Sendable {
    /// Over TLS: only this host, over TLS, can set or get it.
    case overTLS
    /// Without TLS. Cookies do not know ports, so the name tells the counters of a machine apart.
    case plain(instance: String)

    /// Cookies of one name that are tried: a browser sends one, unless another host of its domain has set more.
    static let maximumCandidates = 4

    var name: String {
        switch self {
        case .overTLS: "__Host-till_session"
        case .plain(let instance): "till_session_\(instance)"
        }
    }

    /// The tokens that a request has under this name.
    func tokens(in request: Request) -> [String] {
        var found: [String] = []
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == name { found.append(String(parts[1])) }
            }
        }
        return Array(found.prefix(SessionCookie.maximumCandidates))
    }

    /// The value of the `Set-Cookie` header that hands a token out.
    func holding(_ token: String) -> String { "\(name)=\(token)\(attributes)" }

    /// The value of the `Set-Cookie` header that takes it back.
    var emptied: String { "\(name)=\(attributes); Max-Age=0" }

    private var attributes: String {
        "; Path=/; HttpOnly; SameSite=Strict" + (self == .overTLS ? "; Secure" : "")
    }

    /// Whether a request came over TLS: as the server's own connection knows it, or as a trusted proxy says of its own
    /// (``OriginReader``). What anybody else's header says is not believed.
    static func isSecure(_ request: Request) -> Bool { request.head.scheme == "https" }
}
