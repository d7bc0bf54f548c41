/// The card networks of Apple Pay on the web.
enum ApplePayNetwork {
    /// The names that Apple lists for `supportedNetworks`. A browser takes them in any case, an app as they are here.
    static let names: Set<String> = [
        "amex", "bancomat", "bancontact", "cartesBancaires", "chinaUnionPay", "dankort", "discover", "eftpos",
        "electron", "elo", "girocard", "interac", "jcb", "mada", "maestro", "masterCard", "mir", "privateLabel", "visa",
        "vPay",
    ]
}
