/// Whether an address is this machine's own. Plain HTTP, test credentials and the demo shop are for such only.
public enum Loopback {
    private static let hosts = ["localhost", "127.0.0.1", "::1", "[::1]"]

    /// A host without port.
    public static func isHost(_ host: String) -> Bool { hosts.contains(host) }

    /// A host with or without port, as in an address; IPv6 in brackets.
    public static func isAuthority(_ authority: some StringProtocol) -> Bool {
        hosts.contains { host in
            guard host != "::1", authority.hasPrefix(host) else { return false }
            let rest = authority.dropFirst(host.count)
            return rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()) != nil)
        }
    }

    /// An `http` or `https` address, with or without port and path.
    public static func isURL(_ url: String) -> Bool {
        guard let start = ["http://", "https://"].first(where: { url.hasPrefix($0) }) else { return false }
        return isAuthority(url.dropFirst(start.count).prefix { !"/?#".contains($0) })
    }
}
