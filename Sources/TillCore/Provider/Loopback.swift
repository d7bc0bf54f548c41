/// Recognizes this machine's own addresses. Plain HTTP, test credentials and the demo shop are restricted to them.
public enum Loopback {
    private static let hosts = ["localhost", "127.0.0.1", "::1", "[::1]"]

    /// Returns `true` for a loopback host without a port.
    public static func isHost(_ host: String) -> Bool { hosts.contains(host) }

    /// Returns `true` for a loopback host with or without a port, as in a URL; IPv6 in brackets.
    public static func isAuthority(_ authority: some StringProtocol) -> Bool {
        hosts.contains { host in
            guard host != "::1", authority.hasPrefix(host) else { return false }
            let rest = authority.dropFirst(host.count)
            return rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()) != nil)
        }
    }

    /// Returns `true` for a loopback `http` or `https` URL, with or without port and path.
    public static func isURL(_ url: String) -> Bool {
        guard let start = ["http://", "https://"].first(where: { url.hasPrefix($0) }) else { return false }
        return isAuthority(url.dropFirst(start.count).prefix { !"/?#".contains($0) })
    }
}
