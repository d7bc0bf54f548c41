package import TillCards
package import TillCore
import TillCounter

/// The tender of a request, parsed from its body.
package struct TenderRequest: Sendable {
    package enum Kind: Sendable {
        case card(PaymentCard)
        case token(CardToken)
        case payPal
        case payPalCard
        case adyenSession
        case reader(String, card: String?, tipping: CardPresentPayload.Tipping?)
        case cash(tendered: Money?, tip: Money?)
    }

    package let kind: Kind
    /// The drawer that cash goes into; `nil` if none is named, and for any other tender.
    package private(set) var drawer: DrawerName?
    private let providerText: String?

    package var isCash: Bool { if case .cash = kind { true } else { false } }

    package var provider: ProviderName? {
        get throws {
            guard let providerText else { return nil }
            do { return try ProviderName(validating: providerText) } catch {
                throw Problem.field("provider", error.description)
            }
        }
    }

    /// - Parameter now: The time that determines the century of a two-digit expiry year.
    package init(_ body: JSONValue, currency: Currency, now: Timestamp) throws {
        providerText = try body.text("provider", atMost: 128)
        guard let tender = body["tender"], tender.objectValue != nil else {
            throw Problem.field("tender", "It is missing.")
        }
        switch try tender.text("type", in: "tender.", atMost: 20) {
        case "card":
            try tender.allow(["type", "number", "expiry", "cvc", "name", "billing_address"], in: "tender.")
            guard let number = try tender.text("number", in: "tender.", atMost: 40) else {
                throw Problem.field("tender.number", "It is missing.", code: "invalid_card")
            }
            guard let expiry = try tender.text("expiry", in: "tender.", atMost: 10) else {
                throw Problem.field("tender.expiry", "It is missing.", code: "invalid_card")
            }
            let (code, holder) = (try tender.text("cvc", in: "tender.", atMost: 8), try TenderRequest.holder(tender))
            let address = try TenderRequest.address(tender)
            do throws(PaymentCardError) {
                kind = .card(
                    try PaymentCard(
                        reading: number, expiry: expiry, securityCode: code, holder: holder, billingAddress: address,
                        century: now))
            } catch { throw Problem.field(error.field, error.what, code: "invalid_card") }
        case "reader":
            try tender.allow(["type", "reader", "card", "ask_tip", "tip_on"], in: "tender.")
            guard let reader = try tender.text("reader", in: "tender.", atMost: 128) else {
                throw Problem.field("tender.reader", "It is missing.")
            }
            kind = .reader(
                reader, card: try tender.text("card", in: "tender.", atMost: 100),
                tipping: try TenderRequest.tipping(tender, currency))
        case "token":
            try tender.allow(["type", "token"], in: "tender.")
            guard let text = try tender.text("token", in: "tender.", atMost: CardToken.maximumBytes) else {
                throw Problem.field("tender.token", "It is missing.")
            }
            guard let token = CardToken(text) else {
                throw Problem.field(
                    "tender.token",
                    "It must be the reference that the provider's own card fields return, of letters, digits, - and _.",
                    code: "invalid_token")
            }
            kind = .token(token)
        case "paypal":
            try tender.allow(["type"], in: "tender.")
            kind = .payPal
        case "paypal_card":
            try tender.allow(["type"], in: "tender.")
            kind = .payPalCard
        case "adyen_session":
            try tender.allow(["type"], in: "tender.")
            kind = .adyenSession
        case "cash":
            try tender.allow(["type", "tendered", "tip", "drawer"], in: "tender.")
            drawer = try tender.drawer(in: "tender.")
            kind = .cash(
                tendered: try tender.amount("tendered", in: "tender.", currency),
                tip: try tender.amount("tip", in: "tender.", currency))
        default:
            throw Problem.field(
                "tender.type", "It must be reader, card, token, paypal, paypal_card, adyen_session or cash.")
        }
    }

    /// The members of a card tender that are never stored.
    private static let secretParts: Set<String> = ["number", "expiry", "cvc", "name", "billing_address"]

    /// Returns the name on the card: 1 to 300 characters without control characters.
    private static func holder(_ tender: JSONValue) throws -> String? {
        guard let name = try tender.text("name", in: "tender.", atMost: 1200), !name.isEmpty else { return nil }
        guard name.unicodeScalars.count <= 300,
            name.isOneLine
        else { throw Problem.field("tender.name", "It must be at most 300 characters.", code: "invalid_card") }
        return name
    }

    /// Returns the billing address.
    private static func address(_ tender: JSONValue) throws -> BillingAddress? {
        guard let json = tender["billing_address"], !json.isNull else { return nil }
        let place = "tender.billing_address."
        guard json.objectValue != nil else { throw Problem.field("tender.billing_address", "It must be an object.") }
        try json.allow(["line1", "line2", "city", "region", "postal_code", "country"], in: place)
        func part(_ name: String) throws -> String? {
            try json.text(name, in: place, atMost: 1200).flatMap { $0.isEmpty ? nil : $0 }
        }
        return BillingAddress(
            line1: try part("line1"), line2: try part("line2"), city: try part("city"), region: try part("region"),
            postalCode: try part("postal_code"), country: try part("country") ?? "")
    }

    /// Returns the tip setting: on the whole amount or on a part of it; `nil` without a tip prompt.
    private static func tipping(_ tender: JSONValue, _ currency: Currency) throws -> CardPresentPayload.Tipping? {
        if let flag = tender["ask_tip"], flag.boolValue == nil {
            throw Problem.field("tender.ask_tip", "It must be true or false.")
        }
        if let part = try tender.amount("tip_on", in: "tender.", currency) { return .onPart(part) }
        return tender["ask_tip"]?.boolValue == true ? .onWholeAmount : nil
    }

    /// Returns the storable form of the request, with only the last four digits of a card number, and of a token only
    /// what tells it from another one.
    package static func redacted(_ body: JSONValue) -> JSONValue {
        guard case .object(let members) = body else { return body }
        let redacted: JSONValue = .object(
            members.map { member in
                guard member.key == "tender", case .object(let parts) = member.value else { return member }
                return JSONMember(key: "tender", value: .object(stored(parts)))
            })
        return redacted.withoutCardNumbers()
    }

    private static func stored(_ parts: [JSONMember]) -> [JSONMember] {
        var kept = parts
        if let number = parts.first(where: { $0.key == "number" }) {
            let digits = TypedDigits.digits(in: number.value.stringValue ?? "")
            kept.removeAll { secretParts.contains($0.key) }
            kept.append(JSONMember(key: "last_four", value: .string(String(digits.suffix(4)))))
        }
        if let token = parts.first(where: { $0.key == "token" }) {
            kept.removeAll { $0.key == "token" }
            let trace = Hex.lowercase(digest((token.value.stringValue ?? "").utf8).prefix(8))
            kept.append(JSONMember(key: "token_sha256", value: .string(trace)))
        }
        return kept
    }
}

extension PaymentCardError {
    /// The invalid member of the request's body.
    fileprivate var field: String {
        switch self {
        case .number: "tender.number"
        case .expiry: "tender.expiry"
        case .securityCode: "tender.cvc"
        case .billingAddress(let fault): "tender.billing_address.\(fault.field.rawValue)"
        }
    }
}
