import Foundation
import TillCore
import TillSandbox

extension BraintreeLedger {
    /// Creates a client token: Base64 of a configuration, as Braintree's. A client token of the stand-in names no
    /// address, because Braintree's script is not for stand-ins.
    func clientToken(_ json: JSONValue) -> JSONValue {
        let account =
            json.at("variables", "input", "clientToken", "merchantAccountId")?.stringValue
            ?? BraintreeLedger.defaultAccount
        guard BraintreeLedger.accounts[account] != nil else {
            return failure("Merchant account ID is invalid.", "VALIDATION", "92810", of: "createClientToken")
        }
        let fingerprint = StableHash.hex("client token \(UInt64.random(in: .min ... .max))")
        let configuration = JSONValue.members([
            "version": .number("2"), "environment": .string("sandbox"),
            "authorizationFingerprint": .string(fingerprint), "merchantAccountId": .string(account),
        ])
        return .members([
            "data": .members([
                "createClientToken": .members([
                    "clientToken": .string(Data(configuration.bytes()).base64EncodedString())
                ])
            ]),
            "extensions": .members(["requestId": .string("sandbox")]),
        ])
    }
}
