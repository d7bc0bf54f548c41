import TillApplePay
import TillCore
import TillCounter
import TillFeatureApplePay
import TillProvider
import TillWeb

extension ApplePayMount {
    /// Returns the Apple Pay of a counter: a shop by its settings; without settings, on a loopback address and with the
    /// sandbox or a local simulator as provider, the sandbox with its demo shop; otherwise `nil`.
    /// - Parameter origins: the origins of pages under test. With one, Apple is simulated also beside settings; on a
    ///   loopback address only, never with a live provider.
    static func serving(
        _ settings: String?, _ counter: Counter, host: String, origins: [String], statsD: StatsD?
    ) throws -> ApplePayMount? {
        let provider = counter.options.provider
        let tested = try testedOrigins(origins, counter, host)
        if let settings, tested.isEmpty {
            let options = try ApplePaySettings.read(settings).options()
            let hasKeys = options.opening == .provider || !options.keys.all.isEmpty
            if !hasKeys || options.domains.contains(where: \.identities.isEmpty) {
                Output.note("Apple Pay is off because certificates are missing; till applepay doctor lists them.")
            }
            for domain in options.domains where domain.isEnabled && domain.lacksAssociation {
                Output.note(
                    "Apple Pay is off on pages of \(domain.domain): its association file is empty or cannot be read. "
                        + "Apps can pay.")
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
                    contactRetention: counter.options.contactRetention ?? CounterOptions.usualContactRetention,
                    reload: {
                        do { return try ApplePaySettings.read(settings).options() } catch {
                            Output.note(
                                "Apple Pay keeps its earlier settings, those in \(settings) are not taken: \(error)")
                            return nil
                        }
                    }, note: { Output.note($0) }))
        }
        guard Loopback.isHost(host), let opening = counter.demoOpening else { return nil }
        let shop = try settings.map { try ApplePaySettings.read($0).options() }
        return ApplePayMount {
            try .sandbox(
                checkout: counter.checkout, journal: counter.journal, account: counter.options.account,
                provider: provider, opening: opening, origins: tested, settings: shop, clock: counter.clock,
                statsD: statsD)
        }
    }

    /// Returns the origins of pages under test.
    /// - Throws: ``CommandError`` for a live counter, for one whose provider is not simulated or that others can reach,
    ///   and for a text that is no origin.
    private static func testedOrigins(
        _ origins: [String], _ counter: Counter, _ host: String
    ) throws -> Set<String> {
        guard !origins.isEmpty else { return [] }
        guard Loopback.isHost(host) else {
            throw CommandError(
                code: "simulator_in_public",
                what: "--apple-pay-origin simulates Apple on this machine alone, and \(host) is heard by others. The "
                    + "counter was not started.",
                next: "Leave the option out, or listen on 127.0.0.1.")
        }
        guard counter.demoOpening != nil else {
            throw CommandError(
                code: "simulator_with_live_provider",
                what: "--apple-pay-origin simulates Apple, and this counter's provider is not simulated. It was not "
                    + "started.",
                next: "Leave the option out, or use the sandbox or a provider's stand-in on this machine.")
        }
        for origin in origins where !WebOrigin.isOrigin(origin) {
            throw CommandError(
                code: "invalid_origin",
                what: "\(origin.prefix(128)) is not the origin of a page. The counter was not started.",
                next: "Write it as the browser does: http://localhost:3000, without a path.")
        }
        return Set(origins)
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
