import TillCore
import TillSandbox

/// A payment method whose name is all there is of it: brand, last four and what the issuer does with it, in
/// hexadecimal. So nothing of a card needs to be kept.
struct StripePaymentMethod: Sendable {
    let id: String
    let card: SandboxCard

    init(_ card: SandboxCard) {
        self.card = card
        let behavior =
            switch card.behavior {
            case .approve: "+"
            case .requiresAction: "?"
            case .decline(let code): code
            }
        let fault = card.fault.flatMap { SandboxFault.inOrder.firstIndex(of: $0) }.map { String($0) } ?? ""
        let text = [card.brand, card.lastFour, card.entryMode ?? "", behavior, fault].joined(separator: ":")
        id = "pm_" + Hex.lowercase(text.utf8)
    }

    /// One of ours, or one of Stripe's named test methods.
    init?(id: String) {
        if let card = StripePaymentMethod.named[id] {
            self.id = id
            self.card = card
            return
        }
        guard id.hasPrefix("pm_"), id.utf8.count <= 255, let bytes = Hex.decode(id.dropFirst(3)) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 5 else { return nil }
        let behavior: SandboxCard.Behavior =
            switch parts[3] {
            case "+": .approve
            case "?": .requiresAction
            default: .decline(parts[3])
            }
        let fault = Int(parts[4]).flatMap { SandboxFault.inOrder.indices.contains($0) ? SandboxFault.inOrder[$0] : nil }
        self.id = id
        card = SandboxCard(
            behavior: behavior, brand: parts[0], lastFour: parts[1], entryMode: parts[2].isEmpty ? nil : parts[2],
            fault: fault)
    }

    /// The typed card of a form's `card[…]`.
    static func typed(_ fields: [String: String]) -> Result<StripePaymentMethod, StripeRefusal> {
        let expiry = "\(twoDigits(fields["exp_month"]))/\(fields["exp_year"] ?? "")"
        do throws(CardDetailsError) {
            let details = try CardDetails(
                number: fields["number"] ?? "", expiry: expiry, securityCode: fields["cvc"])
            guard let card = SandboxCard(.card(details)) else { throw .number }
            return .success(StripePaymentMethod(card))
        } catch {
            let (code, param) =
                switch error {
                case .number: ("invalid_number", "card[number]")
                case .checkDigit: ("incorrect_number", "card[number]")
                case .expiry: ("invalid_expiry_month", "card[exp_month]")
                case .securityCode: ("invalid_cvc", "card[cvc]")
                }
            return .failure(
                StripeRefusal(answer: .error(402, "card_error", code: code, param: param, error.description)))
        }
    }

    private static func twoDigits(_ month: String?) -> String {
        guard let month else { return "" }
        return month.utf8.count == 1 ? "0" + month : month
    }

    private static let named: [String: SandboxCard] = {
        func card(_ number: String, _ brand: String) -> SandboxCard {
            SandboxCard(number: number, brand: brand, entryMode: nil)
        }
        return [
            "pm_card_visa": card("4242424242424242", "visa"),
            "pm_card_mastercard": card("5555555555554444", "mastercard"),
            "pm_card_amex": card("378282246310005", "amex"),
            "pm_card_discover": card("6011111111111117", "discover"),
            "pm_card_visa_chargeDeclined": card("4000000000000002", "visa"),
            "pm_card_chargeDeclined": card("4000000000000002", "visa"),
            "pm_card_visa_chargeDeclinedInsufficientFunds": card("4000000000009995", "visa"),
            "pm_card_chargeDeclinedInsufficientFunds": card("4000000000009995", "visa"),
            "pm_card_chargeDeclinedExpiredCard": card("4000000000000069", "visa"),
            "pm_card_authenticationRequired": card("4000002760003184", "visa"),
        ]
    }()

    /// As Stripe shows it.
    func json(createdAt: Timestamp) -> JSONValue {
        .fields([
            "id": .string(id), "object": .string("payment_method"), "type": .string("card"),
            "created": .int(createdAt.milliseconds / 1000), "livemode": .bool(false), "metadata": .object([]),
            "card": .fields([
                "brand": .string(card.brand), "last4": .string(card.lastFour), "funding": .string("credit"),
                "country": .string("US"),
            ]),
        ])
    }
}

/// An answer that ends a request.
struct StripeRefusal: Error, Sendable {
    var answer: StripeAnswer
}
