import Foundation
import TillCounter
import TillCore

/// The URL of an endpoint, checked before it is stored and again before each connection.
package struct WebhookURL: Hashable, Sendable {
    /// The whole URL, with its host in lower case.
    package let text: String
    /// The host: a name, or an address without brackets.
    package let host: String
    package let isSecure: Bool
    /// The port, also where the URL does not name it.
    let port: UInt16

    /// Scheme, host and port.
    var origin: String { "\(isSecure ? "https" : "http")://\(host):\(port)" }

    /// Parses a URL.
    /// - Parameter allowsPrivate: `true` for an endpoint in the shop's own network, which may be without TLS.
    package init(_ text: String, allowsPrivate: Bool) throws(WebhookURLError) {
        guard text.utf8.count <= WebhookLimits.urlBytes else { throw .tooLong }
        let pattern = /(https?):\/\/([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?(\/[!-~]*|\?[!-~]*)?/
        guard let parts = text.wholeMatch(of: pattern)?.output else { throw .form }
        isSecure = parts.1 == "https"
        let host = parts.2.lowercased()
        let rest = parts.4.map(String.init) ?? "/"
        if let named = parts.3 {
            guard let number = UInt16(named.dropFirst()), number > 0 else { throw .form }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
        guard !rest.contains("#"), rest.firstMatch(of: /["<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/) == nil else { throw .form }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.text = "\(parts.1)://\(host)\(parts.3.map(String.init) ?? "")\(rest.hasPrefix("?") ? "/" : "")\(rest)"
        guard isSecure || allowsPrivate else { throw .plain }
        // The address that is checked belongs to the host that the client will name.
        guard self.url != nil else { throw .form }
        if let address = ClientAddress(self.host) {
            switch AddressReach(address) {
            case .global: break
            case .inside: guard allowsPrivate else { throw .inside(self.host) }
            case .refused: throw .refused(self.host)
            }
        } else if Loopback.isHost(self.host), !allowsPrivate {
            throw .inside(self.host)
        }
    }

    /// The URL for the client; `nil` if the client would read another host in it.
    var url: URL? {
        guard let url = URL(string: text), let read = url.host() else { return nil }
        let bare = read.hasPrefix("[") ? String(read.dropFirst().dropLast()) : read
        return bare == host ? url : nil
    }
}

/// The reason that a URL cannot be an endpoint's.
package enum WebhookURLError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong
    case form
    /// Without TLS, and the endpoint does not allow its network.
    case plain
    /// An address of the machine or its network, which the endpoint does not allow.
    case inside(String)
    /// An address that is refused always.
    case refused(String)

    package var description: String {
        switch self {
        case .tooLong: "It must have at most \(WebhookLimits.urlBytes) bytes."
        case .form: "It must be a URL such as https://shop.example/till, without user, password and fragment."
        case .plain: "It must begin with https://. Without TLS only an endpoint with allow_private may be."
        case .inside(let host): "\(host) is an internal address. It is reached only with allow_private."
        case .refused(let host): "\(host) is an address that no webhook is sent to."
        }
    }
}
