import Foundation
import Synchronization
import Testing
import TillCheckout
import TillContactless
import TillCore
@testable import TillCounter
import TillSandbox
import TillTapToPay

@testable import TillServer

/// The five patterns of an app for taps, end to end: virtual card, reader, engine, journal, sandbox. Each with the
/// faults that apps of this kind have, shown absent here, and where a double can show it, present there.
@Suite(.timeLimit(.minutes(30))) struct SeedPatternTests {
    // MARK: 1. A model for a screen

    @MainActor @Test func pattern1AModelForAScreenSetsUpReadsAndShows() async throws {
        let counter = try TapCounter(preparation: .milliseconds(8))
        let model = PaymentViewModel(service: counter.service, currency: "EUR")
        #expect(!model.canCharge)
        await model.setup()
        #expect(model.isReady)
        // Nothing of the preparation was missed: the model listened before it began.
        while model.preparationProgress < 100 { await Task.yield() }
        #expect(!model.takeAmount("12abc"), "rubbish behind a number is no number")
        #expect(!model.takeAmount("12.505"))
        #expect(model.takeAmount("12,50", decimalSeparator: ","))
        #expect(model.amount == Decimal(string: "12.5"))

        let tap = counter.tap(.visa)
        await model.readPayment()
        await tap.value
        #expect(model.transactionComplete)
        #expect(model.errorMessage == nil)
        let paid = try await counter.payment(#require(model.lastResult))
        #expect(paid.status == .succeeded)
        #expect(paid.captured.minorUnits == 1250)

        // A second charge begins anew, and one that is canceled is no error.
        let charge = Task { await model.readPayment() }
        while await !counter.field.isWaiting { await Task.yield() }
        #expect(!model.transactionComplete)
        #expect(await model.cancel())
        await charge.value
        #expect(model.errorMessage == nil)
        #expect(!model.isProcessing)
        model.reset()
        #expect(model.amount == 0)
        #expect(
            try await counter.payments.map(\.status).sorted { $0.rawValue < $1.rawValue } == [.canceled, .succeeded])
    }

    /// The seed begins to listen after the preparation, and with Apple's one stream it would have heard nothing of it.
    @Test func pattern1ANaiveListenerMissesThePreparation() async throws {
        let naive = NaiveEvents()
        naive.send(.updateProgress(50))
        naive.send(.updateProgress(100))
        let counter = try TapCounter()
        try await counter.service.initialize()
        var heard = 0
        for await event in counter.service.events {
            heard += 1
            if event == .updateProgress(100) { break }
        }
        #expect(heard == 5, "0, 25, 50, 75, 100 of 100, told to who came afterwards")
        naive.source.finish()
        var missed = 0
        for await _ in naive.stream { missed += 1 }
        #expect(missed == 0, "the double shows what would be missed")
    }

    /// The seed cancels its listener and listens again. On one stream that is deaf for good.
    @Test func pattern1ListeningAgainHearsAgain() async throws {
        let naive = AsyncStream.makeStream(of: PaymentCardReader.Event.self)
        let first = Task { for await _ in naive.stream {} }
        first.cancel()
        await first.value
        naive.continuation.yield(.readyForTap)
        var heardByNaive: PaymentCardReader.Event?
        for await event in naive.stream { heardByNaive = event }
        #expect(heardByNaive == nil, "the double is deaf")

        let counter = try TapCounter()
        let gone = Task { for await _ in counter.service.events {} }
        gone.cancel()
        await gone.value
        try await counter.service.initialize()
        let tap = counter.tap(.mastercard)
        #expect(try await counter.service.charge(amount: 5, currency: "EUR").status == .approved)
        await tap.value
        for await event in counter.service.events where event == .readCompleted { break }
    }

    // MARK: 2. A service over a provider

    @Test func pattern2AServiceChargesGivesBackAndVerifies() async throws {
        let counter = try TapCounter()
        await #expect(throws: TapToPayError.notInitialized) {
            _ = try await counter.service.charge(amount: 5, currency: "EUR")
        }
        try await counter.service.initialize()
        let sale = counter.tap(.amex)
        let result = try await counter.service.charge(amount: Decimal(string: "19.99") ?? 0, currency: "EUR")
        await sale.value
        #expect(result.status == .approved)
        #expect(result.card?.brand == "amex")
        #expect(try await counter.payment(result).captured.minorUnits == 1999)

        let wrong = counter.tap(.visa)
        let money = Money(minorUnits: 999, currency: .eur)
        #expect(try await counter.service.refund(money, of: result.payment).status == .declined, "another card")
        await wrong.value
        let back = counter.tap(.amex)
        #expect(try await counter.service.refund(money, of: result.payment).status == .approved)
        await back.value
        #expect(try await counter.payment(result).status == .partiallyRefunded)

        let look = counter.tap(.mastercard)
        #expect(try await counter.service.verify(currency: "EUR", for: .lookUp).card?.lastFour == "0442")
        await look.value
    }

    /// The seed prepares again after each sale, which costs seconds each time.
    @Test func pattern2TenSalesPrepareOnce() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        for _ in 0..<10 {
            let tap = counter.tap(.visa)
            #expect(try await counter.service.charge(amount: 5, currency: "EUR").status == .approved)
            await tap.value
        }
        #expect(counter.driver.prepares.withLock { $0 } == 1)
        #expect(try await counter.payments.filter { $0.status == .succeeded }.count == 10)
    }

    /// The seed has no way to call a read off.
    @Test func pattern2AReadIsCalledOffAndTheNextCustomerPays() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let charge = Task { try await counter.service.charge(amount: 5, currency: "EUR") }
        while await !counter.field.isWaiting { await Task.yield() }
        #expect(await counter.service.cancel())
        await #expect(throws: TapToPayError.read(.readCancelled)) { _ = try await charge.value }
        #expect(try await counter.payments.map(\.status) == [.canceled])
        let tap = counter.tap(.visa)
        #expect(try await counter.service.charge(amount: 5, currency: "EUR").status == .approved)
        await tap.value
    }

    /// The seed says "Payment failed" when the provider does not answer. It may have been paid.
    @Test func pattern2NoAnswerAfterTheReadIsUnknownAndIsFoundOut() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        counter.provider.faults.fail(.authorize, with: .timeoutAfterCommit)
        let tap = counter.tap(.visa)
        let result = try await counter.service.charge(amount: 5, currency: "EUR")
        await tap.value
        #expect(result.status != .declined)
        if result.status == .unknown { #expect(result.sentence.contains("Do not charge again")) }
        var payment = try await counter.payment(result)
        for _ in 0..<50 where payment.status != .succeeded {
            try await counter.checkout.query(payment.id)
            payment = try await counter.payment(result)
        }
        #expect(payment.status == .succeeded)
        #expect(try await counter.provider.ledger.charges().count == 1)
    }

    @Test(arguments: ["declined", "blocked", "torn", "lying", "garbage", "endless", "silent", "collision"])
    func pattern2ABadCardIsATypedOutcomeAndTheReaderIsReadyAgain(name: String) async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let card = try #require(VirtualCard.all.first { $0.name == name })
        let bad = counter.tap(card)
        await #expect(throws: TapToPayError.self) { _ = try await counter.service.charge(amount: 5, currency: "EUR") }
        await bad.value
        #expect(try await counter.payments.map(\.status) == [.canceled])
        let tap = counter.tap(.visa)
        #expect(try await counter.service.charge(amount: 5, currency: "EUR").status == .approved)
        await tap.value
        #expect(counter.driver.prepares.withLock { $0 } == 1)
    }

    @Test(arguments: [
        PaymentCardReader.Token(rawValue: "rubbish"), PaymentCardReader.Token(rawValue: "a.b.c"),
    ])
    func pattern2ATokenThatIsNoneIsRefused(token: PaymentCardReader.Token) async throws {
        let counter = try TapCounter()
        await #expect(throws: PaymentCardReaderError.self) { _ = try await counter.reader.prepare(using: token) }
    }

    @Test func pattern2ATokenForAnotherMerchantIsNotLinkedHere() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let other = try SandboxReaderTokens(issuer: "another", clock: counter.clock).issue(merchant: "stranger")
        await #expect(throws: PaymentCardReaderError.accountNotLinked) {
            _ = try await counter.reader.prepare(using: PaymentCardReader.Token(rawValue: other))
        }
    }

    // MARK: 3. Payment and loyalty in one tap

    @Test func pattern3OneTapPaysAndCountsTheMembersVisit() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        for visit in 1...2 {
            let tap = counter.tap(.wallet)
            let charge = try await counter.service.chargeWithLoyalty(
                amount: 5, currency: "EUR", loyaltyPassIdentifier: "pass.com.example.loyalty")
            await tap.value
            #expect(charge.payment?.status == .approved)
            // The seed would have recorded the shop's own pass name; the member is inside the sealed data.
            #expect(charge.passes?.entries.first?.id == "pass.com.example.loyalty")
            #expect(charge.visits.map(\.text) == ["Member ••0001, visit \(visit)"])
        }
        #expect(counter.loyalty.visitCount == 2)
    }

    @Test func pattern3ACustomerWithoutThePassPaysAllTheSame() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let plastic = counter.tap(.visa)
        let first = try await counter.service.chargeWithLoyalty(
            amount: 5, currency: "EUR", loyaltyPassIdentifier: "pass.com.example.loyalty")
        await plastic.value
        #expect(first.payment?.status == .approved)
        #expect(first.passes == nil)
        let wallet = counter.tap(.wallet)
        let second = try await counter.service.chargeWithLoyalty(
            amount: 5, currency: "EUR", loyaltyPassIdentifier: "pass.com.example.other")
        await wallet.value
        #expect(second.payment?.status == .approved)
        #expect(second.passes?.entries.map(\.status) == [.vasDataNotFound])
        #expect(second.visits.isEmpty)
    }

    @Test func pattern3PassOrPaymentStopsAtThePass() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let tokens = SandboxReaderTokens(clock: counter.clock)
        let session = try await counter.reader.prepare(
            using: PaymentCardReader.Token(rawValue: tokens.issue(merchant: "shop")))
        let tap = counter.tap(.wallet)
        let (card, pass) = try await session.readPaymentCard(
            .init(amount: 5, currencyCode: "EUR"),
            vasRequest: VASRequest(vasMerchants: [.init(id: "pass.com.example.loyalty")]), stopOnVASResult: true)
        await tap.value
        #expect(card == nil)
        #expect(pass?.entries.first?.status == .success)
        let again = counter.tap(.wallet)
        let alone = try await session.readVAS(VASRequest(vasMerchants: [.init(id: "pass.com.example.loyalty")]))
        await again.value
        #expect(alone.entries.first?.customerVASData != nil)
    }

    // MARK: 5. The life of a session

    @Test func pattern5TheSceneEndsAndRemakesTheSessionAndSalesGoOn() async throws {
        let counter = try TapCounter()
        let scenes = ReaderSessionManager(reader: counter.reader)
        try await counter.service.initialize()
        scenes.handleScenePhase(.background)
        while counter.reader.status.scene == .foreground { await Task.yield() }
        #expect(!counter.reader.status.isReady)
        await #expect(throws: TapToPayError.reader(.backgroundRequestNotAllowed)) {
            _ = try await counter.service.charge(amount: 5, currency: "EUR")
        }
        scenes.handleScenePhase(.active)
        while !counter.reader.status.isReady { await Task.yield() }
        let tap = counter.tap(.visa)
        #expect(try await counter.service.charge(amount: 5, currency: "EUR").status == .approved)
        await tap.value
        #expect(counter.driver.prepares.withLock { $0 } == 2)
    }

    @Test func pattern5ABackgroundInTheMiddleOfAReadEndsItWithoutAPayment() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let charge = Task { try await counter.service.charge(amount: 5, currency: "EUR") }
        while await !counter.field.isWaiting { await Task.yield() }
        await counter.reader.entersBackground()
        await #expect(throws: TapToPayError.read(.readFromBackgroundError)) { _ = try await charge.value }
        #expect(try await counter.payments.map(\.status) == [.canceled])
    }

    /// Nothing that a tap leaves behind says the card's number, the token or the member.
    @Test func nothingSecretIsShownOfATap() async throws {
        let counter = try TapCounter()
        try await counter.service.initialize()
        let tap = counter.tap(.wallet)
        let charge = try await counter.service.chargeWithLoyalty(
            amount: 5, currency: "EUR", loyaltyPassIdentifier: "pass.com.example.loyalty")
        await tap.value
        var shown = "\(charge) \(counter.reader.status)"
        dump(charge, to: &shown)
        dump(counter.reader.status, to: &shown)
        for payment in try await counter.payments { dump(payment, to: &shown) }
        for secret in ["4761739001010119", "MEMBER-0001", "till1."] { #expect(!shown.contains(secret), "\(secret)") }
    }
}
