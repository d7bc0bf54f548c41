package import TillCards
package import TillCore

/// A card as `payment_source` in PayPal's wire format. The security code is included whenever it was entered.
package enum CardSource {
    /// Returns the body member and the values that must never be echoed.
    package static func json(
        _ card: PaymentCard, challenge: ChallengeReturn? = nil, verification: ChallengeCondition? = nil
    ) -> (JSONValue, [Secret<String>]) {
        json(
            number: card.number.reveal(), expiry: card.expiry.wireText, code: card.securityCode?.reveal(),
            holder: card.holder?.reveal(), address: card.billingAddress?.reveal(), challenge: challenge,
            verification: verification)
    }

    /// Returns the engine's card as PayPal's `payment_source.card`.
    package static func json(
        _ card: CardDetails, challenge: ChallengeReturn? = nil, verification: ChallengeCondition? = nil
    ) -> (JSONValue, [Secret<String>]) {
        let expiry = card.expiry.reveal()
        return json(
            number: card.number.reveal(), expiry: "\(expiry.year)-\(expiry.month < 10 ? "0" : "")\(expiry.month)",
            code: card.securityCode?.reveal(), holder: card.holder?.reveal(),
            address: card.billingAddress?.reveal(), challenge: challenge,
            verification: verification)
    }

    private static func json(
        number: String, expiry: String, code: String?, holder: String?, address: BillingAddress?,
        challenge: ChallengeReturn?, verification: ChallengeCondition?
    ) -> (JSONValue, [Secret<String>]) {
        let billing = address.map {
            JSONValue.members([
                "address_line_1": $0.line1.json, "address_line_2": $0.line2.json, "admin_area_2": $0.city.json,
                "admin_area_1": $0.region.json, "postal_code": $0.postalCode.json, "country_code": .string($0.country),
            ])
        }
        let context = challenge.map {
            JSONValue.members(["return_url": .string($0.returnURL), "cancel_url": .string($0.cancelURL)])
        }
        let attributes = verification.map {
            JSONValue.members(["verification": .members(["method": .string($0.rawValue)])])
        }
        let value = JSONValue.members([
            "name": holder.json, "number": .string(number), "security_code": code.json, "expiry": .string(expiry),
            "billing_address": billing, "attributes": attributes, "experience_context": context,
        ])
        // A three-digit code occurs by chance in many texts; it is never echoed in a message of its own.
        let secrets = [number, holder].compactMap { $0 }.map { Secret($0) } + (code.map { [Secret($0)] } ?? [])
        return (.members(["card": value]), secrets)
    }
}

/// The condition for requesting a 3-D Secure challenge. Open.
public struct ChallengeCondition: RawRepresentable, Hashable, Sendable {
    /// The raw text, unchanged.
    public let rawValue: String
    /// Wraps the text unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A challenge for every card, regardless of the issuer.
    public static let always = ChallengeCondition(rawValue: "SCA_ALWAYS")
    /// A challenge where required by law.
    public static let whenRequired = ChallengeCondition(rawValue: "SCA_WHEN_REQUIRED")
}
