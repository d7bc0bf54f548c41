// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCards
import TillCore
import TillPayPalClient

/// Of `CardClient.swift`.
private func example1(
    _ card: PaymentCard, _ challenge: ChallengeReturn, _ order: PayPalOrderID, _ transport: any HTTPTransport
) async throws {
    let config = try CoreConfig(clientID: "AY3xExample", environment: .sandbox)
    let client = CardClient(config, transport: transport)
    switch try await client.approveOrder(order, card: card, challenge: challenge) {
    case .approved(let approval): print("\(approval.orderID) can be captured by the server.")
    case .challenge(let action): print("To be opened by the customer: \(action.url)")
    }
    _ = config
    _ = client
}

/// Of `CardClient.swift`.
private func example2(
    _ address: String, _ challenge: ChallengeReturn, _ client: CardClient<CoreConfig>, _ order: PayPalOrderID
) async throws {
    let approval = try client.finishChallenge(order, challenge: challenge, callback: address)
    // From here on the server's part:
    let verdict = LiabilityPolicy.standard.verdict(afterChallenge: approval.liability)
    if verdict == .refuse { print("\(approval.orderID) is not captured.") }
    _ = approval
    _ = verdict
}

/// Of `OrderRequest.swift`.
private func example3() async throws {
    let total = Money(minorUnits: 4200, currency: .usd)
    let amount = try Amount(total, breakdown: AmountBreakdown(itemTotal: total))
    let teapot = OrderItem(name: "Teapot", quantity: 1, unitAmount: total)
    let request = try OrderRequest(purchaseUnits: [PurchaseUnit(amount: amount, items: [teapot])])
    _ = total
    _ = amount
    _ = teapot
    _ = request
}
