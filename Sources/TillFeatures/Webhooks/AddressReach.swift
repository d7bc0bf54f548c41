package import TillCounter

/// The reach of a network address, as far as webhooks are concerned: a shop's URL must not become a way into the
/// counter's network (server-side request forgery).
package enum AddressReach: Hashable, Sendable {
    /// An address of the public Internet.
    case global
    /// An address of the machine or of its network, for endpoints that allow it.
    case inside
    /// An address that is refused always: a cloud's metadata, link-local, multicast, reserved, and forms of IPv6 that
    /// carry another address.
    case refused

    /// Addresses of the machine and its networks: loopback (RFC 1122, 4291), private (RFC 1918), carriers'
    /// (RFC 6598), unique local (RFC 4193).
    private static let insides = networks([
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1", "fc00::/7",
    ])

    /// Addresses of IPv4 that are nobody's on the Internet (IANA's registry of special addresses), and those at which
    /// clouds answer with credentials.
    private static let refusals = networks([
        "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        // Metadata outside of link-local: Alibaba, Azure, Amazon.
        "100.100.100.200", "168.63.129.16", "fd00:ec2::/32",
    ])

    /// The part of IPv6 that is given out.
    private static let globals = networks(["2000::/3"])
    /// Parts of it that carry an address of IPv4 or are for documents: Teredo and other protocols, 6to4.
    private static let globalRefusals = networks(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

    private static func networks(_ texts: [String]) -> [NetworkRange] { texts.compactMap { NetworkRange($0) } }

    /// Determines the reach of an address. An IPv4 address within IPv6 (`::ffff:…`) is that IPv4 address.
    package init(_ address: ClientAddress) {
        func isIn(_ ranges: [NetworkRange]) -> Bool { ranges.contains { $0.contains(address) } }
        if isIn(AddressReach.refusals) {
            self = .refused
        } else if isIn(AddressReach.insides) {
            self = .inside
        } else if AddressReach.isIPv4(address) {
            self = .global
        } else {
            // Of IPv6 only what is listed: NAT64, IPv4-compatible, link-local, site-local and multicast are not.
            self = isIn(AddressReach.globals) && !isIn(AddressReach.globalRefusals) ? .global : .refused
        }
    }

    /// Returns `true` if an endpoint may be reached at this address.
    package func isAllowed(private allowsPrivate: Bool) -> Bool {
        switch self {
        case .global: true
        case .inside: allowsPrivate
        case .refused: false
        }
    }

    private static func isIPv4(_ address: ClientAddress) -> Bool { address.high == 0 && address.low >> 32 == 0xFFFF }
}
