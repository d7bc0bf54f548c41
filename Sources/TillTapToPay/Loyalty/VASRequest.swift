public import Foundation

/// Loyalty passes are to be read from a phone's wallet.
///
/// In Apple's interface a class; here a value of the same parts.
public struct VASRequest: Hashable, Sendable {
    public struct Merchant: Identifiable, Hashable, Sendable {
        /// The pass type identifier, such as `pass.com.example.loyalty`. It names the shop, not the member.
        public var id: String
        /// Where a customer without the pass may get it.
        public var url: URL?
        /// What the pass is called on the sheet.
        public var localizedName: String

        public init(id: String, url: URL? = nil, localizedName: String = "") {
            (self.id, self.url, self.localizedName) = (id, url, localizedName)
        }
    }

    /// The passes, in the order in which they are asked for.
    public var vasMerchants: [Merchant]
    /// What the sheet calls them, such as "loyalty card".
    public var localizedVASType: String
    /// The language of the sheet; nil: the device's. iOS 17.
    public var userInterfaceLanguage: String?

    /// The most passes that one request asks for.
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
