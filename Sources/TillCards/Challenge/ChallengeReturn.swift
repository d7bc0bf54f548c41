internal import Foundation
import TillCore

/// The two addresses to which the bank's page sends the customer back, with a state that only this attempt knows.
public struct ChallengeReturn: Hashable, Sendable {
    /// Where the customer comes back after the challenge.
    public let returnURL: String
    /// When the customer gave up.
    public let cancelURL: String
    private let state: String

    /// What a return says. It is a hint: what became of the payment is queried at the provider.
    public enum Callback: Hashable, Sendable {
        /// The challenge is over.
        case finished
        /// The customer gave up.
        case canceled
    }

    /// Why a return is not taken.
    public enum Fault: Error, Hashable, Sendable {
        /// It is another address.
        case otherAddress
        /// Its state is missing or another: it belongs to another attempt, or somebody made it up.
        case wrongState
    }

    /// Two addresses below a base, as `https://shop.example/pay` or `shop.example.app://card`.
    /// - Parameter random: 128 bits that nobody can guess.
    public init(base: String, random: (UInt64, UInt64)) {
        state = String(random.0, radix: 36) + String(random.1, radix: 36)
        let separator = base.hasSuffix("/") ? "" : "/"
        returnURL = "\(base)\(separator)success?state=\(state)"
        cancelURL = "\(base)\(separator)cancel?state=\(state)"
    }

    /// Reads the address to which the customer came back.
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
