public import TillCore
import TillProvider

/// The hosts to which keys and card numbers may be sent: the provider's own hosts over TLS, in test mode stand-ins on
/// this machine, and hosts that the operator has named outside any file (``Setting/providerHosts``).
struct ProviderHosts {
    private let named: Set<String>

    init(_ settings: any SettingValues) {
        named = Set(settings.text(.providerHosts).flatMap { Setting.hosts(parsing: $0) } ?? [])
    }

    /// Refuses a provider configured with a foreign host.
    func check(_ module: some ProviderModule) throws(ForeignProviderHost) {
        for address in module.addresses where !isAllowed(address, of: module) {
            throw ForeignProviderHost(
                provider: type(of: module).title, address: String(address.prefix(200)), mode: module.mode)
        }
    }

    private func isAllowed<Module: ProviderModule>(_ address: String, of module: Module) -> Bool {
        guard let host = ProviderHosts.host(of: address) else { return false }
        if named.contains(host) { return true }
        if module.mode == .test, Loopback.isURL(address) { return true }
        return address.hasPrefix("https://")
            && Module.hosts.contains { $0.hasPrefix(".") ? host.hasSuffix($0) : host == $0 }
    }

    /// Returns the host of a URL without port; IPv6 without brackets.
    static func host(of address: String) -> String? {
        guard let start = address.firstRange(of: "://") else { return nil }
        let authority = address[start.upperBound...].prefix { !"/?#\\".contains($0) }.lowercased()
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }
}

/// The refusal to send a provider's keys to a foreign host. They were not sent.
public struct ForeignProviderHost: ExplainedError, Hashable {
    /// The provider's display name.
    public let provider: String
    public let address: String
    public let mode: PaymentMode

    public var code: String { "foreign_provider_host" }

    public var what: String {
        "\(provider)'s \(mode == .live ? "live" : "test") key is set up to be sent to \(address), which is not "
            + "\(provider)'s "
            + "own address. It was not sent."
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        let host = ProviderHosts.host(of: address) ?? "HOST"
        return "Take the address out of the settings. If you want it so, say it where no file can: "
            + "TILL_PROVIDER_HOSTS=\(host) or --provider-hosts \(host)"
    }
}
