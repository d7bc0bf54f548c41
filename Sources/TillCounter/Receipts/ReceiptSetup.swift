public import Foundation
public import TillCore
public import TillJournal
public import TillMail
import TillProvider
public import TillReceipts

/// The shop's receipt settings: header and footer, language, delivery.
public struct ReceiptSetup: Sendable {
    public var store = StoreDetails(name: "Till")
    /// The locale of text, amounts and dates.
    public var locale = Locale(identifier: "en_US")
    /// The counter's public URL without a trailing slash; if set, receipts carry a code.
    public var url: String?
    /// The mail settings; `nil` disables e-mail.
    public var mail: Mail?

    /// The mail settings.
    public struct Mail: Sendable {
        public var server: SMTPServer
        /// The sender address.
        public var from: EmailAddress

        /// Creates mail settings.
        public init(server: SMTPServer, from: EmailAddress) {
            self.server = server
            self.from = from
        }
    }

    /// Creates the defaults.
    public init() {}

    /// Creates the setup from settings. Values are validated already, except for those that depend on each other.
    /// - Throws: ``SettingsError``
    public init(_ settings: Settings) throws(SettingsError) {
        if let name = settings.text(.locale) { locale = Locale(identifier: name) }
        store = StoreDetails(
            name: settings.text(.store) ?? "Till",
            address: settings.text(.storeAddress).map(Setting.lines(parsing:)), taxID: settings.text(.storeTaxID),
            timeZone: settings.text(.timeZone).flatMap(TimeZone.init(identifier:)) ?? .gmt,
            phone: settings.text(.storePhone), merchantID: settings.text(.storeMerchantID),
            terminalID: settings.text(.storeTerminalID),
            region: settings.text(.storeCountry) ?? locale.region?.identifier)
        store.identifiers = (settings.text(.storeIDs).flatMap(Setting.pairs(parsing:)) ?? []).map {
            .init(name: $0.name, value: $0.value)
        }
        store.closing = Setting.lines(parsing: settings.text(.storeClosing) ?? "")
            .split(whereSeparator: \.isNewline).prefix(8).map { ReceiptText(String($0)) }
        store.required = try ReceiptSetup.fields(settings.text(.receiptFields) ?? "")
        url = settings.text(.receiptURL).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        mail = try ReceiptSetup.mail(settings)
    }

    /// What card receipts lack of the shop's details, and how to set it, as sentences for the shop; `nil` if nothing. A
    /// customer's copy shows no gap there.
    package var gap: String? {
        let missing = store.missingFields
        guard !missing.isEmpty else { return nil }
        let variables = missing.compactMap { ReceiptSetup.setting(of: $0)?.variable }
        return "Card receipts lack what card schemes or the acquirer require of the shop: "
            + missing.map(\.rawValue).joined(separator: ", ") + ". Set \(variables.joined(separator: ", "))."
    }

    private static func setting(of field: ReceiptField) -> Setting? {
        switch field {
        case .storeName: .store
        case .storeAddress: .storeAddress
        case .taxID: .storeTaxID
        case .phone: .storePhone
        case .merchantID: .storeMerchantID
        case .terminalID: .storeTerminalID
        default: nil
        }
    }

    private static func fields(_ text: String) throws(SettingsError) -> [ReceiptField] {
        var fields: [ReceiptField] = []
        for name in text.split(separator: ",") {
            guard let field = ReceiptField(rawValue: name.trimmingCharacters(in: .whitespaces)) else {
                let known = ReceiptField.allCases.map(\.rawValue).joined(separator: ", ")
                throw .wrongValue(
                    place: Setting.receiptFields.variable, reason: "names “\(name.prefix(40))”; there are \(known)")
            }
            fields.append(field)
        }
        return fields
    }

    private static func mail(_ settings: Settings) throws(SettingsError) -> Mail? {
        guard let host = settings.text(.smtpHost) else { return nil }
        guard let from = settings.text(.smtpFrom).flatMap(EmailAddress.init) else {
            throw .wrongValue(place: "smtp.from", reason: "must be an e-mail address, since smtp.host is set")
        }
        let security = settings.text(.smtpSecurity).flatMap(SMTPServer.Security.init(rawValue:)) ?? .startTLS
        guard security != .none || Loopback.isHost(host) else {
            throw .wrongValue(
                place: "smtp.security", reason: "is none, which only a mail server on this machine may have")
        }
        return Mail(
            server: SMTPServer(
                host: host, port: settings.number(.smtpPort), security: security, user: settings.text(.smtpUser),
                password: settings.secret(.smtpPassword), authorityFile: settings.text(.smtpAuthority)),
            from: from)
    }

    /// Returns the receipt of a payment, verified to add up.
    /// - Parameters:
    ///   - refund: The refund for a refund receipt; `nil` for the receipt of the whole payment.
    ///   - links: Signs the online receipt's URL; `nil` for no code.
    /// - Throws: `ReceiptError`
    public func content(
        _ payment: Payment, copy: ReceiptCopy = .customer, refund: RefundID? = nil, links: ReceiptLink? = nil
    ) throws(ReceiptError) -> ReceiptContent {
        var content: ReceiptContent
        if let refund {
            content = try ReceiptContent(refund: refund, of: payment, store: store, locale: locale)
        } else {
            content = ReceiptContent(payment: payment, store: store, locale: locale)
        }
        content.copy = copy
        if let url, let links {
            // Relative to the sale's date, so that every print carries the same code.
            let expires = content.date.adding(ReceiptLink.defaultLifetime)
            content.link = CodeText(url + links.path(payment.id, expires: expires))
        }
        try content.check()
        return content
    }

    /// Returns a service that prints these receipts.
    public func printing(
        _ journal: any CounterStore, _ clock: any TillClock, onGap: @escaping @Sendable (String) -> Void = { _ in }
    ) -> ReceiptService {
        let links: ReceiptLink?
        do throws(ReceiptLinkError) {
            links = url == nil ? nil : try ReceiptLink(besideJournal: journal.path)
        } catch {
            // A receipt without its URL is better than none.
            links = nil
            onGap("Receipts are printed without their address online. \(error.what) \(error.next)")
        }
        return ReceiptService(journal: journal, clock: clock) { [self] payment, copy, refund in
            let receipt = try content(payment, copy: copy, refund: refund, links: links)
            if let sentence = receipt.missingFieldsSentence { onGap(sentence) }
            return receipt
        }
    }
}
