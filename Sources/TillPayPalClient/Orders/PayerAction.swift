internal import Foundation
import TillCore

/// A 3-D Secure challenge by the issuer, with the URL to present to the customer.
public struct PayerAction: Hashable, Sendable {
    /// The URL to present to the customer. Always `https`, or a loopback address.
    public let url: String

    /// Creates the action; `nil` if the order contains no usable URL, which is never success.
    init?(_ order: OrderResponse) {
        guard let link = order.links.first(where: { $0.relation == "payer-action" }),
            let url = PayerAction.usable(link.address)
        else { return nil }
        self.url = url
    }

    /// Returns the URL among an error's links.
    static func link(in json: JSONValue?) -> String? {
        OrderLink.all(in: json).first { $0.relation == "payer-action" }.flatMap { usable($0.address) }
    }

    /// Returns the URL among an order's links, regardless of its status.
    package static func link(in order: OrderResponse) -> String? { PayerAction(order)?.url }

    private static func usable(_ text: String) -> String? {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil else {
            return nil
        }
        switch parts.scheme {
        case "https": return text
        case "http": return ["localhost", "127.0.0.1"].contains(host) ? text : nil
        default: return nil
        }
    }
}

/// The result of the issuer's challenge.
public struct AuthenticationResult: Hashable, Sendable {
    /// The liability shift: `POSSIBLE`, `YES`, `NO`, `UNKNOWN`, or an unknown value.
    public let liabilityShift: String?
    /// The authentication status: `Y N U A C R D I`.
    public let status: String?
    /// The enrollment status: `Y N U B`.
    public let enrollment: String?

    init?(_ json: JSONValue) {
        guard json.objectValue != nil else { return nil }
        liabilityShift = PayPalWireText.word(json["liability_shift"])
        status = PayPalWireText.word(json.at("three_d_secure", "authentication_status"))
        enrollment = PayPalWireText.word(json.at("three_d_secure", "enrollment_status"))
    }
}

/// The challenge results that the shop accepts, kept as data so that a shop can be stricter.
public struct LiabilityPolicy: Hashable, Sendable {
    /// The action for a result.
    public enum Verdict: String, Hashable, Sendable {
        /// The money may be captured.
        case proceed
        /// The money may not be captured.
        case refuse
        /// Nothing is captured; the customer may retry once.
        case retry
    }

    /// The verdicts by liability shift; an unlisted value is refused.
    public var verdicts: [String: Verdict]

    /// Creates a policy; a result without a verdict is refused.
    public init(verdicts: [String: Verdict]) { self.verdicts = verdicts }

    /// PayPal's recommendation: proceed if the liability may shift to the issuer, otherwise refuse; unknown may be
    /// retried.
    public static let standard = LiabilityPolicy(
        verdicts: ["POSSIBLE": .proceed, "YES": .proceed, "NO": .refuse, "UNKNOWN": .retry])

    /// Returns the verdict for a result. Without a challenge there is nothing to judge.
    public func verdict(on result: AuthenticationResult?) -> Verdict {
        guard let result else { return .proceed }
        return result.liabilityShift.flatMap { verdicts[$0] } ?? .refuse
    }

    /// Returns the verdict after a challenge: a result that is missing, or has no liability shift, counts as `UNKNOWN`.
    public func verdict(afterChallenge result: AuthenticationResult?) -> Verdict {
        guard let shift = result?.liabilityShift else { return verdicts["UNKNOWN"] ?? .refuse }
        return verdicts[shift] ?? .refuse
    }
}
