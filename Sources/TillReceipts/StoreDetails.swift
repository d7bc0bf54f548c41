public import Foundation

/// Who sells: what stands at the head of a receipt.
public struct StoreDetails: Hashable, Sendable {
    /// The shop's name.
    public let name: ReceiptText
    /// The address, one line an element.
    public let address: [ReceiptText]
    /// The tax number, as the law of the place wants it shown.
    public let taxID: ReceiptText?
    /// The zone in which dates and times are shown.
    public let timeZone: TimeZone

    /// Takes the shop's own words; line breaks in `address` part its lines.
    public init(name: String, address: String? = nil, taxID: String? = nil, timeZone: TimeZone = .gmt) {
        self.name = ReceiptText(name)
        self.address = (address ?? "").split(whereSeparator: \.isNewline).prefix(8)
            .compactMap { ReceiptText(nonEmpty: String($0)) }
        self.taxID = ReceiptText(nonEmpty: taxID)
        self.timeZone = timeZone
    }
}
