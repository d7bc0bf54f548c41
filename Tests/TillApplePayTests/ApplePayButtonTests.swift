import Testing
import TillApplePay

@Suite("The Apple Pay button that a device gets")
struct ApplePayButtonTests {
    @Test("A device that can pay has the wanted button, one without a card its set-up, and any other none")
    func decisions() {
        for (availability, canSetUp, button) in [
            (.available, true, .pay(.checkout)), (.available, false, .pay(.checkout)),
            (.needsSetup, true, .setUp), (.needsSetup, false, .hidden),
            (.unavailable, true, .hidden), (.unavailable, false, .hidden),
        ] as [(ApplePayAvailability, Bool, ApplePayButton)] {
            let decided = ApplePayButton(.checkout, on: availability, canSetUp: canSetUp)
            #expect(decided == button, "\(availability) \(canSetUp)")
        }
        #expect(ApplePayButton(on: .available) == .pay(.plain))
        #expect(ApplePayButton(on: .needsSetup) == .setUp)
    }

    @Test("A button that pays never says that it sets up")
    func words() {
        #expect(ApplePayButton(.setUp, on: .available) == .pay(.plain))
        #expect(ApplePayButton(.buy, on: .needsSetup).type == .setUp)
        #expect(ApplePayButton(.buy, on: .available).type == .buy)
        #expect(ApplePayButton(.buy, on: .unavailable).type == nil)
    }

    @Test("Types and styles have PassKit's numbers, and a number that came later is kept")
    func numbers() {
        let types: [ApplePayButtonType] = [
            .plain, .buy, .setUp, .inStore, .donate, .checkout, .book, .subscribe, .reload, .addMoney, .topUp, .order,
            .rent, .support, .contribute, .tip, .continue,
        ]
        #expect(types.map(\.rawValue) == Array(0...16))
        let styles: [ApplePayButtonStyle] = [.white, .whiteOutline, .black, .automatic]
        #expect(styles.map(\.rawValue) == Array(0...3))
        let later = ApplePayButtonType(rawValue: 99)
        #expect(ApplePayButton(later, on: .available).type?.rawValue == 99)
    }
}
