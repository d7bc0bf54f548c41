import TillApplePay
import TillCore
import TillCounter
import TillFeatureApplePay
import TillProvider
import TillWeb

extension ApplePayMount {
    /// Returns the Apple Pay of a counter: a shop by its settings; without settings, on a loopback address and with the
    /// sandbox or a local simulator as provider, the sandbox with its demo shop; otherwise `nil`.
    /// - Parameters:
    ///   - origins: the origins of pages under test. With one, Apple is simulated also beside settings; on a loopback
    ///     address only, never with a live provider.
    ///   - standIn: a stand-in for Apple beside settings; under the same conditions.
    static func serving(
        _ settings: String?, _ counter: Counter, host: String, origins: [String], standIn: AppleStandInArguments,
        statsD: StatsD?
    ) throws -> ApplePayMount? {
        let provider = counter.options.provider
        let tested = try testedOrigins(origins, counter, host)
        let standIn = try rehearsed(standIn, counter, host, isUsable: settings != nil && tested.isEmpty)
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
                    account: counter.options.account, provider: provider, handovers: handovers, standIn: standIn,
                    clock: counter.clock, statsD: statsD,
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
        if let shop { try check(tested, areNotOf: shop) }
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
        try checkSimulation("--apple-pay-origin", counter, host)
        for origin in origins where !WebOrigin.isOrigin(origin) {
            throw CommandError(
                code: "invalid_origin",
                what: "\(origin.prefix(128)) is not the origin of a page. The counter was not started.",
                next: "Write it as the browser does: http://localhost:3000, without a path.")
        }
        return Set(origins)
    }

    /// Checks that no page under test is a page of the shop in production: customers of that page would see a
    /// simulated sheet, and their orders would not be paid.
    private static func check(_ tested: Set<String>, areNotOf shop: ApplePayOptions) throws {
        for origin in tested.sorted() {
            guard let domain = shop.productionDomain(ofOrigin: origin) else { continue }
            throw CommandError(
                code: "production_origin",
                what: "\(origin) is a page of \(domain.domain) in production, by the settings of --apple-pay, and no "
                    + "page under test. The counter was not started.",
                next: "Give --apple-pay-origin the origin of a test page, such as http://localhost:3000.")
        }
    }

    /// Returns the stand-in of a rehearsal; `nil` without one.
    /// - Parameter isUsable: `true` for a counter with settings and without pages under test.
    /// - Throws: ``CommandError`` for a live counter, for one whose provider is not simulated or that others can reach,
    ///   and where the port, the root or the settings are missing; other errors for a root that cannot be read.
    private static func rehearsed(
        _ given: AppleStandInArguments, _ counter: Counter, _ host: String, isUsable: Bool
    ) throws -> AppleStandIn? {
        guard given.isGiven else { return nil }
        try checkSimulation("--apple-pay-stand-in", counter, host)
        guard isUsable, let port = given.port, port > 0, let root = given.root else {
            throw CommandError(
                code: "stand_in_incomplete",
                what: "A stand-in for Apple needs --apple-pay with settings, --apple-pay-stand-in with its port and "
                    + "--apple-pay-root with its root certificate, and no --apple-pay-origin. The counter was not "
                    + "started.",
                next: "Give all three, or leave out the stand-in.")
        }
        let file = try TrustedFile.read(root, "root certificate of Apple's stand-in", limit: InputFile.maximumBytes)
        let standIn = try AppleStandIn(port: Int(port), root: file)
        Output.note("Apple is a stand-in on port \(port): this is a rehearsal, and no card is charged.")
        return standIn
    }

    /// Checks that nobody but this machine reaches a counter that simulates Apple, and that it moves no money.
    private static func checkSimulation(_ option: String, _ counter: Counter, _ host: String) throws {
        guard Loopback.isHost(host) else {
            throw CommandError(
                code: "simulator_in_public",
                what: "\(option) simulates Apple on this machine alone, and \(host) is heard by others. The counter "
                    + "was not started.",
                next: "Leave the option out, or listen on 127.0.0.1.")
        }
        guard counter.demoOpening != nil else {
            throw CommandError(
                code: "simulator_with_live_provider",
                what: "\(option) simulates Apple, and this counter's provider is not simulated. It was not started.",
                next: "Leave the option out, or use the sandbox or a provider's stand-in on this machine.")
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
