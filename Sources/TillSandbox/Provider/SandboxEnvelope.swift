public import Crypto
import Foundation
import TillContactless
import TillCore

/// The sandbox's key for card data sealed by readers. It is derived from a fixed word and public: seal no real card
/// data to it.
public enum SandboxEnvelope {
    /// The public key that readers seal to.
    public static var publicKey: P256.KeyAgreement.PublicKey? { privateKey?.publicKey }

    private static var privateKey: P256.KeyAgreement.PrivateKey? {
        try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(SHA256.hash(data: Array("till sandbox".utf8))))
    }

    /// Returns the card in an envelope, if it is for this amount and has not expired.
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
