import TillCards
import TillCore
import TillSandbox

/// A payment method fully encoded in its id: brand, last four digits and the issuer's behavior, in hexadecimal. No card
/// data needs to be stored.
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

    /// Parses one of our ids or one of Stripe's named test methods.
    init?(id: String) {
        if let card = SandboxCard(token: id) {
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

    /// Returns the manually entered card of a form's `card[…]`.
    static func typed(_ fields: [String: String]) -> Result<StripePaymentMethod, StripeRefusal> {
        func refusal(_ code: String, _ param: String, _ message: String) -> Result<Self, StripeRefusal> {
            .failure(
                StripeRefusal(answer: .error(402, "card_error", code: code, param: "card[\(param)]", message)))
        }
        func isDigits(_ text: String, _ counts: ClosedRange<Int>) -> Bool {
            counts.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        let number = (fields["number"] ?? "").filter { $0 != " " && $0 != "-" }
        guard isDigits(number, 12...19) else {
            return refusal("invalid_number", "number", "The card number is not a valid credit card number.")
        }
        guard LuhnChecksum.isValid(number) else {
            return refusal("incorrect_number", "number", "Your card number is incorrect.")
        }
        guard let month = fields["exp_month"].flatMap({ Int($0) }), (1...12).contains(month) else {
            return refusal("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.")
        }
        let year = fields["exp_year"] ?? ""
        guard isDigits(year, 2...2) || isDigits(year, 4...4) else {
            return refusal("invalid_expiry_year", "exp_year", "Your card's expiration year is invalid.")
        }
        guard fields["cvc"].map({ isDigits($0, 3...4) }) ?? true else {
            return refusal("invalid_cvc", "cvc", "Your card's security code is invalid.")
        }
        let brand = CardBrandTable.likeliest(for: number)?.brand.rawValue ?? "unknown"
        return .success(StripePaymentMethod(SandboxCard(typed: number, brand: brand)))
    }

    /// Renders the payment method in Stripe's format.
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

/// A response that ends a request.
struct StripeRefusal: Error, Sendable {
    var answer: StripeAnswer
}
