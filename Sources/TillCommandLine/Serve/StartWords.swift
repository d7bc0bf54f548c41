import TillCore
import TillCounter
import TillProvider
import TillWeb

/// The startup message of `till serve`: addresses, mode, journal and providers.
struct StartWords: Sendable {
    private let mode: PaymentMode
    private let journal: String
    /// The providers of electronic payments; excludes cash.
    private let providers: [String]
    private let options: ServerOptions
    private let hasShop: Bool
    /// What card receipts lack of the shop's details; `nil` if nothing, or in test mode.
    private let gap: String?

    init(_ counter: Counter, _ options: ServerOptions, hasShop: Bool) {
        mode = counter.mode
        journal = counter.options.journal
        providers = counter.modules.map { type(of: $0).title }
        self.options = options
        self.hasShop = hasShop
        gap = counter.mode == .live ? counter.options.receipts.gap : nil
    }

    private func url(_ port: Int) -> String {
        ListenAddress(host: options.host, port: port).url(isSecure: options.tls != nil, port: port)
    }

    private func publicURL(_ port: Int?) -> String? {
        guard let port, let address = options.publicAddress else { return nil }
        return address.url(isSecure: options.tls != nil, port: port)
    }

    /// Returns the message for programs, as one line.
    /// - Parameter start: the single-use sign-in address.
    func json(_ port: Int, _ forPublic: Int?, start: String? = nil) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("url", url(port))
        if let start { writer.field("start_url", start) }
        if let url = publicURL(forPublic) { writer.field("public_url", url) }
        writer.field("mode", mode.rawValue)
        writer.field("tls", options.tls != nil)
        writer.key("providers")
        writer.beginArray()
        for provider in providers { writer.string(provider) }
        writer.endArray()
        writer.endObject()
        return writer.text
    }

    /// Returns the message for display, line by line.
    /// - Parameter start: the single-use sign-in address.
    func lines(_ port: Int, _ forPublic: Int?, start: String? = nil) -> [String] {
        let url = url(port)
        var lines = ["The counter is open: \(url)"]
        let file = journal == CounterOptions.defaultJournal ? "" : " --journal \(journal)"
        if let start {
            lines.append("Sign in, once and within ten minutes: \(start)")
            lines.append("Another one, later: .build/debug/till sign-in\(file)")
        }
        if let url = publicURL(forPublic) {
            lines.append("For the public, receipts and webhooks only: \(url)")
        }
        if hasShop { lines.append("A shop that takes Apple Pay, simulated: \(url)/shop") }
        if let exposure { lines.append(exposure) }
        lines.append("Journal: \(journal). \(money)")
        if let gap { lines.append(gap) }
        if mode != .live, options.tls == nil {
            lines += [
                "Try, in another terminal:", "  .build/debug/till sale --amount 12.50 --currency EUR\(file)",
            ]
        }
        return lines + ["Ctrl-C stops it when what is in flight is done."]
    }

    /// The sentence about the protection of network traffic; `nil` without TLS and trusted proxies if only this machine
    /// can connect.
    private var exposure: String? {
        let isFar =
            !ListenAddress(host: options.host, port: options.port).isLoopback
            || options.publicAddress.map { !$0.isLoopback } ?? false
        if options.tls != nil { return "TLS: on, at every listener." }
        if !options.trustedProxies.isEmpty { return "TLS: off; the trusted proxies speak it." }
        return isFar
            ? "TLS: OFF, and others can reach this address: anybody on the network path can read keys and sales." : nil
    }

    private var money: String {
        let named = providers.isEmpty ? "the sandbox" : providers.joined(separator: ", ")
        return mode == .live
            ? "LIVE: real money moves, through \(named)."
            : providers.isEmpty
                ? "TEST: no real money moves; payments go to the sandbox."
                : "TEST: no real money moves; test accounts at \(named), and the sandbox."
    }
}
