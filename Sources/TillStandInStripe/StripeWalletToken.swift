import TillCore
import TillSandbox

/// A token of a wallet card: Apple's token as received, or a decrypted network token. Fully encoded in its id, like the
/// payment method created from it.
struct StripeWalletToken: Sendable {
    let method: StripePaymentMethod

    var id: String { "tok_" + method.id.dropFirst(3) }

    init(_ card: SandboxCard) { method = StripePaymentMethod(card) }

    init?(id: String) {
        guard id.hasPrefix("tok_"), let method = StripePaymentMethod(id: "pm_" + id.dropFirst(4)) else { return nil }
        self.method = method
    }

    /// Creates the token of a form: `pk_token…`, or `card[…]` with the cryptogram of a decrypted token.
    static func made(of form: StripeForm) -> Result<StripeWalletToken, StripeRefusal> {
        if let sealed = form["pk_token"] { return sealedToken(sealed, form) }
        let card = form.members(of: "card")
        guard card["tokenization_method"] == "apple_pay" else {
            return refused("card[tokenization_method]", "The sandbox makes tokens of Apple Pay only.")
        }
        guard let cryptogram = card["cryptogram"], !cryptogram.isEmpty else {
            return refused("card[cryptogram]", "A network token needs its cryptogram.")
        }
        if let indicator = card["eci"] {
            guard indicator.utf8.count == 2, indicator.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return refused("card[eci]", "The indicator must have two digits.")
            }
        }
        return StripePaymentMethod.typed(card).map { method in
            var card = method.card
            card.entryMode = "apple_pay"
            return StripeWalletToken(card)
        }
    }

    /// Validates the form of an encrypted token, which the sandbox has no key to decrypt, and derives the card from its
    /// name.
    private static func sealedToken(_ sealed: String, _ form: StripeForm) -> Result<StripeWalletToken, StripeRefusal> {
        let token = JSONValue(ifValid: Array(sealed.utf8))
        guard let version = token?["version"]?.stringValue, ["EC_v1", "RSA_v1"].contains(version),
            token?["data"]?.stringValue?.isEmpty == false, token?["signature"]?.stringValue?.isEmpty == false,
            token?["header"]?["transactionId"]?.stringValue?.isEmpty == false
        else { return refused("pk_token", "This is not the paymentData of an Apple Pay token.") }
        guard let card = form["pk_token_instrument_name"].flatMap({ SandboxCard(wallet: $0) }) else {
            return refused("pk_token_instrument_name", "The sandbox knows a sealed token's card by its name only.")
        }
        return .success(StripeWalletToken(card))
    }

    private static func refused(_ field: String, _ words: String) -> Result<StripeWalletToken, StripeRefusal> {
        .failure(StripeRefusal(answer: .invalid(field, words)))
    }

    /// Renders the token in Stripe's format.
    func json(createdAt: Timestamp) -> JSONValue {
        .fields([
            "id": .string(id), "object": .string("token"), "type": .string("card"), "used": .bool(false),
            "created": .int(createdAt.milliseconds / 1000), "livemode": .bool(false),
            "card": .fields([
                "object": .string("card"), "brand": .string(method.card.brand), "last4": .string(method.card.lastFour),
                "tokenization_method": .string("apple_pay"),
            ]),
        ])
    }
}
