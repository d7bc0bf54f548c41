extension Setting {
    /// Where Braintree is.
    public static let braintreeURL = Setting(
        key: "braintree.url", option: "--braintree-url", kind: .text, defaultValue: "Braintree's sandbox",
        about: "Where Braintree's interfaces are; `live` for the real ones.")
    /// The merchant at Braintree.
    public static let braintreeMerchantID = Setting(
        key: "braintree.merchant_id", option: nil, kind: .text, defaultValue: nil,
        about: "The merchant id at Braintree.")
    /// Braintree's public key.
    public static let braintreePublicKey = Setting(
        key: "braintree.public_key", option: nil, kind: .text, defaultValue: nil, about: "Braintree's public key.")
    /// Braintree's private key.
    public static let braintreePrivateKey = Setting(
        key: "braintree.private_key", option: nil, kind: .secret, defaultValue: nil, about: "Braintree's private key.")
    /// The file with Braintree's private key.
    public static let braintreePrivateKeyFile = Setting(
        key: "braintree.private_key_file", option: nil, kind: .path, defaultValue: nil,
        about: "The file with Braintree's private key.")
}
