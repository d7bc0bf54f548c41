public import TillProvider

extension Setting {
    /// The switch for accepting cards offline.
    public static let offlineMode = Setting(
        key: "offline.mode", option: nil, kind: .choice(["on", "off"]), defaultValue: "on",
        about: "Whether cards may be stored without asking the provider.")
    public static let offlineFolder = Setting(
        key: "offline.folder", option: nil, kind: .path, defaultValue: "beside the journal",
        about: "The folder of the log of stored cards, and of the device's key.")
    public static let offlineDevice = Setting(
        key: "offline.device", option: nil, kind: .text, defaultValue: "till",
        about: "What this device is called in its log.")
    /// The maximum amount of one stored payment.
    public static let offlinePerPayment = Setting(
        key: "offline.per_payment", option: nil, kind: .text,
        defaultValue: "EUR 50.00, USD 50.00, GBP 50.00, CAD 50.00",
        about: "The most of one stored payment, by currency; other currencies are not taken.")
    public static let offlineTotal = Setting(
        key: "offline.total", option: nil, kind: .text,
        defaultValue: "EUR 500.00, USD 500.00, GBP 500.00, CAD 500.00",
        about: "The most of all stored payments together, by currency.")
    public static let offlineCount = Setting(
        key: "offline.count", option: nil, kind: .number(0...1_000_000), defaultValue: "100",
        about: "How many payments may be stored.")
    /// The maximum number of stored payments of one card.
    public static let offlinePerCard = Setting(
        key: "offline.per_card", option: nil, kind: .number(0...1_000_000), defaultValue: "3",
        about: "How often one card may be stored within offline.per_card_window.")
    /// The window for the limit per card.
    public static let offlinePerCardWindow = Setting(
        key: "offline.per_card_window", option: nil, kind: .span, defaultValue: "60min",
        about: "The time that offline.per_card counts in.")
    /// The maximum age of the last contact with the provider.
    public static let offlineContactAge = Setting(
        key: "offline.contact_age", option: nil, kind: .span, defaultValue: "1440min",
        about: "How long after the last contact with the provider cards may be stored.")
    /// The maximum age of a stored payment.
    public static let offlineItemAge = Setting(
        key: "offline.item_age", option: nil, kind: .span, defaultValue: "1440min",
        about: "How long the provider takes a stored payment, and the oldest may wait when another is added.")
    public static let offlineCountry = Setting(
        key: "offline.country", option: nil, kind: .text, defaultValue: nil,
        about: "The shop's country, such as DE; where cards need a PIN online no tap is stored.")
    public static let sandboxWindow = Setting(
        key: "sandbox.window", option: nil, kind: .number(1...1_000_000), defaultValue: "1000000",
        about: "How many stored payments the sandbox takes in a second.")
    public static let sandboxNetwork = Setting(
        key: "sandbox.network", option: nil, kind: .choice(["on", "off"]), defaultValue: "on",
        about: "Whether the sandbox can be reached; off to test being offline.")

    package static let offline: [Setting] = [
        .offlineMode, .offlineFolder, .offlineDevice, .offlinePerPayment, .offlineTotal, .offlineCount, .offlinePerCard,
        .offlinePerCardWindow, .offlineContactAge, .offlineItemAge, .offlineCountry, .sandboxWindow, .sandboxNetwork,
    ]
}
