internal import Foundation
import TillCore

/// The two URLs to which the issuer's challenge page redirects the customer, with a state known only to this attempt.
///
/// ```swift
/// let challenge = ChallengeReturn(
///     base: "https://shop.example/pay", random: (.random(in: .min ... .max), .random(in: .min ... .max)))
/// print(challenge.returnURL, challenge.cancelURL)
/// switch try challenge.read(redirect) {
/// case .finished: print("Query the payment at the provider.")
/// case .canceled: print("Offer another way to pay.")
/// }
/// ```
public struct ChallengeReturn: Hashable, Sendable {
    /// The return URL after the challenge.
    public let returnURL: String
    /// The return URL after the customer canceled.
    public let cancelURL: String
    private let state: String

    /// The meaning of a redirect. It is only a hint: the outcome of the payment is queried at the provider.
    public enum Callback: Hashable, Sendable {
        /// The challenge is finished.
        case finished
        /// The customer canceled.
        case canceled
    }

    /// The reason that a redirect was rejected.
    public enum Fault: Error, Hashable, Sendable {
        /// The URL is a different one.
        case otherAddress
        /// The state is missing or wrong: the redirect belongs to another attempt, or is forged.
        case wrongState
    }

    /// Creates two URLs below a base, such as `https://shop.example/pay` or `shop.example.app://card`.
    /// - Parameter random: 128 unpredictable bits.
    public init(base: String, random: (UInt64, UInt64)) {
        state = String(random.0, radix: 36) + String(random.1, radix: 36)
        let separator = base.hasSuffix("/") ? "" : "/"
        returnURL = "\(base)\(separator)success?state=\(state)"
        cancelURL = "\(base)\(separator)cancel?state=\(state)"
    }

    /// Parses the URL to which the customer was redirected.
    /// - Throws: ``Fault``.
    public func read(_ callback: String) throws(Fault) -> Callback {
        guard callback.utf8.count <= 4000, let theirs = URLComponents(string: callback) else { throw .otherAddress }
        for (address, meaning) in [(returnURL, Callback.finished), (cancelURL, .canceled)] {
            guard let ours = URLComponents(string: address) else { continue }
            guard theirs.scheme?.lowercased() == ours.scheme?.lowercased(),
                theirs.host?.lowercased() == ours.host?.lowercased(), theirs.port == ours.port,
                theirs.path == ours.path, theirs.user == nil
            else { continue }
            let states = (theirs.queryItems ?? []).filter { $0.name == "state" }
            guard states.count == 1, let given = states.first?.value, equalInConstantTime(given.utf8, state.utf8) else {
                throw .wrongState
            }
            return meaning
        }
        throw .otherAddress
    }
}
