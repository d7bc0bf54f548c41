public import Foundation

/// Who sells: what stands at the head of a receipt.
public struct StoreDetails: Hashable, Sendable {
    /// A number that a law or a register wants on the receipt: SIRET, ABN, company number.
    public struct Identifier: Hashable, Sendable {
        /// What the number is called where the shop is, such as "SIRET".
        public let name: ReceiptText
        /// The number as the authority writes it.
        public let value: ReceiptText

        /// An identifier; opaque, so it is not scanned for card numbers.
        public init(name: String, value: String) {
            self.name = ReceiptText(name)
            self.value = ReceiptText(verbatim: value)
        }
    }

    /// The name under which the shop trades; the receipt's heading.
    public var name: ReceiptText
    /// The address, one line an element.
    public var address: [ReceiptText]
    /// The tax number, as the law of the place wants it shown.
    public var taxID: ReceiptText?
    /// The telephone number, as the shop writes it.
    public var phone: ReceiptText?
    /// Numbers that the law of the place asks for beside the tax number, in this order.
    public var identifiers: [Identifier] = []
    /// The number under which the acquirer knows the shop: MID.
    public var merchantID: ReceiptText?
    /// The number of the terminal: TID.
    public var terminalID: ReceiptText?
    /// The country as ISO 3166-1 alpha-2, for the rules of a region; `nil` if not reported.
    public var region: String?
    /// A picture over the name, one bit a dot.
    public var logo: MonochromeImage?
    /// Sentences at the foot: thanks, returns.
    public var closing: [ReceiptText] = []
    /// Fields that the shop's acquirer demands on every card receipt, beyond ``ReceiptRequirement/all``.
    public var required: [ReceiptField] = []
    /// The zone in which dates and times are shown.
    public var timeZone: TimeZone

    /// Takes the shop's own words; line breaks in `address` part its lines, of which eight are kept.
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
