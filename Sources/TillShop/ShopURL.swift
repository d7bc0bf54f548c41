import TillCore

/// The address of a shop: scheme, host, port and the folder in which it is installed.
package struct ShopURL: Hashable, Sendable, CustomStringConvertible {
    /// The address without a slash at its end, with its host in lower case.
    package let text: String
    package let isSecure: Bool
    /// The host with its port.
    let authority: String
    /// The folder, such as `/shop`; empty for the root.
    let folder: String

    package var description: String { text }

    /// Parses an address such as `https://shop.example` or `https://example.com/shop/`.
    /// - Parameter allowsPlain: `true` for a shop in the counter's own network that has no TLS: what is sent there can
    ///   be read, and its body changed, by everybody on the way. On this machine it is always allowed.
    /// - Throws: ``ShopError/address(_:)``.
    package init(_ text: String, allowsPlain: Bool = false) throws(ShopError) {
        guard text.utf8.count <= ShopLimits.urlBytes else {
            throw .address("It has more than \(ShopLimits.urlBytes) bytes.")
        }
        let pattern =
            /(https?):\/\/([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?(\/[A-Za-z0-9._~\/-]*)?/
        guard let parts = text.wholeMatch(of: pattern)?.output else {
            throw .address("It must be the shop's own address, such as https://shop.example, without a query.")
        }
        var port = ""
        if let given = parts.3 {
            guard let number = UInt16(given.dropFirst()), number > 0 else { throw .address("Its port is no port.") }
            // A shop signs with its own address, which names no port that is the default one.
            if number != (parts.1 == "https" ? 443 : 80) { port = ":\(number)" }
        }
        let names = (parts.4 ?? "").split(separator: "/")
        folder = names.map { "/" + $0 }.joined()
        guard !names.contains(where: { [".", "..", "wp-json"].contains($0) })
        else { throw .address("It must be the address of the shop, not of its interface.") }
        isSecure = parts.1 == "https"
        authority = parts.2.lowercased() + port
        self.text = "\(parts.1)://\(authority)\(folder)"
        guard isSecure || allowsPlain || Loopback.isAuthority(authority) else {
            throw .address("It must begin with https://: without TLS others on the way could read and change orders.")
        }
    }

    /// The host: a name, or an address without brackets.
    package var host: String {
        authority.hasPrefix("[")
            ? String(authority.dropFirst().prefix { $0 != "]" }) : String(authority.prefix { $0 != ":" })
    }

    /// The path of the interface, with a slash at its end.
    var interface: String { folder + "/wp-json/wc/v3/" }
}
