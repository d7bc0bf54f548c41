import TillCore
import TillSandbox

extension BraintreeLedger {
    /// The bank's answer about a card, for one amount.
    struct Verification {
        /// In major units, as the script has sent it.
        var amount: String
        var isShifted: Bool
        var isPossible: Bool
        var status: String
    }

    /// Has the bank ask about a card, as Braintree's script does: the nonce is consumed, and another one has the answer
    /// `confirm`, `refuse` or, of a bank that takes no part, `unenrolled`. `nil` if there is no such nonce or answer.
    func verify(_ json: JSONValue) -> JSONValue? {
        guard let id = json["nonce"]?.stringValue, let amount = json["amount"]?.stringValue,
            let answer = json["answer"]?.stringValue, var found = nonces[id], !found.isUsed
        else { return nil }
        let verification: Verification
        switch answer {
        case "confirm":
            verification = Verification(
                amount: amount, isShifted: true, isPossible: true, status: "authenticate_successful")
        case "refuse":
            verification = Verification(
                amount: amount, isShifted: false, isPossible: true, status: "authenticate_failed")
        case "unenrolled":
            verification = Verification(
                amount: amount, isShifted: false, isPossible: false, status: "lookup_not_enrolled")
        default: return nil
        }
        found.isUsed = true
        nonces[id] = found
        found.isUsed = false
        found.verification = verification
        let made = "tokencc_bf_" + StableHash.hex("nonce \(UInt64.random(in: .min ... .max))")
        nonces[made] = found
        return .members([
            "nonce": .string(made), "liabilityShifted": .bool(verification.isShifted),
            "liabilityShiftPossible": .bool(verification.isPossible),
        ])
    }

    /// Returns the document of a nonce that was not used yet.
    func findNonce(_ id: String) -> Answer {
        guard let found = nonces[id], !found.isUsed else { return (404, BraintreeElement("not-found")) }
        var children = [BraintreeElement("type", "CreditCard"), BraintreeElement("nonce", id)]
        if let verification = found.verification {
            children.append(
                BraintreeElement(
                    "three-d-secure-info",
                    of: [
                        BraintreeElement("enrolled", verification.isPossible ? "Y" : "N"),
                        BraintreeElement(
                            "liability-shift-possible", verification.isPossible ? "true" : "false", type: "boolean"),
                        BraintreeElement(
                            "liability-shifted", verification.isShifted ? "true" : "false", type: "boolean"),
                        BraintreeElement("status", verification.status),
                    ]))
        }
        return (200, BraintreeElement("payment-method-nonce", of: children))
    }
}
