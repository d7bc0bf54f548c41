public import TillCore

/// Creates sessions for Adyen's SDK on a phone, Adyen's equivalent of a reader's connection token.
///
/// The phone creates a setup token, the shop's server exchanges it here, and the phone continues with the session data.
/// Card data is sent from the phone to Adyen and never reaches the shop.
public struct AdyenTapToPay: Sendable {
    /// The version of the SDK's API.
    public static let version = "v68"
    /// Maximum length of a setup token, in bytes.
    public static let longestToken = 16_384

    private let gateway: AdyenGateway

    public init(config: AdyenConfig, transport: any HTTPTransport) {
        gateway = AdyenGateway(config: config, transport: transport)
    }

    public struct Session: Sendable {
        public let id: String
        public let installationID: String?
        /// The session data for the SDK.
        public let data: Secret<String>
    }

    /// Exchanges a phone's setup token for a session.
    /// - Throws: ``AdyenTapToPayError``. No money is involved.
    public func session(
        setupToken: Secret<String>, store: String?, deadline: Span = .seconds(20)
    ) async throws(AdyenTapToPayError) -> Session {
        guard setupToken.reveal().utf8.count <= AdyenTapToPay.longestToken else {
            throw .refused("the token is too long")
        }
        let body = JSONValue.adyen([
            "merchantAccount": .string(gateway.config.merchantAccount), "setupToken": .string(setupToken.reveal()),
            "store": store.map { .string($0) },
        ])
        // The SDK's API is beside the Checkout API, with its own path on both systems.
        let path =
            (gateway.config.prefix.isEmpty ? "/checkout" : gateway.config.prefix)
            + "/possdk/\(AdyenTapToPay.version)/sessions"
        switch await gateway.send(path, body, key: nil, within: deadline) {
        case .answered(let document):
            guard let id = document["id"]?.stringValue, let data = document["sdkData"]?.stringValue else {
                throw .unreadable
            }
            return Session(id: id, installationID: document["installationId"]?.stringValue, data: Secret(data))
        case .refused(let status, let document, _):
            throw .refused(
                CardNumberMask.maskedForPeople(
                    ProviderText.cut(document["message"]?.stringValue ?? "HTTP \(status)", atMost: 300))
            )
        case .keyRejected(let reason), .notSent(let reason), .unknown(let reason): throw .unavailable(reason)
        }
    }
}

/// An error for a session that was not created.
public enum AdyenTapToPayError: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(String)
    /// Adyen could not be reached.
    case unavailable(String)
    /// The answer is not a session.
    case unreadable

    /// One sentence for display.
    public var description: String {
        switch self {
        case .refused(let reason): "Adyen refuses this phone a session: \(reason). No money moved."
        case .unavailable(let reason): "Adyen cannot be asked for a session: \(reason). No money moved; try again."
        case .unreadable: "Adyen's answer for the phone cannot be read. No money moved; try again."
        }
    }
}
