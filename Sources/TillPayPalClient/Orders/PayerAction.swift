internal import Foundation
import TillCore

/// A challenge of the card's bank: where the customer goes, and how the return URL is recognized.
public struct PayerAction: Hashable, Sendable {
    /// Where the customer goes. Always `https`, or this machine.
    public let url: String

    /// `nil` if the order names no usable address; that is never a success.
    init?(_ order: OrderResponse) {
        guard let link = order.links.first(where: { $0.relation == "payer-action" }),
            let url = PayerAction.usable(link.address)
        else { return nil }
        self.url = url
    }

    /// The address in an error's links.
    static func link(in json: JSONValue?) -> String? {
        OrderLink.all(in: json).first { $0.relation == "payer-action" }.flatMap { usable($0.address) }
    }

    /// The address in an order's links, whatever its status says.
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

/// What came of the bank's challenge.
public struct AuthenticationResult: Hashable, Sendable {
    /// Who bears a loss: `POSSIBLE`, `YES`, `NO`, `UNKNOWN`, or a new word.
    public let liabilityShift: String?
    /// The challenge: `Y N U A C R D I`.
    public let status: String?
    /// Whether the card takes part: `Y N U B`.
    public let enrollment: String?

    init?(_ json: JSONValue) {
        guard json.objectValue != nil else { return nil }
        liabilityShift = PayPalWireText.word(json["liability_shift"])
        status = PayPalWireText.word(json.at("three_d_secure", "authentication_status"))
        enrollment = PayPalWireText.word(json.at("three_d_secure", "enrollment_status"))
    }
}

/// Which results of a challenge a shop goes on with. Data, so that a shop can be stricter.
public struct LiabilityPolicy: Hashable, Sendable {
    /// What to do with a result.
    public enum Verdict: String, Hashable, Sendable {
        /// The money may be taken.
        case proceed
        /// The money may not be taken.
        case refuse
        /// Take nothing; the customer may try once more.
        case retry
    }

    /// Verdict by liability shift; one that is not listed is refused.
    public var verdicts: [String: Verdict]

    /// A policy by verdicts; a result without one is refused.
    public init(verdicts: [String: Verdict]) { self.verdicts = verdicts }

    /// PayPal's recommendation: go on when the loss may be the bank's, else not; unknown may be tried again.
    public static let standard = LiabilityPolicy(
        verdicts: ["POSSIBLE": .proceed, "YES": .proceed, "NO": .refuse, "UNKNOWN": .retry])

    /// The verdict on a result. Without a challenge there is nothing to judge.
    public func verdict(on result: AuthenticationResult?) -> Verdict {
        guard let result else { return .proceed }
        return result.liabilityShift.flatMap { verdicts[$0] } ?? .refuse
    }

    /// The verdict after a challenge: a result that is missing, or names no liability shift, is judged as `UNKNOWN`.
    public func verdict(afterChallenge result: AuthenticationResult?) -> Verdict {
        guard let shift = result?.liabilityShift else { return verdicts["UNKNOWN"] ?? .refuse }
        return verdicts[shift] ?? .refuse
    }
}
