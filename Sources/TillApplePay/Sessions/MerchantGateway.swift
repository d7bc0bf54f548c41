/// The complete list of Apple's servers for merchant sessions. A browser names one of them, but its URL is only
/// compared; the request URL is built from the constants here.
public enum MerchantGateway: String, Hashable, Sendable, CaseIterable {
    /// Apple's gateway for all countries but mainland China.
    case production = "apple-pay-gateway.apple.com"
    /// Apple's gateway for mainland China.
    case productionChina = "cn-apple-pay-gateway.apple.com"
    /// Apple's sandbox, for test cards.
    case sandbox = "apple-pay-gateway-cert.apple.com"
    /// Apple's sandbox, mainland China.
    case sandboxChina = "cn-apple-pay-gateway-cert.apple.com"

    /// Returns the gateway named by a browser's validation URL.
    ///
    /// Browsers still send a path that ends in `startSession`; the request goes to `paymentSession`. Anything but the
    /// exact text of one of Apple's URLs is rejected: another scheme, user, port, path, query, case or escape.
    /// - Throws: ``MerchantSessionError/foreignAddress`` or ``MerchantSessionError/otherEnvironment(_:)``. Since
    ///   October 2026 Apple's devices reject sessions of the other environment.
    public init(validationURL: String, environment: WalletEnvironment) throws(MerchantSessionError) {
        let text = Array(validationURL.utf8)
        guard let gateway = MerchantGateway.allCases.first(where: { $0.addresses.contains(text) }) else {
            throw .foreignAddress
        }
        guard gateway.environment == environment else { throw .otherEnvironment(gateway.environment) }
        self = gateway
    }

    /// The environment it serves.
    public var environment: WalletEnvironment {
        switch self {
        case .production, .productionChina: .production
        case .sandbox, .sandboxChina: .sandbox
        }
    }

    /// The request URL for sessions.
    package var sessionURL: String { "https://\(rawValue)" + MerchantGateway.sessionPath }

    /// The request path for a merchant session.
    public static let sessionPath = "/paymentservices/paymentSession"

    private var addresses: Set<[UInt8]> {
        var addresses: Set<[UInt8]> = []
        for port in ["", ":443"] {
            for path in [MerchantGateway.sessionPath, "/paymentservices/startSession"] {
                addresses.insert(Array("https://\(rawValue)\(port)\(path)".utf8))
            }
        }
        return addresses
    }
}
