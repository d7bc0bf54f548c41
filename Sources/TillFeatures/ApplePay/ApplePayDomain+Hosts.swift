import TillApplePay
import TillCore
import TillWeb

extension WebDomain {
    /// Returns the host of an `https` origin, which is what the address bar of its pages shows, without the port; `nil`
    /// for another scheme.
    static func host(of origin: String) -> String? {
        guard origin.hasPrefix("https://") else { return nil }
        return WebOrigin.hostName(String(origin.dropFirst("https://".count)))
    }

    /// Returns the hosts whose pages offer Apple Pay: the domain itself first, then those of its `https` origins in the
    /// order of their names. Apple verifies each by itself; pages under test on this machine it does not reach.
    static func hosts(of domain: WebDomain, origins: Set<String>) -> [WebDomain] {
        let others = Set(
            origins.filter { WebOrigin.isOrigin($0) }.compactMap { host(of: $0) }
                .filter { !Loopback.isHost($0) }.compactMap { WebDomain($0) })
        return [domain] + others.subtracting([domain]).sorted { $0.name < $1.name }
    }
}

extension ApplePayDomain {
    /// Returns `true` for the domain itself and for the host of one of its `https` origins.
    func hasPages(on host: String) -> Bool {
        host == domain.name || origins.contains { WebDomain.host(of: $0) == host }
    }
}

extension ApplePayOptions {
    /// Returns the domain with pages on a host: the one of that name, otherwise the first with an origin there.
    func domain(withPagesOn host: String) -> ApplePayDomain? {
        domains.first { $0.domain.name == host } ?? domains.first { $0.hasPages(on: host) }
    }

    /// Returns the domain that has pages on an origin's host in production, whatever the origin's scheme and port;
    /// `nil` in Apple's sandbox, and for a host of this machine, which Apple does not reach.
    package func productionDomain(ofOrigin origin: String) -> ApplePayDomain? {
        guard environment == .production else { return nil }
        let host = WebOrigin.hostName(String(origin.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }))
        return Loopback.isHost(host) ? nil : domain(withPagesOn: host)
    }
}
