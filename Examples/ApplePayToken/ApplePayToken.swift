import TillApplePay
import TillCore
import TillStandInApple

/// A token of Apple Pay from its arrival to its acceptance, and what stops it on the way. The throw-away authority of
/// the sandbox stands for Apple: its root takes the place of Apple's.
@main
struct ApplePayToken {
    static func main() async throws {
        let now = SystemClock().now()
        let merchant = "merchant.com.example"
        let price = Money(minorUnits: 4200, currency: .gbp)
        let apple = try SandboxAppleAuthority(issued: now)
        let identity = try apple.processingIdentity(merchant: merchant)
        let maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
        let sent = try maker.paymentData(SandboxTokenRequest(amount: price, signedAt: now)).bytes()

        let verifier = PaymentTokenVerifier(trust: try SignerTrust(root: apple.rootCertificate))
        let keys = ProcessingKeyRing([
            try ProcessingKey(
                certificate: Array(identity.certificate.utf8), key: Array(identity.key.reveal().utf8))
        ])
        let used = MemoryReplayStore(clock: SystemClock())

        // Each step is a type, so none can be left out.
        let unverified: UnverifiedPaymentToken = try UnverifiedPaymentToken(parsing: sent)
        let verified: VerifiedPaymentToken = try await verifier.verify(unverified, at: now)
        let opened: DecryptedPaymentToken = try verified.decrypt(with: keys)
        let payload = opened.payload
        print("Card •••• \(payload.accountLastFour) for \(payload.amount), signed \(opened.signingTime)")

        for (order, amount) in [("order-1", price.minorUnits + 1), ("order-1", price.minorUnits), ("order-2", 4200)] {
            let expectation = PaymentTokenExpectation(
                amount: Money(minorUnits: amount, currency: .gbp), merchant: MerchantIDHash(of: merchant),
                applicationData: nil, order: order)
            do throws(PaymentTokenError) {
                let accepted = try await opened.accept(for: expectation, replay: used)
                print("\(order): accepted, and may be charged once (\(accepted.order)).")
            } catch {
                print("\(order): \(error)")
            }
        }
    }
}
