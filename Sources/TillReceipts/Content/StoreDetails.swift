public import Foundation

/// The seller, shown in the receipt's header.
public struct StoreDetails: Hashable, Sendable {
    /// An identifier required on the receipt by law or a public register: SIRET, ABN, company number.
    public struct Identifier: Hashable, Sendable {
        /// The local name of the identifier, such as "SIRET".
        public let name: ReceiptText
        /// The number as the authority formats it.
        public let value: ReceiptText

        /// Creates an identifier; its value is opaque and not scanned for card numbers.
        public init(name: String, value: String) {
            self.name = ReceiptText(name)
            self.value = ReceiptText(verbatim: value)
        }
    }

    /// The trading name; the receipt's heading.
    public var name: ReceiptText
    /// The address, one line per element.
    public var address: [ReceiptText]
    /// The tax number, in the legally required form.
    public var taxID: ReceiptText?
    /// The telephone number, in the shop's format.
    public var phone: ReceiptText?
    /// Further legally required identifiers, in this order.
    public var identifiers: [Identifier] = []
    /// The merchant ID at the acquirer (MID).
    public var merchantID: ReceiptText?
    /// The terminal ID (TID).
    public var terminalID: ReceiptText?
    /// The country as ISO 3166-1 alpha-2, for regional rules; `nil` if not reported.
    public var region: String?
    /// The logo above the name, one bit per dot.
    public var logo: MonochromeImage?
    /// Closing sentences: thanks, return policy.
    public var closing: [ReceiptText] = []
    /// Fields required by the shop's acquirer on every card receipt, beyond ``ReceiptRequirement/all``.
    public var required: [ReceiptField] = []
    /// The time zone of dates and times.
    public var timeZone: TimeZone

    /// Creates the details from the shop's own text; line breaks in `address` separate its lines, of which eight are
    /// kept.
    public init(
        name: String, address: String? = nil, taxID: String? = nil, timeZone: TimeZone = .gmt, phone: String? = nil,
        merchantID: String? = nil, terminalID: String? = nil, region: String? = nil
    ) {
        self.name = ReceiptText(name)
        self.address = (address ?? "").split(whereSeparator: \.isNewline).prefix(8)
            .compactMap { ReceiptText(nonEmpty: String($0)) }
        self.taxID = taxID.map { ReceiptText(verbatim: $0) }.flatMap { $0.plain.isEmpty ? nil : $0 }
        self.timeZone = timeZone
        self.phone = ReceiptText(nonEmpty: phone)
        self.merchantID = merchantID.map { ReceiptText(verbatim: $0) }
        self.terminalID = terminalID.map { ReceiptText(verbatim: $0) }
        self.region = region?.uppercased()
    }
}
