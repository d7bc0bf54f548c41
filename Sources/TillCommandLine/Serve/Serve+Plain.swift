/// The arguments of a counter, read without the parser. It finds the options of a command by reflection and asks
/// for each of their types what it conforms to, and each question goes through all conformances of the program.
extension Serve {
    /// Reads a command line of options with values, and of flags.
    /// - Parameter arguments: Those after the name of the command.
    /// - Returns: `nil` for anything else, such as an unknown option, one without its value or given twice, an operand,
    ///   help: the parser reads it, or says what is wrong.
    init?(plain arguments: [String]) {
        guard var given = PlainArguments(arguments) else { return nil }
        var common = CommonOptions()
        common.journal = given.take("--journal")
        common.json = given.takeFlag("--json")
        common.account = given.take("--account")
        common.config = given.take("--config")
        var provider = ProviderOptions()
        provider.provider = given.take("--provider")
        provider.providerHosts = given.take("--provider-hosts")
        provider.sandboxLatency = given.take("--sandbox-latency")
        provider.carried = given.takeAll("--" + ProviderArguments.carrier)
        var appleStandIn = AppleStandInArguments()
        let standIn = given.take("--apple-pay-stand-in")
        appleStandIn.port = standIn.flatMap { UInt16($0) }
        guard (standIn == nil) == (appleStandIn.port == nil) else { return nil }
        appleStandIn.root = given.take("--apple-pay-root")
        var listening = ListeningArguments()
        listening.publicListen = given.take("--public-listen")
        listening.trustedProxies = given.take("--trusted-proxies")
        listening.tlsCertificate = given.take("--tls-certificate")
        listening.tlsKey = given.take("--tls-key")
        listening.allowPlainHttp = given.takeFlag("--allow-plain-http")
        self.init()
        self.common = common
        self.provider = provider
        self.appleStandIn = appleStandIn
        self.listening = listening
        store = StoreOptions(taking: &given)
        host = given.take("--host")
        port = given.take("--port")
        apiKey = given.take("--api-key")
        applePay = given.take("--apple-pay")
        applePayOrigins = given.takeAll("--apple-pay-origin")
        copyTo = given.take("--copy-to")
        guard given.isEmpty else { return nil }
    }
}

extension StoreOptions {
    fileprivate init(taking given: inout PlainArguments) {
        self.init()
        store = given.take("--store")
        address = given.take("--address")
        taxID = given.take("--tax-id")
        phone = given.take("--phone")
        storeIDs = given.take("--store-ids")
        merchantID = given.take("--merchant-id")
        terminalID = given.take("--terminal-id")
        country = given.take("--country")
        closing = given.take("--closing")
        locale = given.take("--locale")
        timeZone = given.take("--time-zone")
        receiptURL = given.take("--receipt-url")
    }
}

/// The options of a command line, until they are taken.
private struct PlainArguments {
    private static let flags: Set<String> = ["--json", "--allow-plain-http"]
    private static let repeatable: Set<String> = ["--apple-pay-origin", "--" + ProviderArguments.carrier]

    /// The values by name; those of a flag are empty.
    private var values: [String: [String]] = [:]

    /// - Returns: `nil` for what only the parser can read.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { return nil }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            guard values[name] == nil || PlainArguments.repeatable.contains(name) else { return nil }
            if PlainArguments.flags.contains(name) {
                guard parts.count == 1 else { return nil }
                values[name] = []
            } else if parts.count == 2 {
                guard !parts[1].isEmpty else { return nil }
                values[name, default: []].append(parts[1])
            } else {
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
                values[name, default: []].append(value)
            }
        }
    }

    /// `true` once everything was taken.
    var isEmpty: Bool { values.isEmpty }

    mutating func take(_ name: String) -> String? { values.removeValue(forKey: name)?.first }
    mutating func takeAll(_ name: String) -> [String] { values.removeValue(forKey: name) ?? [] }
    mutating func takeFlag(_ name: String) -> Bool { values.removeValue(forKey: name) != nil }
}
