/// A published test card for a simulated reader. It was issued by no bank.
public struct TerminalTestCard: Hashable, Sendable {
    /// `card_present` or `interac_present`; `nil` uses the stand-in's default card.
    public var kind: String?
    /// One of the published test numbers.
    public var number: String?
    /// The customer's tip, in wire units.
    public var tip: Int64?

    public init(kind: String? = nil, number: String? = nil, tip: Int64? = nil) {
        self.kind = kind
        self.number = number
        self.tip = tip
    }
}

extension TerminalTestCard {
    /// The published numbers by name and brand, from Stripe's list of simulated cards.
    public static let known: [(name: String, number: String, brand: String)] = [
        ("visa", "4242424242424242", "visa"), ("visa_debit", "4000056655665556", "visa"),
        ("mastercard", "5555555555554444", "mastercard"), ("mastercard_debit", "5200828282828210", "mastercard"),
        ("mastercard_prepaid", "5105105105105100", "mastercard"), ("amex", "378282246310005", "amex"),
        ("amex2", "371449635398431", "amex"), ("discover", "6011111111111117", "discover"),
        ("discover2", "6011000990139424", "discover"), ("diners", "3056930009020004", "diners"),
        ("diners_14digits", "36227206271667", "diners"), ("jcb", "3566002020360505", "jcb"),
        ("unionpay", "6200000000000005", "unionpay"), ("interac", "4506445006931933", "interac"),
        ("eftpos_au_debit", "6280000360000978", "eftpos_au"), ("eftpos_au_visa_debit", "4000050360000001", "visa"),
        ("eftpos_au_mastercard_debit", "5555050360000080", "mastercard"),
        ("cartes_bancaires_visa", "4000002500001001", "visa"),
        ("cartes_bancaires_mastercard", "5555552500001001", "mastercard"),
        ("offline_pin_cvm", "4001007020000002", "visa"), ("online_pin_cvm", "4001000360000005", "visa"),
        ("charge_declined", "4000000000000002", "visa"),
        ("charge_declined_insufficient_funds", "4000000000009995", "visa"),
        ("charge_declined_lost_card", "4000000000009987", "visa"),
        ("charge_declined_stolen_card", "4000000000009979", "visa"),
        ("charge_declined_expired_card", "4000000000000069", "visa"),
        ("charge_declined_processing_error", "4000000000000119", "visa"),
        ("refund_failed", "4000000000005126", "visa"),
    ]

    /// Creates the card with a name in ``known``, case-insensitive and without `charge_`; `physical` is the test card
    /// with an amount that selects the outcome; `declined` is a generic decline. Fails for any other name.
    public init?(named name: String, tip: Int64? = nil) {
        let word = name.lowercased()
        if word == "physical" {
            self.init(kind: "card_present", tip: tip)
            return
        }
        let names = [word, "charge_" + word, word.replacing("declined:", with: "charge_declined_"), word + "_debit"]
        guard let card = names.lazy.compactMap({ name in TerminalTestCard.known.first { $0.name == name } }).first
        else {
            return nil
        }
        self.init(
            kind: card.brand == "interac" ? "interac_present" : "card_present", number: card.number, tip: tip)
    }

    /// Creates a card from its number, 12 to 19 digits; fails for any other text. The stand-in interprets the numbers.
    init?(numbered number: String, tip: Int64? = nil) {
        guard (12...19).contains(number.utf8.count), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let isInterac = TerminalTestCard.known.contains { $0.number == number && $0.brand == "interac" }
        self.init(kind: isInterac ? "interac_present" : "card_present", number: number, tip: tip)
    }
}
