import Foundation
import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillTapToPay

/// The engine over a driver that does what it is told: who gets which answer, and what the driver sees.
@Suite struct EngineTests {
    typealias ReadError = PaymentCardReaderSession.ReadError

    // MARK: Preparing

    @Test func preparingAgainGivesTheSessionThatLives() throws {
        let world = TapWorld()
        try world.run { world in
            let first = try await world.reader.prepare(using: TapWorld.token)
            let second = try await world.reader.prepare(using: TapWorld.token)
            #expect(first.number == second.number)
        }
        #expect(world.driver.books.withLock { $0.prepares } == 1)
    }

    @Test func preparationsAtTheSameTimeShareOne() throws {
        let world = TapWorld()
        try world.run { world in
            let tasks = (0..<5).map { _ in
                world.start { world in try await world.reader.prepare(using: TapWorld.token).number }
            }
            var numbers: Set<Int> = []
            for task in tasks { numbers.insert(try await task.value) }
            #expect(numbers.count == 1)
        }
        #expect(world.driver.books.withLock { $0.prepares } == 1)
    }

    @Test func oneCallerWhoGivesUpTakesTheSessionFromNobody() throws {
        let world = TapWorld()
        try world.run { world in
            let patient = world.start { world in try await world.reader.prepare(using: TapWorld.token).number }
            let other = world.start { world in try await world.reader.prepare(using: TapWorld.token).number }
            await world.pass(.milliseconds(500))
            other.cancel()
            await #expect(throws: PaymentCardReaderError.requestInterrupted) { try await other.value }
            _ = try await patient.value
            #expect(world.reader.status.isReady)
        }
    }

    @Test func theLastCallerWhoGivesUpEndsThePreparation() throws {
        let world = TapWorld()
        world.driver.script(prepare: [.waits])
        try world.run { world in
            let only = world.start { world in try await world.reader.prepare(using: TapWorld.token).number }
            await world.pass(.seconds(5))
            only.cancel()
            await #expect(throws: PaymentCardReaderError.requestInterrupted) { try await only.value }
            await world.pass(.seconds(1))
            #expect(world.reader.status.phase == .idle)
            #expect(!world.reader.status.isBusy)
            _ = try await world.reader.prepare(using: TapWorld.token)
        }
    }

