public import TillProvider

extension Setting {
    public static let storeAddress = Setting(
        key: "store_address", option: "--address", kind: .lines, defaultValue: nil,
        about: "The shop's address on receipts.")
    /// The shop's tax number.
    public static let storeTaxID = Setting(
        key: "store_tax_id", option: "--tax-id", kind: .text, defaultValue: nil,
        about: "The shop's tax number, as its law wants it shown.")
    /// The shop's telephone number.
    public static let storePhone = Setting(
        key: "store_phone", option: "--phone", kind: .text, defaultValue: nil, about: "The shop's telephone number.")
    /// Further registration numbers of the shop.
    public static let storeIDs = Setting(
        key: "store_ids", option: "--store-ids", kind: .pairs, defaultValue: nil,
        about: "Further numbers of the shop that a law wants on receipts.")
    /// The shop's merchant number at the acquirer.
    public static let storeMerchantID = Setting(
        key: "store_merchant_id", option: "--merchant-id", kind: .text, defaultValue: nil,
        about: "The shop's merchant number at the acquirer.")
    /// The terminal number.
    public static let storeTerminalID = Setting(
        key: "store_terminal_id", option: "--terminal-id", kind: .text, defaultValue: nil,
        about: "The terminal's number.")
    public static let storeCountry = Setting(
        key: "store_country", option: "--country", kind: .country, defaultValue: "that of the locale",
        about: "The shop's country, for what its schemes demand of receipts.")
    /// The footer of receipts.
    public static let storeClosing = Setting(
        key: "store_closing", option: "--closing", kind: .lines, defaultValue: nil,
        about: "What stands at the foot of receipts: thanks, returns.")
    /// The language of receipts.
    public static let locale = Setting(
        key: "locale", option: "--locale", kind: .locale, defaultValue: "en_US",
        about: "Language and region of receipts.")
    public static let timeZone = Setting(
        key: "time_zone", option: "--time-zone", kind: .timeZone, defaultValue: "GMT",
        about: "The shop's time zone.")
    /// The counter's public address for customers.
    public static let receiptURL = Setting(
        key: "receipt_url", option: "--receipt-url", kind: .webAddress, defaultValue: nil,
        about: "The public address of this counter; receipts then carry a code that leads to them online, and a "
            + "bank's page sends customers back to it.")
    /// The acquirer's receipt fields beyond those of the schemes.
    public static let receiptFields = Setting(
        key: "receipt_fields", option: nil, kind: .text, defaultValue: nil,
        about: "Fields that the shop's acquirer demands on every card receipt, separated by commas.")

    /// The address of the mail server.
    public static let smtpHost = Setting(
        key: "smtp.host", option: nil, kind: .text, defaultValue: nil,
        about: "The mail server that takes receipts; without it none are sent.")
    /// The port of the mail server.
    public static let smtpPort = Setting(
        key: "smtp.port", option: nil, kind: .number(1...65_535), defaultValue: "587, or 465 with tls",
        about: "The mail server's port.")
    /// The security of the connection to the mail server.
    public static let smtpSecurity = Setting(
        key: "smtp.security", option: nil, kind: .choice(["starttls", "tls", "none"]), defaultValue: "starttls",
        about: "starttls, tls from the first byte, or none, which only a mail server on this machine may have.")
    /// The user name at the mail server.
    public static let smtpUser = Setting(
        key: "smtp.user", option: nil, kind: .text, defaultValue: nil, about: "The user name at the mail server.")
    /// The password at the mail server.
    public static let smtpPassword = Setting(
        key: "smtp.password", option: nil, kind: .secret, defaultValue: nil, about: "The password at the mail server.")
    /// The file with the password at the mail server.
    public static let smtpPasswordFile = Setting(
        key: "smtp.password_file", option: nil, kind: .path, defaultValue: nil,
        about: "The file with the password at the mail server.")
    /// The sender of receipts.
    public static let smtpFrom = Setting(
        key: "smtp.from", option: nil, kind: .text, defaultValue: nil, about: "The address that receipts come from.")
    /// The certificate authorities trusted for the mail server.
    public static let smtpAuthority = Setting(
        key: "smtp.authority_file", option: nil, kind: .path, defaultValue: "those of the system",
        about: "A file with the authorities, PEM, that the mail server's certificate may come from.")

    /// The settings of receipts, in display order.
    package static let receipts: [Setting] = [
        .store, .storeAddress, .storePhone, .storeTaxID, .storeIDs, .storeMerchantID, .storeTerminalID, .storeCountry,
        .storeClosing, .locale, .timeZone, .receiptURL, .receiptFields, .smtpHost, .smtpPort, .smtpSecurity, .smtpUser,
        .smtpPassword, .smtpPasswordFile, .smtpFrom, .smtpAuthority,
    ]
}
