import ArgumentParser
import Foundation
import TillCore
import TillServer

/// How PayPal is reached.
struct CardProviderOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where PayPal's interface is. Also TILL_PAYPAL_URL; usually PayPal's sandbox.", valueName: "url"))
    var paypalURL: String?

    @Option(name: .long, help: ArgumentHelp("PayPal's client id. Also TILL_PAYPAL_CLIENT_ID.", valueName: "id"))
    var paypalClientID: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "PayPal's secret. Better: TILL_PAYPAL_SECRET or TILL_PAYPAL_SECRET_FILE, which other users cannot see.",
            valueName: "secret"))
    var paypalSecret: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where Braintree's interfaces are, or live. Also TILL_BRAINTREE_URL; usually Braintree's sandbox.",
            valueName: "url"))
    var braintreeURL: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where Adyen's checkout interface is. Also TILL_ADYEN_URL; usually Adyen's test system.", valueName: "url"))
    var adyenURL: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A terminal of Adyen's on the local network, as V400m-123456789@192.168.1.20:8443. Also "
                + "TILL_ADYEN_TERMINAL.", valueName: "name@host"))
    var terminal: String?
}

extension AdyenTerminalOptions {
    /// The terminal as the settings have it; `nil` if there is none.
    /// - Throws: ``SettingsError`` for one that cannot be used.
    init?(_ settings: Settings) throws(SettingsError) {
        guard let text = settings.text(.adyenTerminal) else { return nil }
        guard
            let options = AdyenTerminalOptions(
                text, passphrase: settings.secret(.adyenTerminalPassphrase), key: settings.text(.adyenTerminalKey),
                root: settings.text(.adyenTerminalRoot))
        else {
            throw .wrongValue(
                place: "The terminal",
                reason: "must be a name and an address, V400m-123456789@192.168.1.20:8443, with its key as mykey:1")
        }
        self = options
    }
}

extension AdyenOptions {
    /// Adyen as the settings have it; `nil` if it is not configured. A stand-in on this machine takes any key.
    init?(_ settings: Settings, isChosen: Bool) {
        let url = settings.text(.adyenURL)
        let defaultValue = isChosen && Loopback.isURL(url ?? "") ? "local" : nil
        guard let account = settings.text(.adyenMerchantAccount) ?? defaultValue,
            let key = settings.secret(.adyenKey) ?? defaultValue.map({ Secret($0) })
        else { return nil }
        let keys = (settings.secret(.adyenHMACKey)?.reveal() ?? "").split(separator: ",").prefix(2)
            .map { Secret($0.trimmingCharacters(in: .whitespaces)) }
        self.init(
            merchantAccount: account, key: key, url: url, webhookKeys: keys,
            returnURL: settings.text(.adyenReturnURL))
    }
}

extension BraintreeOptions {
    /// Braintree as the settings have it; `nil` if it is not configured.
    init?(_ settings: Settings, isChosen: Bool) {
        let url = settings.text(.braintreeURL)
        let defaultValue = isChosen && Loopback.isURL(url ?? "") ? "local" : nil
        guard let merchant = settings.text(.braintreeMerchantID) ?? defaultValue,
            let publicKey = settings.text(.braintreePublicKey) ?? defaultValue,
            let privateKey = settings.secret(.braintreePrivateKey) ?? defaultValue.map({ Secret($0) })
        else { return nil }
        self.init(merchantID: merchant, publicKey: publicKey, privateKey: privateKey, url: url)
    }
}

extension PayPalOptions {
    /// PayPal as the settings have it; `nil` if it is not configured. A stand-in on this machine takes any client, so
    /// none need be typed.
    init?(_ settings: Settings, isChosen: Bool) {
        let url = settings.text(.payPalURL) ?? "https://api-m.sandbox.paypal.com"
        let defaultValue = isChosen && Loopback.isURL(url) ? "local" : nil
        guard let client = settings.text(.payPalClientID) ?? defaultValue,
            let secret = settings.secret(.payPalSecret) ?? defaultValue.map({ Secret($0) })
        else { return nil }
        self.init(clientID: client, secret: secret, url: url, webhookID: settings.text(.payPalWebhookID))
    }
}
