extension Setting {
    /// Where Adyen is.
    public static let adyenURL = Setting(
        key: "adyen.url", option: "--adyen-url", kind: .text, defaultValue: "Adyen's test system",
        about: "Where Adyen's checkout interface is, without its version.")
    /// The merchant account at Adyen.
    public static let adyenMerchantAccount = Setting(
        key: "adyen.merchant_account", option: nil, kind: .text, defaultValue: nil,
        about: "The merchant account at Adyen.")
    /// Adyen's key.
    public static let adyenKey = Setting(
        key: "adyen.key", option: nil, kind: .secret, defaultValue: nil, about: "Adyen's API key.")
    /// The file with Adyen's key.
    public static let adyenKeyFile = Setting(
        key: "adyen.key_file", option: nil, kind: .path, defaultValue: nil, about: "The file with Adyen's API key.")
    /// The HMAC key of Adyen's webhook.
    public static let adyenHMACKey = Setting(
        key: "adyen.hmac_key", option: nil, kind: .secret, defaultValue: nil,
        about: "The HMAC key of Adyen's webhook in hexadecimal; two with a comma while it is changed.")
    /// The file with the HMAC key.
    public static let adyenHMACKeyFile = Setting(
        key: "adyen.hmac_key_file", option: nil, kind: .path, defaultValue: nil,
        about: "The file with the HMAC key of Adyen's webhook.")
    /// Where customers come back to.
    public static let adyenReturnURL = Setting(
        key: "adyen.return_url", option: nil, kind: .text, defaultValue: nil,
        about: "Where a customer who was sent to the bank comes back to.")
    /// A terminal of Adyen's.
    public static let adyenTerminal = Setting(
        key: "adyen.terminal", option: "--terminal", kind: .text, defaultValue: nil,
        about: "A terminal of Adyen's on the local network: its name and address, V400m-123456789@192.168.1.20:8443.")
    /// The passphrase that terminal and till share.
    public static let adyenTerminalPassphrase = Setting(
        key: "adyen.terminal_passphrase", option: nil, kind: .secret, defaultValue: nil,
        about: "The passphrase of the key that terminal and till share.")
    /// The file with the passphrase.
    public static let adyenTerminalPassphraseFile = Setting(
        key: "adyen.terminal_passphrase_file", option: nil, kind: .path, defaultValue: nil,
        about: "The file with the passphrase of the terminal's key.")
    /// The name of the shared key.
    public static let adyenTerminalKey = Setting(
        key: "adyen.terminal_key", option: nil, kind: .text, defaultValue: nil,
        about: "The name and version of the terminal's key, mykey:1.")
    /// What the terminal's certificate is checked with.
    public static let adyenTerminalRoot = Setting(
        key: "adyen.terminal_root", option: nil, kind: .path, defaultValue: nil,
        about: "Adyen's root certificate for terminals, PEM. Without it the system's roots hold, and the name counts.")
}
