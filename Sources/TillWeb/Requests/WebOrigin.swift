import TillCore

/// Origins of pages, and host names in `Origin` and `Host`.
package enum WebOrigin {
    /// Returns `true` for an origin as browsers write it: scheme, lower-case host and, unless it is the scheme's, port.
    package static func isOrigin(_ text: String) -> Bool {
        guard text.utf8.count <= 253,
            let parts = text.wholeMatch(of: /(https?):\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::([1-9][0-9]{0,4}))?/)
        else { return false }
        guard let port = parts.output.2.flatMap({ Int($0) }) else { return true }
        return port <= 65_535 && port != (parts.output.1 == "https" ? 443 : 80)
    }

    /// Returns `true` for an origin whose pages arrive over TLS, or from this machine.
    package static func isSafe(_ origin: String) -> Bool {
        guard isOrigin(origin) else { return false }
        guard !origin.hasPrefix("https://") else { return true }
        return Loopback.isHost(hostName(String(origin.dropFirst("http://".count))))
    }

    /// Returns the lower-case host without its port.
    package static func hostName(_ authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("[") { return String(text.prefix { $0 != "]" }) + "]" }
        return String(text.prefix { $0 != ":" })
    }
}
