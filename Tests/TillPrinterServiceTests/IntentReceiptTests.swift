import Foundation
import Testing
import TillCore
import TillHardware
import TillPrinterService
import TillReceipts

/// A receipt from what a reader's SDK reports, without a journal.
@Suite("The receipt of an intent")
struct IntentReceiptTests {
    private let store = StoreDetails(name: "Corner shop")
    private let locale = Locale(identifier: "en_GB")

    private func intent(
        _ status: PaymentIntentStatus, _ units: Int64 = 1250, tip: Int64? = nil, charged: Int64? = nil
    ) throws -> PaymentIntent {
        var emv = EMVReceiptData()
        emv.applicationPreferredName = "Visa Debit"
        emv.dedicatedFileName = "A0000000031010"
        let details = CardPresentTransactionDetails(
            brand: .visa, lastFour: "4242", readMethod: .contactlessEMV, receipt: emv)
        let charge = charged.map { units in
            Charge(
                id: ProviderReference(rawValue: "ch_1"), amount: Money(minorUnits: units, currency: .eur),
                status: .succeeded, paymentMethod: .cardPresent(details: details), isCaptured: true)
        }
        return try PaymentIntent(
            id: ProviderReference(rawValue: "pi_1"), account: .main, order: OrderID(rawValue: "1001"), status: status,
            created: Timestamp(milliseconds: 1_760_000_000_000), amount: Money(minorUnits: units, currency: .eur),
            tip: tip.map { Money(minorUnits: $0, currency: .eur) }, charges: charge.map { [$0] } ?? [],
            collected: .cardPresent(details: details))
    }

    private func receipt(_ intent: PaymentIntent, _ order: Order? = nil) throws -> ReceiptContent {
        try ReceiptContent(intent, order: order, store: store, isTest: true, locale: locale)
    }

    @Test("Names the card, its application and what was paid")
    func paid() throws {
        let content = try receipt(intent(.succeeded, charged: 1250))
        #expect(content.verdict == .paid && content.captured == content.total && content.isTest)
        let text = ReceiptRenderer.text(content)
        for part in ["12.50", "4242", "Visa Debit", "A0000000031010", "1001", "Corner shop"] {
            #expect(text.contains(part), "\(part) is not in\n\(text)")
        }
    }

    @Test(
        "Says only what the intent's status says",
        arguments: [
            (.requiresCapture, .held), (.processing, .notConfirmed), (.requiresAction, .notConfirmed),
            (PaymentIntentStatus(rawValue: "of_a_later_release"), .notConfirmed), (.canceled, .notPaid),
            (.requiresPaymentMethod, .notPaid), (.succeeded, .paid),
        ] as [(PaymentIntentStatus, ReceiptVerdict)])
    func verdict(_ status: PaymentIntentStatus, _ verdict: ReceiptVerdict) throws {
        let content = try receipt(intent(status))
        #expect(content.verdict == verdict)
        #expect(content.captured.isZero == (status != .succeeded))
    }

    @Test("Has the order's lines, and the tip as a row of its own")
    func order() throws {
        let order = try Order(
            id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1000, currency: .eur), description: "Cake")
        let content = try receipt(intent(.succeeded, tip: 250), order)
        #expect(content.lineItems.map(\.name.plain) == ["Cake"])
        #expect(content.summary.last?.kind == .tip && content.summary.last?.amount.minorUnits == 250)
        #expect(content.total.minorUnits == 1250)
    }

    @Test("Is refused where the intent is not of the order")
    func otherOrder() throws {
        let order = try Order(
            id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1250, currency: .eur), description: "Cake")
        #expect(throws: ReceiptError.self) { try receipt(intent(.succeeded, tip: 250), order) }
        let dollars = try Order(id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1250, currency: .usd))
        #expect(throws: ReceiptError.mixedCurrencies) { try receipt(intent(.succeeded), dollars) }
    }

    @Test("Says when only a part was captured")
    func part() throws {
        let content = try receipt(intent(.succeeded, charged: 1000))
        #expect(content.verdict == .partlyPaid && content.captured.minorUnits == 1000)
    }

    @Test("Is refused without a card that was presented")
    func online() throws {
        var online = try intent(.succeeded)
        online.collected = .card(nil)
        #expect(throws: ReceiptError.noCardPresent) { try receipt(online) }
    }
}
