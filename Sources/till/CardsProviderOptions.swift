import ArgumentParser
import TillCore
import TillServer

/// How PayPal is reached.
struct CardProviderOptions: ParsableArguments {
    @Option(name: .long, help: "Where PayPal's interface is. Also TILL_PAYPAL_URL; without it PayPal's sandbox.")
    var paypalURL: String?

    @Option(name: .long, help: "PayPal's client id. Also TILL_PAYPAL_CLIENT_ID.")
    var paypalClientID: String?

    @Option(name: .long, help: "PayPal's secret. Better: TILL_PAYPAL_SECRET, which other users can not see.")
    var paypalSecret: String?

    /// Puts it into the counter's options. A stand-in on this machine takes any client, so none need be typed.
    func apply(to options: inout CounterOptions, chosen: ProviderName) {
        let url = paypalURL ?? CommonOptions.environment("paypal.url") ?? "https://api-m.sandbox.paypal.com"
        let isLocal = ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { url.hasPrefix($0) }
        let isWanted = chosen.rawValue == "paypal" && isLocal
        let client = paypalClientID ?? CommonOptions.environment("paypal.client.id") ?? (isWanted ? "local" : nil)
        let secret = paypalSecret ?? CommonOptions.environment("paypal.secret", isSecret: true)
        guard let client, let secret = secret ?? (isWanted ? "local" : nil) else { return }
        options.payPal = PayPalOptions(
            clientID: client, secret: Secret(secret), url: url,
            webhookID: CommonOptions.environment("paypal.webhook.id"))
    }
}
