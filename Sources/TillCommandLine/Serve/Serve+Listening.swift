import ArgumentParser
import TillCore
import TillCounter
import TillProvider
import TillWeb

/// The listener options of `till serve`.
struct ListeningArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "A second listener, for the public: receipts, webhooks, the shop's pages. Port 0 takes a free one.",
            valueName: "address:port"))
    var publicListen: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Proxies that are trusted about their clients, separated by commas. Also TILL_TRUSTED_PROXIES.",
            valueName: "networks"))
    var trustedProxies: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The counter's certificate chain, PEM. Read again when it changes.",
            valueName: "file"))
    var tlsCertificate: String?
    @Option(name: .long, help: ArgumentHelp("The certificate's key, PEM.", valueName: "file"))
    var tlsKey: String?
    @Flag(
        name: .long,
        help: "Listens beyond this machine without TLS. Anybody on the network path can read keys and sales.")
    var allowPlainHttp = false

    /// The settings of these options.
    var given: [Setting: String?] {
        get throws {
            var given: [Setting: String?] = [
                .trustedProxies: trustedProxies, .tlsCertificate: tlsCertificate, .tlsKey: tlsKey,
            ]
            if allowPlainHttp { given[.allowPlainHTTP] = "on" }
            guard let publicListen else { return given }
            guard let address = ListenAddress(parsing: publicListen) else {
                throw CommandError(
                    code: "invalid_setting",
                    what: "--public-listen is “\(publicListen.prefix(80))” and must be an address and a port, as "
                        + "0.0.0.0:8443 or [::]:8443.", next: "Correct it.")
            }
            given[.publicHost] = address.host
            given[.publicPort] = String(address.port)
            return given
        }
    }
}

extension SessionLimits {
    /// Derives the limits from settings.
    init(_ settings: any SettingValues) {
        self.init()
        if let number = settings.number(.sessionIdle) { idle = .minutes(Int64(number)) }
        if let number = settings.number(.sessionDays) { absolute = .days(Int64(number)) }
        if let number = settings.number(.staffLock) { lock = .minutes(Int64(number)) }
    }
}

extension ServerOptions {
    /// Derives the options from settings.
    init(_ settings: Settings, at now: Timestamp) throws {
        self.init()
        if let text = settings.text(.host) { host = text }
        if let number = settings.number(.port) { port = number }
        if let text = settings.text(.afterSalePoll) { pollsAfterSale = text == "on" }
        if let number = settings.number(.bodyBytes) { maximumBodyBytes = number }
        if let number = settings.number(.streams) { maximumStreams = number }
        sessions = SessionLimits(settings)
        if let number = settings.number(.staffPIN) { pins = PINPolicy(minimumDigits: number) }
        isMetricsOpen = settings.text(.metricsOpen) == "true"
        connectsPrivateShops = settings.text(.privateShops) == "true"
        if let span = settings.span(.guessDelay) { longestGuessDelay = span }
        if let span = settings.span(.headTime) { headTimeout = span }
        if let span = settings.span(.bodyTime) { bodyTimeout = span }
        if let span = settings.span(.idleTime) { idleTimeout = span }
        if let span = settings.span(.unreadTime) { unreadTimeout = span }
        maximumConnections = settings.number(.connections)
        if let number = settings.number(.connectionsPerAddress) { connectionsPerAddress = number }
        connectionsPerNearAddress = settings.number(.connectionsPerProxy)
        allowsPlainHTTP = settings.text(.allowPlainHTTP) == "on"
        if let port = settings.number(.publicPort) {
            publicAddress = ListenAddress(host: settings.text(.publicHost) ?? host, port: port)
        }
        if let text = settings.text(.trustedProxies) {
            guard let ranges = NetworkRange.list(parsing: text) else {
                throw SettingsError.wrongValue(
                    place: Setting.trustedProxies.key,
                    reason: "is “\(text.prefix(80))” and must be addresses or networks, such as 10.0.0.5, fd00::/8")
            }
            trustedProxies = ranges
        }
        if let files = try TLSFiles(settings) { tls = try TLSIdentity(files, at: now) }
    }
}

extension TLSFiles {
    /// Returns the configured files; `nil` if there are none.
    init?(_ settings: Settings) throws(TLSFilesError) {
        let (certificate, key) = (settings.text(.tlsCertificate), settings.text(.tlsKey))
        guard certificate != nil || key != nil else { return nil }
        guard let certificate else { throw .incomplete(missing: Setting.tlsCertificate.key) }
        guard let key else { throw .incomplete(missing: Setting.tlsKey.key) }
        self.init(certificate: certificate, key: key)
    }
}
