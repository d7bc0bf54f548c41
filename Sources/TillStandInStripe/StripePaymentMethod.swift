import TillCards
import TillCore
import TillSandbox

/// A payment method fully encoded in its id: brand, last four digits, the issuer's behavior and, if known, the expiry,
/// in hexadecimal. No card data needs to be stored.
struct StripePaymentMethod: Sendable {
    /// The month and the year, in four digits, at the end of which a card expires.
    struct Expiry: Hashable, Sendable {
        var month: Int
        var year: Int

        /// The expiry of cards that were made without one, such as test tokens.
        static let ofTestCards = Expiry(month: 12, year: 2034)
    }

    let id: String
    let card: SandboxCard
    let expiry: Expiry

    /// The digits of a serial that are used: ids stay shorter than references may be.
    private static let serialDigits = 12

    /// - Parameter serial: distinguishes payment methods of the same card, in hexadecimal digits.
    init(_ card: SandboxCard, expiry: Expiry? = nil, serial: String? = nil) {
        self.card = card
        self.expiry = expiry ?? .ofTestCards
        let behavior =
            switch card.behavior {
            case .approve: "+"
            case .requiresAction: "?"
            case .decline(let code): code
            }
        let fault = card.fault.flatMap { SandboxFault.inOrder.firstIndex(of: $0) }.map { String($0) } ?? ""
        var parts = [card.brand, card.lastFour, card.entryMode ?? "", behavior, fault]
        if expiry != nil || serial != nil {
            let distinct = Self.grouped(String((serial ?? "").prefix(Self.serialDigits)))
            parts += ["\(self.expiry.month)/\(self.expiry.year)", distinct]
        }
        id = "pm_" + Hex.lowercase(parts.joined(separator: ":").utf8)
    }

    /// Groups a serial by slashes, so that the id has no run of digits as long as a card number.
    private static func grouped(_ serial: String) -> String {
        var text = ""
        for (index, character) in serial.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text.append("/") }
            text.append(character)
        }
        return text
    }

    /// Parses one of our ids or one of Stripe's named test methods.
    init?(id: String) {
        if let card = SandboxCard(token: id) {
            self.id = id
            self.card = card
            expiry = .ofTestCards
            return
        }
        guard id.hasPrefix("pm_"), id.utf8.count <= 255, let bytes = Hex.decode(id.dropFirst(3)) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 5 || parts.count == 7 else { return nil }
        if parts.count == 7 {
            guard let known = Expiry(text: parts[5]), parts[6].utf8.count <= 32 else { return nil }
            expiry = known
        } else {
            expiry = .ofTestCards
        }
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
    static func typed(_ fields: [String: String], serial: String? = nil) -> Result<StripePaymentMethod, StripeRefusal> {
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
        let digits = fields["exp_year"] ?? ""
        guard isDigits(digits, 2...2) || isDigits(digits, 4...4), let year = Int(digits) else {
            return refusal("invalid_expiry_year", "exp_year", "Your card's expiration year is invalid.")
        }
        guard fields["cvc"].map({ isDigits($0, 3...4) }) ?? true else {
            return refusal("invalid_cvc", "cvc", "Your card's security code is invalid.")
        }
        let brand = CardBrandTable.likeliest(for: number)?.brand.rawValue ?? "unknown"
        return .success(
            StripePaymentMethod(
                SandboxCard(typed: number, brand: brand),
                expiry: Expiry(month: month, year: year < 100 ? 2000 + year : year), serial: serial))
    }

    /// Returns the card that a test token such as `tok_visa` stands for; `nil` for any other.
    init?(testToken name: String, serial: String) {
        guard name.hasPrefix("tok_"), let card = SandboxCard(token: "pm_card_" + name.dropFirst(4)) else { return nil }
        self.init(card, serial: serial)
    }

    /// The code with which the issuer refuses to have the card kept; `nil` if it agrees. One test card is kept and
    /// declined only when it is charged.
    var refusalOfKeeping: String? {
        guard case .decline(let code) = card.behavior, card.lastFour != "0341" else { return nil }
        return code
    }

    /// The payment method's members in Stripe's format, not attached to a customer.
    func members(createdAt: Timestamp) -> [JSONMember] {
        [
            JSONMember(key: "id", value: .string(id)), JSONMember(key: "object", value: .string("payment_method")),
            JSONMember(key: "allow_redisplay", value: .string("unspecified")),
            JSONMember(key: "billing_details", value: StripeObjects.billing(nil, StripeForm(""))),
            JSONMember(
                key: "card",
                value: .fields([
                    "brand": .string(card.brand), "last4": .string(card.lastFour),
                    "exp_month": .int(Int64(expiry.month)),
                    "exp_year": .int(Int64(expiry.year)), "funding": .string("credit"), "country": .string("US"),
                    "fingerprint": .string(StableHash.hex("\(card.brand) \(card.lastFour)")),
                ])),
            JSONMember(key: "created", value: .int(createdAt.milliseconds / 1000)),
            JSONMember(key: "customer", value: .null), JSONMember(key: "livemode", value: .bool(false)),
            JSONMember(key: "metadata", value: .object([])), JSONMember(key: "type", value: .string("card")),
        ]
    }
}

extension StripePaymentMethod.Expiry {
    /// Parses `12/2034`.
    init?(text: String) {
        let halves = text.split(separator: "/")
        guard halves.count == 2, let month = Int(halves[0]), let year = Int(halves[1]), (1...12).contains(month),
            (0...9999).contains(year)
        else { return nil }
        self.init(month: month, year: year)
    }
}

/// A response that ends a request.
struct StripeRefusal: Error, Sendable {
    var answer: StripeAnswer
}
