import TillApplePay
import TillCore
import TillProvider
import TillServer

extension ApplePayMount {
    /// What a counter serves of Apple Pay: a shop by its settings; without settings, on a loopback address with the
    /// sandbox or a stand-in on this machine as provider, the sandbox and its demo shop; otherwise nothing.
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
    /// How the demo shop hands tokens to the provider; `nil` where there is no demo shop, because the provider is
    /// not on this machine.
    fileprivate var demoOpening: TokenOpening? {
        // Its customers and its authority are made up.
        guard mode == .test else { return nil }
        guard options.provider != .sandbox else { return .here }
        return switch module(options.provider)?.standInWallet {
        case .sealed: .provider
        case .opened: .here
        case nil: nil
        }
    }
}
