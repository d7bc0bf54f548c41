public import Crypto
import Foundation
import TillContactless
import TillCore

/// The sandbox's key for card data that readers seal. It is derived from a word and public: nothing real may
/// be sealed to it.
public enum SandboxEnvelope {
    /// What readers seal to.
    public static var publicKey: P256.KeyAgreement.PublicKey? { privateKey?.publicKey }

    private static var privateKey: P256.KeyAgreement.PrivateKey? {
        try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(SHA256.hash(data: Array("till sandbox".utf8))))
    }

    /// The card in an envelope, if it is for this amount and still good.
    static func card(
        _ sealed: Secret<String>, for amount: Money, payment: PaymentID? = nil, at now: Timestamp
    ) -> SandboxCard? {
        guard let key = privateKey, let content = try? CardEnvelope.open(sealed, with: key, at: now),
            content.intent.amount == amount, payment == nil || content.intent.payment == payment?.rawValue
        else { return nil }
        let aid = content.chipData.first(0x84)?.value ?? []
        return SandboxCard(
            number: content.number.reveal(), brand: Scheme(aid: aid)?.brand ?? "unknown", entryMode: "contactless_emv")
    }
}
