import Foundation
import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillTapToPay

/// The service: the order of what is written, read and sent, and what comes of everything that breaks in between.
@Suite struct ServiceTests {
    struct Till: Sendable {
        let world = TapWorld()
        let psp: ScriptedProvider
        let service: TapToPayService

        init(loyalty: (any LoyaltyProgram)? = nil) {
            psp = ScriptedProvider(clock: world.clock)
            service = TapToPayService(psp: psp, reader: world.reader, loyalty: loyalty, executor: world.executor)
        }

        func run(_ body: @escaping @Sendable (Till) async throws -> Void) throws {
            try world.run { _ in
                try await body(self)
                await service.close()
            }
        }

        var books: ScriptedProvider.Books { psp.books.withLock { $0 } }
    }

    @Test func aChargeOpensReadsAndAsks() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            let result = try await till.service.charge(amount: Decimal(string: "12.50") ?? 0, currency: "EUR")
            #expect(result.status == .approved)
        }
        #expect(till.books.opened == ["pay-1"])
        #expect(till.books.processed == ["sealed-read-1 12.5 EUR"])
        #expect(till.books.closed.isEmpty)
    }

    @Test func withoutBeingSetUpNothingIsCharged() throws {
        let till = Till()
        try till.run { till in
            await #expect(throws: TapToPayError.notInitialized) {
                _ = try await till.service.charge(amount: 5, currency: "EUR")
            }
        }
        #expect(till.books.opened.isEmpty)
    }

    @Test func aDoubleTapOnTheButtonChargesOnce() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            let first = till.world.start { _ in try await till.service.charge(amount: 5, currency: "EUR") }
            await till.world.pass(.milliseconds(1))
            await #expect(throws: TapToPayError.busy) { _ = try await till.service.charge(amount: 5, currency: "EUR") }
            _ = try await first.value
        }
        #expect(till.books.processed.count == 1)
    }

    @Test func aProviderThatBreaksAfterTheReadLeavesThePaymentUnknown() throws {
        let till = Till()
        till.psp.books.withLock { $0.error = ScriptedProvider.Broken() }
        try till.run { till in
            try await till.service.initialize()
            let result = try await till.service.charge(amount: 5, currency: "EUR")
            #expect(result.status == .unknown)
            #expect(result.moneyMoved == .unknown)
            #expect(result.sentence.contains("Do not charge again"))
        }
        #expect(till.books.closed.isEmpty, "what nobody knows is not closed")
    }

    @Test func aRefusalThatMovedNothingIsNotUnknown() throws {
        let till = Till()
        till.psp.books.withLock { $0.error = ScriptedProvider.Refused() }
        try till.run { till in
            try await till.service.initialize()
            #expect(try await till.service.charge(amount: 5, currency: "EUR").status == .declined)
        }
    }

    @Test func aCallerWhoGoesAwayDoesNotStopTheProvider() throws {
        let till = Till()
        till.psp.books.withLock { $0.delay = .seconds(10) }
        try till.run { till in
            try await till.service.initialize()
            let charge = till.world.start { _ in try await till.service.charge(amount: 5, currency: "EUR") }
            await till.world.pass(.seconds(5))
            charge.cancel()
            #expect(try await charge.value.status == .approved)
        }
    }

    @Test func aReadThatIsCalledOffClosesItsPayment() throws {
        let till = Till()
        till.world.driver.script(read: [.waits])
        try till.run { till in
            try await till.service.initialize()
            let charge = till.world.start { _ in try await till.service.charge(amount: 5, currency: "EUR") }
            await till.world.pass(.seconds(1))
            #expect(await till.service.cancel())
            await #expect(throws: TapToPayError.read(.readCancelled)) { _ = try await charge.value }
        }
        #expect(till.books.closed == ["pay-1 card_not_read"])
        #expect(till.books.processed.isEmpty)
    }

    @Test(arguments: [
        (PaymentCardReadResult.ReadOutcome.failure, PaymentCardReaderSession.ReadError.cardReadFailed),
        (.cardDeclined, .paymentCardDeclined),
    ])
    func theDataOfAFailedReadGoToTheProviderAndAskForNothing(
        outcome: PaymentCardReadResult.ReadOutcome, expected: PaymentCardReaderSession.ReadError
    ) throws {
        let till = Till()
        till.world.driver.script(read: [.outcome(outcome)])
        try till.run { till in
            try await till.service.initialize()
            await #expect(throws: TapToPayError.read(expected)) {
                _ = try await till.service.charge(amount: 5, currency: "EUR")
            }
        }
        #expect(till.books.forwarded == ["sealed-read-1 pay-1"])
        #expect(till.books.processed.isEmpty)
        #expect(till.books.closed == ["pay-1 card_not_read"])
    }

    @Test func aTokenThatEndsInTheMiddleIsRenewedAndTheReadAskedForAgain() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            till.world.driver.script(read: [.failRead(.readerTokenExpired)])
            #expect(try await till.service.charge(amount: 5, currency: "EUR").status == .approved)
        }
        #expect(till.books.tokens == 2)
        #expect(till.books.opened.count == 1)
        #expect(till.world.driver.books.withLock { $0.tokens } == ["token-1", "token-2"])
    }

    @Test func aTokenThatTheReaderRefusesIsTriedOnceMoreWithAnother() throws {
        let till = Till()
        till.world.driver.script(prepare: [.fail(.invalidReaderToken("old"))])
        try till.run { till in try await till.service.initialize() }
        #expect(till.books.tokens == 2)
    }

    @Test func tokensAreRenewedAheadOfTheirEnd() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            await till.world.pass(.hours(43))
            #expect(till.books.tokens == 1)
            await till.world.pass(.hours(2))
            #expect(till.books.tokens == 2)
            await till.world.pass(.hours(100))
            // Never without a good token, and never a new session for it.
            #expect(till.world.reader.status.isReady)
            #expect(try await till.service.charge(amount: 5, currency: "EUR").status == .approved)
        }
        #expect(till.world.driver.books.withLock { $0.prepares } == 1)
    }

    @Test func aRenewalThatFailsHarmsNobodyWhileTheTokenIsGood() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            till.psp.books.withLock { $0.failsTokens = true }
            await till.world.pass(.hours(45))
            #expect(till.books.tokens > 1)
            #expect(try await till.service.charge(amount: 5, currency: "EUR").status == .approved)
            await till.world.pass(.hours(4))
            await #expect(throws: TapToPayError.noReaderToken("Broken")) {
                _ = try await till.service.charge(amount: 5, currency: "EUR")
            }
            till.psp.books.withLock { $0.failsTokens = false }
            #expect(try await till.service.charge(amount: 5, currency: "EUR").status == .approved)
        }
    }

    @Test func howeverManyAskATokenIsFetchedOnce() throws {
        let till = Till()
        till.psp.books.withLock { $0.tokenDelay = .seconds(5) }
        try till.run { till in
            let tasks = (0..<8).map { _ in till.world.start { _ in try await till.service.tokens.token() } }
            for task in tasks {
                let token = try await task.value
                #expect(token.rawValue == "token-1")
            }
        }
        #expect(till.books.tokens == 1)
    }

    @Test func aPaymentThatCannotBeOpenedReadsNoCard() throws {
        let till = Till()
        till.psp.books.withLock { $0.refusesToOpen = true }
        try till.run { till in
            try await till.service.initialize()
            await #expect(throws: TapToPayError.notOpened("The journal refuses.")) {
                _ = try await till.service.charge(amount: 5, currency: "EUR")
            }
        }
        #expect(till.world.driver.books.withLock { $0.reads } == 0)
    }

    @Test func moneyGoesBackToTheCardThatIsPresented() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            #expect(try await till.service.refund(amount: 5, currency: "EUR").status == .approved)
            till.psp.books.withLock { $0.error = ScriptedProvider.Broken() }
            #expect(try await till.service.refund(amount: 5, currency: "EUR").status == .unknown)
        }
        #expect(till.books.refunded.count == 2)
        #expect(till.books.opened.isEmpty)
    }

    @Test func aCardIsReadWithoutAnAmount() throws {
        let till = Till()
        try till.run { till in
            try await till.service.initialize()
            #expect(try await till.service.verify(currency: "EUR", for: .lookUp).card?.lastFour == "0119")
        }
        #expect(till.books.opened.isEmpty)
    }

    // MARK: Loyalty

    struct Program: LoyaltyProgram {
        let isBroken: Bool
        let log: Log<String>
        func recordVisit(_ pass: VASReadResult.ReadEntry) async throws -> LoyaltyVisit {
            log.add(pass.id)
            if isBroken { throw ScriptedProvider.Broken() }
            return LoyaltyVisit(pass: pass.id, text: "Member ••0001")
        }
    }

    @Test(arguments: [false, true])
    func aBrokenLoyaltyProgramNeverTouchesThePayment(isBroken: Bool) throws {
        let log = Log<String>()
        let till = Till(loyalty: Program(isBroken: isBroken, log: log))
        try till.run { till in
            try await till.service.initialize()
            let charge = try await till.service.chargeWithLoyalty(
                amount: 5, currency: "EUR", loyaltyPassIdentifier: "pass.com.example.loyalty")
            #expect(charge.payment?.status == .approved)
            #expect(charge.visits.count == (isBroken ? 0 : 1))
        }
        #expect(log.all == ["pass.com.example.loyalty"])
    }

    // MARK: Scenes

    @Test func theSceneManagerEndsAndRemakesTheSession() throws {
        let till = Till()
        try till.run { till in
            let scenes = ReaderSessionManager(reader: till.world.reader, executor: till.world.executor)
            try await till.service.initialize()
            scenes.handleScenePhase(.inactive)
            await till.world.pass(.seconds(1))
            #expect(scenes.status.isReady)
            scenes.handleScenePhase(.background)
            await till.world.pass(.seconds(1))
            #expect(!scenes.status.isReady)
            await #expect(throws: TapToPayError.reader(.backgroundRequestNotAllowed)) {
                _ = try await till.service.charge(amount: 5, currency: "EUR")
            }
            scenes.handleScenePhase(.active)
            await till.world.pass(.seconds(5))
            #expect(scenes.status.isReady)
            #expect(try await till.service.charge(amount: 5, currency: "EUR").status == .approved)
        }
        #expect(till.books.opened.count == 1)
    }
}
