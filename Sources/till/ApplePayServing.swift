import TillApplePay
import TillCore
import TillServer

extension ApplePayWeb {
    /// What a counter serves of Apple Pay: a shop by its settings; without settings, on a loopback address with the
    /// sandbox as provider, the sandbox and its demo shop; otherwise nothing.
    static func serving(
        _ settings: String?, _ counter: Counter, host: String
    ) throws -> ApplePayWeb? {
        let provider = counter.options.provider
        if let settings {
            let options = try ApplePaySettings.read(settings).options()
            if options.keys.all.isEmpty || options.domains.contains(where: \.identities.isEmpty) {
                Output.note("Apple Pay is off for want of certificates; till applepay doctor says which.")
            }
            return try ApplePayWeb(
                options: options, checkout: counter.checkout, journal: counter.journal, provider: provider,
                reload: { try? ApplePaySettings.read(settings).options() })
        }
        guard provider == .sandbox, Loopback.isHost(host) else { return nil }
        return try .sandbox(checkout: counter.checkout, journal: counter.journal, provider: provider)
    }
}
