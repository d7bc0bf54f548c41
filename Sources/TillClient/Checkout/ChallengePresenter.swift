import Foundation
public import TillCore

/// The page of a bank, which asks its customer to confirm a payment: over TLS, or on the machine itself for a sandbox.
public struct ChallengePage: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of an address.
    public static let maximumBytes = 4_096

    public let address: String

    /// - Returns: `nil` for an address that an app must not open.
    public init?(_ address: String) {
        guard address.utf8.count <= ChallengePage.maximumBytes, let parts = URLComponents(string: address),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil
        else { return nil }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http": guard Loopback.isHost(host) else { return nil }
        default: return nil
        }
        self.address = address
    }

    public var description: String { address }
}

/// The end of a bank's page. It says nothing about the payment: the counter is asked.
public enum ChallengeEnd: Hashable, Sendable {
    /// The bank sent the customer back.
    case returned
    /// The customer closed the page, done with it or not.
    case closed
    /// The page could not be shown.
    case notShown
}

/// Shows a bank's questions to the customer.
public protocol ChallengePresenter: Sendable {
    /// Shows the page, and returns when the customer came back or closed it. Returns soon when its task is canceled,
    /// which ``CounterCheckoutLimits/challenge`` does.
    func present(_ page: ChallengePage) async -> ChallengeEnd

    /// Has Braintree's SDK (its 3-D Secure client, made with the token) ask the card's bank about a nonce of its fields
    /// and the verification's amount, and returns the SDK's new nonce. Returns soon when its task is canceled, which
    /// ``CounterCheckoutLimits/challenge`` does. By default it shows nothing: ``CardVerificationEnd/notShown``.
    func verify(
        _ nonce: Secret<String>, clientToken: Secret<String>, _ verification: CardVerification
    ) async -> CardVerificationEnd
}

extension ChallengePresenter {
    public func verify(
        _ nonce: Secret<String>, clientToken: Secret<String>, _ verification: CardVerification
    ) async -> CardVerificationEnd { .notShown }
}
