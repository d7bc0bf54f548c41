public import Foundation

/// A request to read loyalty passes from a phone's wallet.
///
/// A class in Apple's API; here a value with the same fields.
public struct VASRequest: Hashable, Sendable {
    public struct Merchant: Identifiable, Hashable, Sendable {
        /// The pass type identifier, such as `pass.com.example.loyalty`. It identifies the shop, not the member.
        public var id: String
        /// The URL for a customer to obtain the pass.
        public var url: URL?
        /// The name of the pass on the sheet.
        public var localizedName: String

        public init(id: String, url: URL? = nil, localizedName: String = "") {
            (self.id, self.url, self.localizedName) = (id, url, localizedName)
        }
    }

    /// The requested passes, in order.
    public var vasMerchants: [Merchant]
    /// The collective name of the passes on the sheet, such as "loyalty card".
    public var localizedVASType: String
    /// The language of the sheet; nil: the device's. iOS 17.
    public var userInterfaceLanguage: String?

    /// The maximum number of passes in one request.
    public static let mostMerchants = 8

    public init(vasMerchants: [Merchant] = [], localizedVASType: String = "") {
        (self.vasMerchants, self.localizedVASType) = (vasMerchants, localizedVASType)
    }

    func check() throws(PaymentCardReaderSession.ReadError) {
        guard !vasMerchants.isEmpty else { throw .invalidVASMerchants("none is given") }
        guard vasMerchants.count <= VASRequest.mostMerchants else { throw .invalidVASMerchants("too many") }
        guard vasMerchants.allSatisfy({ !$0.id.isEmpty && $0.id.utf8.count <= 256 }) else {
            throw .invalidVASMerchants("an identifier is empty or too long")
        }
        guard Set(vasMerchants.map(\.id)).count == vasMerchants.count else {
            throw .invalidVASMerchants("an identifier comes twice")
        }
        guard vasMerchants.allSatisfy({ $0.url.map { $0.scheme == "https" } ?? true }) else {
            throw .invalidVASRequestParameters("an address is not https")
        }
    }
}
