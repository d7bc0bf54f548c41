// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillApplePay
import TillCore

/// Of `ApplePayButton.swift`.
private func example1() async throws {
    switch ApplePayButton(.checkout, on: .needsSetup) {
    case .pay(let type): print("Show the button \(type.rawValue), which opens the sheet.")
    case .setUp: print("Show the button that opens the wallet's set-up.")
    case .hidden: print("Show no button.")
    }
}

/// Of `PaymentFlowController.swift`.
private func example2(_ basket: SheetBasket, _ flow: PaymentFlowController) async throws {
    let state = try await flow.pay(basket, by: .applePay) { state in
        print("Step \(state.completedUnits) of 4")
    }
    switch state {
    case .placed(let order): print("\(order.id) is paid: \(order.amount)")
    case .pending: print("Query the order; do not pay again.")
    default: print("Not paid.")
    }
    _ = state
}

/// Of `AppleCertificateRequest.swift`.
private func example3(_ bytes: [UInt8]) async throws {
    let request = try AppleCertificateRequest(for: .processing, named: "Shop")
    print("For Apple: \(request.pem)")
    let privateKey = request.key.reveal()
    print("To be kept: \(privateKey.utf8.count) bytes.")
    _ = request
    _ = privateKey
}

/// Of `ApplePayPaymentRequestFactory.swift`.
private func example4() async throws {
    let teapot = SheetItem(label: "Teapot", amount: Money(minorUnits: 4200, currency: .gbp))
    let cart = SheetBasket(id: "1001", currency: .gbp, service: .delivery, lines: [teapot])
    let factory = ApplePayPaymentRequestFactory(displayName: "Corner shop", countryCode: "GB")
    let request = try factory.request(for: cart)
    print(request.json.text)  // for the browser
    _ = teapot
    _ = cart
    _ = factory
    _ = request
}

/// Of `PaymentTokenVerifier.swift`.
private func example5(_ bytes: [UInt8], _ keys: ProcessingKeyRing, _ used: any ReplayStore) async throws {
    let verifier = try PaymentTokenVerifier(trust: .apple())
    let verified = try await verifier.verify(UnverifiedPaymentToken(parsing: bytes), at: SystemClock().now())
    let opened = try verified.decrypt(with: keys)
    let expected = PaymentTokenExpectation(
        amount: Money(minorUnits: 4200, currency: .gbp), merchant: MerchantIDHash(of: "merchant.com.example"),
        applicationData: nil, order: "1001")
    let accepted = try await opened.accept(for: expected, replay: used)
    print(accepted.payload.accountLastFour, accepted.payload.amount)
    _ = verifier
    _ = verified
    _ = opened
    _ = expected
    _ = accepted
}
