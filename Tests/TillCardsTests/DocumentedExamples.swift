// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCards
import TillCore

/// Of `PaymentCard.swift`.
private func example1() async throws {
    let card = try PaymentCard(
        number: "4868 7191 9682 9038", expiry: "12/30", securityCode: "123", holder: "Ada Lovelace",
        now: SystemClock().now())
    print(card.number)  // 486871••••••9038
    let tender = Tender.card(card.details)
    _ = card
    _ = tender
}

/// Of `ChallengeReturn.swift`.
private func example2(_ redirect: String) async throws {
    let challenge = ChallengeReturn(
        base: "https://shop.example/pay", random: (.random(in: .min ... .max), .random(in: .min ... .max)))
    print(challenge.returnURL, challenge.cancelURL)
    switch try challenge.read(redirect) {
    case .finished: print("Query the payment at the provider.")
    case .canceled: print("Offer another way to pay.")
    }
    _ = challenge
}

/// Of `CardNumberEntry.swift`.
private func example3() async throws {
    let field = CardNumberFormatter.format(FormattedEntry(text: "40320362", caret: 8))
    print(field.text, field.caret)  // 4032 0362 9
    let entry = CardNumberEntry(field.text)
    if case .invalid(let error) = entry.state { print(error) }
    _ = field
    _ = entry
}