    @Test func aPreparationThatTakesTooLongIsGivenUp() throws {
        let world = TapWorld()
        world.driver.script(prepare: [.deaf(.hours(2))])
        try world.run { world in
            let begun = world.clock.now()
            await #expect(throws: PaymentCardReaderError.prepareFailed("it took too long")) {
                _ = try await world.reader.prepare(using: TapWorld.token)
            }
            #expect(world.clock.now().since(begun) == TapToPayDeadlines().preparation)
            // The late session is ended and not used.
            await world.pass(.hours(3))
            #expect(world.driver.books.withLock { $0.begun } == world.driver.books.withLock { $0.ended })
        }
    }

    @Test func aReaderThatIsNotThereSaysSoAtOnce() throws {
        let world = TapWorld(unsupported: .modelNotSupported)
        try world.run { world in
            await #expect(throws: PaymentCardReaderError.modelNotSupported) {
                _ = try await world.reader.prepare(using: TapWorld.token)
            }
            await #expect(throws: PaymentCardReaderError.modelNotSupported) {
                try await world.reader.linkAccount(using: TapWorld.token)
            }
        }
        #expect(!world.reader.isSupported)
    }

    @Test func anAccountIsLinkedOnceAndPreparedThen() throws {
        let world = TapWorld()
        world.driver.books.withLock { $0.isLinked = false }
        try world.run { world in
            await #expect(throws: PaymentCardReaderError.accountNotLinked) {
                _ = try await world.reader.prepare(using: TapWorld.token)
            }
            #expect(world.reader.status.phase == .unlinked)
            try await world.reader.linkAccount(using: TapWorld.token)
            _ = try await world.reader.prepare(using: TapWorld.token)
        }
        #expect(world.driver.books.withLock { $0.links } == 1)
    }

    @Test func termsThatAreNotAcceptedLeaveTheReaderUnlinked() throws {
        let world = TapWorld()
        world.driver.script(link: [.fail(.accountLinkingCancelled)])
        try world.run { world in
            await #expect(throws: PaymentCardReaderError.accountLinkingCancelled) {
                try await world.reader.linkAccount(using: TapWorld.token)
            }
            #expect(world.reader.status.phase == .unlinked)
        }
    }

    // MARK: Reading

    @Test func oneSessionReadsAnyNumberOfCards() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            for _ in 0..<20 { _ = try await session.readPaymentCard(TapWorld.euro) }
        }
        #expect(world.driver.books.withLock { $0.prepares } == 1)
        #expect(world.driver.books.withLock { $0.reads } == 20)
    }

    @Test func oneReadAtATime() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let first = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.milliseconds(100))
            await #expect(throws: ReadError.readerSessionBusy) { _ = try await session.readPaymentCard(TapWorld.euro) }
            _ = try await first.value
        }
    }

    @Test func callingOffIsCertain() throws {
        let world = TapWorld()
        world.driver.script(read: [.waits])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.seconds(1))
            #expect(try await session.cancelRead())
            await #expect(throws: ReadError.readCancelled) { _ = try await read.value }
            // The reader is ready again.
            _ = try await session.readPaymentCard(TapWorld.euro)
        }
    }

    @Test func aCardThatWasFasterIsNotCalledOff() throws {
        let world = TapWorld()
        world.driver.script(read: [.deaf(.seconds(2))])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.seconds(1))
            #expect(try await !session.cancelRead())
            #expect(try await read.value.paymentCardData != nil)
        }
    }

    @Test func thereIsNothingToCallOffWhenNothingIsRead() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            #expect(try await !session.cancelRead())
        }
    }

    @Test func aCancelledTaskEndsItsRead() throws {
        let world = TapWorld()
        world.driver.script(read: [.waits])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.seconds(1))
            read.cancel()
            await #expect(throws: ReadError.readCancelled) { _ = try await read.value }
        }
    }

    @Test func aDriverThatDoesNotComeBackHoldsNobodyAndItsCardIsNotLost() throws {
        let world = TapWorld()
        world.driver.script(read: [.deaf(.minutes(5))])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let begun = world.clock.now()
            let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.seconds(1))
            #expect(try await session.cancelRead())
            await #expect(throws: ReadError.readerServiceError) { _ = try await read.value }
            #expect(world.clock.now().since(begun) <= .seconds(12))
            await world.pass(.minutes(6))
            #expect(world.late.all.map(\.id) == ["read-1"])
            #expect(world.reader.status.isReady, "another session was made once the driver was back")
        }
    }

    @Test func aReadWithoutACardEndsByItself() throws {
        let world = TapWorld()
        world.driver.script(read: [.waits])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let begun = world.clock.now()
            await #expect(throws: ReadError.readCancelled) { _ = try await session.readPaymentCard(TapWorld.euro) }
            #expect(world.clock.now().since(begun) <= TapToPayDeadlines().read.milliseconds.asSpan(plus: 1000))
        }
    }

    @Test(arguments: [
        (Decimal(0), "EUR", ReadError.invalidAmount), (Decimal(-1), "EUR", .invalidAmount),
        (Decimal.nan, "EUR", .invalidAmount), (Decimal(string: "12.505")!, "EUR", .invalidAmount),
        (Decimal(string: "12.5")!, "JPY", .invalidAmount), (Decimal(12), "EURO", .invalidCurrencyCode),
        (Decimal.greatestFiniteMagnitude, "EUR", .invalidAmount),
    ])
    func anAmountThatCannotBeIsRefusedBeforeTheReaderIsAsked(
        amount: Decimal, currency: String, expected: ReadError
    ) throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            await #expect(throws: expected) {
                _ = try await session.readPaymentCard(
                    PaymentCardTransactionRequest(amount: amount, currencyCode: currency))
            }
        }
        #expect(world.driver.books.withLock { $0.reads } == 0)
    }

    // MARK: Background and foreground

    @Test func theBackgroundEndsASessionAndTheForegroundMakesANewOne() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            await world.reader.entersBackground()
            await #expect(throws: ReadError.readFromBackgroundError) {
                _ = try await session.readPaymentCard(TapWorld.euro)
            }
            await world.reader.entersForeground()
            await world.pass(.seconds(5))
            #expect(world.reader.status.isReady)
            await #expect(throws: ReadError.readerSessionExpired) {
                _ = try await session.readPaymentCard(TapWorld.euro)
            }
            let next = try await world.reader.prepare(using: TapWorld.token)
            _ = try await next.readPaymentCard(TapWorld.euro)
        }
        #expect(world.driver.books.withLock { $0.prepares } == 2)
        #expect(world.driver.books.withLock { $0.ended.first } == 1)
    }

    @Test func aReadInTheBackgroundEndsWithItsReason() throws {
        let world = TapWorld()
        world.driver.script(read: [.waits])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.seconds(1))
            await world.reader.entersBackground()
            await #expect(throws: ReadError.readFromBackgroundError) { _ = try await read.value }
        }
    }

    @Test func aCardThatWasReadBeforeTheBackgroundReachesItsCaller() throws {
        let world = TapWorld()
        world.driver.script(read: [.deaf(.seconds(2))])
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = world.start { _ in try await session.readPaymentCard(TapWorld.euro) }
            await world.pass(.seconds(1))
            await world.reader.entersBackground()
            #expect(try await read.value.id == "read-1")
        }
    }

    @Test func comingBackFailsWithGrowingPausesAndThenWaitsToBeAsked() throws {
        let world = TapWorld()
        let fails = Array(repeating: ScriptedTapDriver.Step.fail(.networkError), count: 20)
        try world.run { world in
            _ = try await world.reader.prepare(using: TapWorld.token)
            world.driver.script(prepare: fails)
            await world.reader.entersBackground()
            await world.reader.entersForeground()
            await world.pass(.minutes(10))
            #expect(world.reader.status.phase == .idle)
            // The first, and one for each failure that is allowed, after the one that had worked.
            #expect(world.driver.books.withLock { $0.prepares } == 2 + ReaderLifecycle.mostFailures)
        }
    }

    @Test func pausesDoubleUpToTheirLimit() {
        let deadlines = TapToPayDeadlines()
        #expect(
            (1...9).map { deadlines.backOff(attempt: $0).milliseconds } == [
                500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
            ])
        #expect(deadlines.backOff(attempt: .max) == deadlines.longestBackOff)
        #expect(deadlines.backOff(attempt: .min) == deadlines.firstBackOff)
    }

    // MARK: Events

    @Test func aListenerWhoComesLateHasMissedNothing() throws {
        let world = TapWorld()
        try world.run { world in
            _ = try await world.reader.prepare(using: TapWorld.token)
            var heard: [PaymentCardReader.Event] = []
            for await event in world.reader.events {
                heard.append(event)
                if event == .updateProgress(100) { break }
            }
            #expect(heard == [.updateProgress(10), .updateProgress(100)])
        }
    }

    @Test func aListenerWhoseTaskIsCancelledTakesNothingFromTheOthers() throws {
        let world = TapWorld()
        let heard = Log<PaymentCardReader.Event>()
        try world.run { world in
            let first = world.start { world in for await _ in world.reader.events {} }
            await world.pass(.milliseconds(10))
            first.cancel()
            _ = try? await first.value
            let second = world.start { world in
                for await event in world.reader.events { heard.add(event) }
            }
            let session = try await world.reader.prepare(using: TapWorld.token)
            _ = try await session.readPaymentCard(TapWorld.euro)
            await world.pass(.milliseconds(10))
            second.cancel()
            _ = try? await second.value
            // One who listens again after both hears the read.
            var again: [PaymentCardReader.Event] = []
            for await event in world.reader.events {
                again.append(event)
                if event == .readCompleted { break }
            }
            #expect(again == [.readyForTap, .cardDetected, .readCompleted])
        }
        #expect(heard.all.contains(.updateProgress(10)))
        #expect(heard.all.last == .readCompleted)
    }

    @Test func listenersThatAreGoneAreForgotten() async {
        let history = EventHistory<Int>()
        for _ in 0..<100 { _ = history.listen() }
        #expect(history.listenerCount == 0)
        for number in 0..<1000 { history.send(number) }
        var first: Int?
        for await number in history.listen() {
            first = number
            break
        }
        #expect(first == 1000 - EventHistory<Int>.mostRemembered)
    }

    // MARK: Tokens and deadlines

    @Test func aTokenThatEndsTakesItsSessionWithIt() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            await world.pass(TapToPayDeadlines().tokenLifetime)
            await world.pass(.milliseconds(1))
            #expect(!world.reader.status.isReady)
            await #expect(throws: ReadError.self) { _ = try await session.readPaymentCard(TapWorld.euro) }
            _ = try await world.reader.prepare(using: PaymentCardReader.Token(rawValue: "token-2"))
                .readPaymentCard(TapWorld.euro)
        }
    }

    @Test func aPINIsAskedForWithinItsTimeAndForThisReadersReadsOnly() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = try await session.readPaymentCard(TapWorld.euro)
            let pin = PaymentCardReaderSession.PINToken(rawValue: "pin")
            _ = try await session.capturePIN(using: pin, cardReaderTransactionID: read.id)
            await #expect(throws: ReadError.pinNotAllowed) {
                _ = try await session.capturePIN(using: pin, cardReaderTransactionID: "read-of-another")
            }
            let late = try await session.readPaymentCard(TapWorld.euro)
            await world.pass(.seconds(56))
            await #expect(throws: ReadError.pinNotAllowed) {
                _ = try await session.capturePIN(using: pin, cardReaderTransactionID: late.id)
            }
        }
    }

    @Test func sealedDataAreGoodForAMinute() throws {
        let world = TapWorld()
        try world.run { world in
            let session = try await world.reader.prepare(using: TapWorld.token)
            let read = try await session.readPaymentCard(TapWorld.euro)
            let at = try #require(read.readAt)
            #expect(read.isFresh(at: at.adding(.seconds(60))))
            #expect(!read.isFresh(at: at.adding(.milliseconds(60_001))))
            #expect(!read.isFresh(at: at.adding(.milliseconds(-1))), "a clock that was set back proves nothing")
            #expect(!PaymentCardReadResult(id: "x", paymentCardData: "y").isFresh(at: at))
        }
    }

    @Test func storedReadsNeedARecentTimeOnline() throws {
        let world = TapWorld()
        try world.run { world in
            _ = try await world.reader.prepare(using: TapWorld.token)
            await world.pass(.hours(23))
            let session = try await world.reader.prepareStoreAndForward()
            _ = try await session.readPaymentCard(TapWorld.euro)
            try await session.decline()
            await world.pass(.seconds(61))
            await #expect(throws: ReadError.storeAndForwardDeclineFailed) { try await session.decline() }
            await #expect(throws: ReadError.pinNotAllowed) {
                _ = try await session.capturePIN(using: .init(rawValue: "pin"), cardReaderTransactionID: "read-1")
            }
            await world.reader.entersBackground()
            await world.pass(.hours(1))
            await world.reader.entersForeground()
            await world.pass(.minutes(1))
            await world.reader.close()
            await #expect(throws: PaymentCardReaderError.storeAndForwardSessionExpired) {
                _ = try await world.reader.prepareStoreAndForward()
            }
        }
    }

    @Test func anotherIssuersTokenIsRefusedWhilePaymentsAreStored() throws {
        let world = TapWorld()
        func token(_ issuer: String, _ number: Int) -> PaymentCardReader.Token {
            let body = Data(#"{"iss":"\#(issuer)","n":\#(number)}"#.utf8).base64EncodedString()
            return PaymentCardReader.Token(rawValue: "e30.\(body.replacingOccurrences(of: "=", with: "")).e30")
        }
        let (one, newer, two) = (token("one", 1), token("one", 2), token("two", 1))
        try world.run { world in
            _ = try await world.reader.prepare(using: one)
            await world.reader.storedPayments(count: 3)
            _ = try await world.reader.prepare(using: newer)
            await #expect(throws: PaymentCardReaderError.storeAndForwardTokenIssuerChanged) {
                _ = try await world.reader.prepare(using: two)
            }
            #expect(world.driver.books.withLock { $0.prepares } == 1, "a newer token needs no new session")
            await world.reader.storedPayments(count: 0)
            _ = try await world.reader.prepare(using: two)
        }
        #expect(world.driver.books.withLock { $0.tokens } == [one.rawValue, two.rawValue])
    }
}

extension Int64 {
    func asSpan(plus more: Int64) -> Span { Span(milliseconds: self + more) }
}
