import TillApplePay
import TillCore
import TillCounter
import TillFeatureApplePay
import TillProvider

extension ApplePayMount {
    /// Returns the Apple Pay of a counter: a shop by its settings; without settings, on a loopback address and with the
    /// sandbox or a local simulator as provider, the sandbox with its demo shop; otherwise `nil`.
    static func serving(
        _ settings: String?, _ counter: Counter, host: String, statsD: StatsD?
    ) throws -> ApplePayMount? {
        let provider = counter.options.provider
        if let settings {
            let options = try ApplePaySettings.read(settings).options()
            let hasKeys = options.opening == .provider || !options.keys.all.isEmpty
            if !hasKeys || options.domains.contains(where: \.identities.isEmpty) {
                Output.note("Apple Pay is off because certificates are missing; till applepay doctor lists them.")
            }
            let handovers = counter.walletHandovers(of: provider, in: options.environment)
            if !handovers.contains(options.handover) {
                Output.note("Apple Pay is off: the provider \(provider) cannot take its tokens.")
            }
            return ApplePayMount(
                try ApplePayWeb(
                    options: options, checkout: counter.checkout, journal: counter.journal,
                    account: counter.options.account, provider: provider, handovers: handovers, clock: counter.clock,
                    statsD: statsD,
                    reload: {
                        do { return try ApplePaySettings.read(settings).options() } catch {
                            Output.note(
                                "Apple Pay keeps its earlier settings, those in \(settings) are not taken: \(error)")
                            return nil
                        }
                    }))
        }
        guard Loopback.isHost(host), let opening = counter.demoOpening else { return nil }
        return ApplePayMount {
            try .sandbox(
                checkout: counter.checkout, journal: counter.journal, account: counter.options.account,
                provider: provider, opening: opening, clock: counter.clock, statsD: statsD)
        }
    }
}

extension Counter {
    /// The token opening of the demo shop; `nil` without a demo shop, because the provider is not on this machine.
    fileprivate var demoOpening: TokenOpening? {
        // The demo shop's customers and certificate authority are simulated.
        guard mode == .test else { return nil }
        guard options.provider != .sandbox else { return .here }
        return switch module(options.provider)?.standInWallet {
        case .sealed: .provider
        case .opened: .here
        case nil: nil
        }
    }
}
