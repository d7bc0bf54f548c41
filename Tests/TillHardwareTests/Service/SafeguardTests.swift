import Synchronization
import Testing
import TillCore

@testable import TillHardware

/// One rule a test: each turns red when its rule is taken out of the service.
@Suite struct SafeguardTests {
    private static let broken = CardReaderFailure(.requestTimedOut)

    @Test func anIntentOfAnotherAccountIsNoAnswerAboutThisOne() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .fail(Self.broken))
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.collectPayment(world.parameters()) { intent, order in
                    // A kit that keeps the other shop's session finds a paid intent of the same name there.
                    let foreign = try PaymentIntent(
                        id: intent.id, account: ReaderWorld.other, order: order, status: .succeeded,
                        amount: intent.amount)
                    world.driver.set { $0.books[intent.id]?.intent = foreign }
                }
            }
            #expect(error?.moneyMoved == .unknown)
        }
    }

    @Test func afterClearAnOldAccountsTokensAreRefused() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let kept = world.driver.state.withLock { $0.discovery }?.configuration
            try await world.service.disconnect()
            try await world.service.clear()
            await #expect(throws: CardReaderFailure(.accountMismatch)) { _ = try await kept?.connectionToken() }
            await #expect(throws: CardReaderFailure(.accountMismatch)) { _ = try await kept?.locationID() }
        }
    }

    @Test func whatAnOlderDiscoveryFindsIsNotShownAndNotConnected() throws {
        try ReaderWorld().run { world in
            try await world.service.start(world.config())
            await world.reaches(.discover)
            let old = world.driver.state.withLock { $0.found }
            try await world.service.start(world.config())
            await world.pass(.milliseconds(50))
            await old?([ScriptedDriver.p400])
            #expect(world.service.discoveredReaders.current?.map(\.serial) == ["M2-1"])
            let error = await #expect(throws: CardReaderServiceError.self) {
                try await world.service.connect(ScriptedDriver.p400)
            }
            #expect(error?.underlyingError == .readerNotFound)
        }
    }

    @Test func whatAFinishedDiscoveryFoundIsForgottenByTheNext() throws {
        try ReaderWorld().run { world in
            try await world.service.start(world.config())
            await world.reaches(.discover)
            await world.pass(.milliseconds(20))
            // The driver ends it by itself: what it found can be connected until the next one begins.
            world.driver.state.withLock { $0.waiting }?.give(nil)
            await world.reaches(state: "idle")
            // The next one has reported nothing yet.
            world.driver.set { $0.faults[.discover] = [.after(.minutes(1))] }
            try await world.service.start(world.config())
            await world.reaches(.discover)
            let error = await #expect(throws: CardReaderServiceError.self) {
                try await world.service.connect(ScriptedDriver.m2)
            }
            #expect(error?.underlyingError == .readerNotFound)
        }
    }

    @Test func aReaderThatWasFoundAgainIsConnectedAsItWasFoundLast() throws {
        try ReaderWorld().run { world in
            try await world.service.start(world.config())
            await world.reaches(.discover)
            await world.pass(.milliseconds(20))
            let newer = CardReader(
                serial: "M2-1", vendorIdentifier: "tmr_1", name: "Counter", softwareVersion: "2.0",
                readerType: .stripeM2)
            await world.driver.state.withLock { $0.found }?([newer])
            let connected = try await world.service.connect(ScriptedDriver.m2)
            #expect(connected.softwareVersion == "2.0")
        }
    }

    @Test func aCardThatStaysInTheReaderIsWaitedForAMinute() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            await world.driver.say(.reader(CardReaderEvent(.cardInserted)))
            let begun = world.now
            let isOut = await world.service.waitForInsertedCardToBeRemoved()
            #expect(!isOut)
            #expect(world.now.since(begun) == .seconds(60))
        }
    }

    @Test func aReaderThatDoesNotShowIsGivenUp() throws {
        try ReaderWorld().run { world in
            world.driver.set { $0.devices = [ScriptedDriver.p400] }
            try await world.connect(serial: "P400-1")
            world.driver.next(.display, .reportedAfter(.minutes(10)))
            let begun = world.now
            let shown = await #expect(throws: CardReaderServiceError.self) { try await world.service.display(nil) }
            #expect(shown?.interaction == .readerDisplay)
            #expect(world.now.since(begun) == .seconds(15))
        }
    }

    @Test func anUpdateThatDoesNotEndIsGivenUp() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            await world.driver.say(.updateAvailable(CardReaderSoftwareUpdate(version: "2.0")))
            await world.pass(.milliseconds(10))
            world.driver.next(.installUpdate, .reportedAfter(.hours(10)))
            let begun = world.now
            let updated = await #expect(throws: CardReaderServiceError.self) {
                try await world.service.installUpdate()
            }
            #expect(updated?.interaction == .softwareUpdate)
            #expect(world.now.since(begun) == .minutes(30))
        }
    }

    @Test func anIntentThatIsNotMadeInTimeEndsThePaymentWithoutMoney() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.createIntent, .hangs)
            let begun = world.now
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.interaction == .intentCreation)
            #expect(error?.moneyMoved == .no)
            #expect(world.now.since(begun) == .seconds(30))
        }
    }

    @Test func aReaderThatConnectsAfterItsTimeIsLetGo() throws {
        try ReaderWorld().run { world in
            world.driver.next(.connect, .reportedAfter(.minutes(3)))
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.connect() }
            #expect(error?.underlyingError == .connectTimedOut)
            let before = world.driver.calls(.disconnect)
            await world.pass(.minutes(4))
            #expect(world.driver.calls(.disconnect) == before + 1)
            #expect(world.service.connectedReaders.current == [])
        }
    }

    @Test func aCardThatIsCollectedAfterItsTimeIsTold() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.collect, .reportedAfter(.minutes(5)))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.underlyingError == .cardReadTimedOut)
            await world.pass(.minutes(6))
            let isReported = world.late.all.contains { if case .intent = $0 { true } else { false } }
            #expect(isReported)
            #expect(world.driver.calls(.confirm) == 0)
        }
    }

    @Test func moneyThatIsConfirmedAfterItsTimeSettlesItsOrderAndIsTold() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .reportedAfter(.minutes(3)))
            world.driver.always(.retrieveIntent, .fail(CardReaderFailure(.notConnectedToInternet)))
            let lost = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(lost?.moneyMoved == .unknown)
            await world.pass(.minutes(4))
            let isReported = world.late.all.contains { if case .intent = $0 { true } else { false } }
            #expect(isReported)
            let again = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(again?.underlyingError == .orderAlreadyPaid)
        }
    }

    @Test func aRefundThatIsMadeAfterItsTimeIsToldAndSettles() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.refund, .reportedAfter(.minutes(6)))
            let lost = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
            }
            #expect(lost?.moneyMoved == .unknown)
            await world.pass(.minutes(7))
            let isReported = world.late.all.contains { if case .refund = $0 { true } else { false } }
            #expect(isReported)
            _ = try await world.service.refund(StateTableTests.refund("re-2", charge: "ch_1"))
        }
    }

    @Test func anUnknownOutcomeIsAskedAgainUnderTheSameName() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .fail(Self.broken))
            world.driver.next(.retrieveIntent, .fail(Self.broken))
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            _ = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            let keys = world.driver.state.withLock { $0.confirmKeys }
            #expect(keys.count == 2)
            #expect(Set(keys).count == 1)
        }
    }

    @Test(arguments: [(Int64(49), UnderlyingError.amountTooSmall), (100_000_000, .amountTooLarge)])
    func anAmountOutOfBoundsIsRefusedBeforeTheReaderWakes(minor: Int64, why: UnderlyingError) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.pay(world.parameters(minor))
            }
            #expect(error?.underlyingError == why)
            #expect(world.driver.calls(.createIntent) == 0)
        }
    }

    @Test func aStatusFromTheFutureIsNeitherCanceledNorPaid() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.collectPayment(world.parameters()) { intent, _ in
                    let odd = PaymentIntentStatus(rawValue: "requires_reauthorization")
                    world.driver.set { $0.books[intent.id]?.intent.status = odd }
                }
            }
            #expect(error?.moneyMoved == .unknown)
            let other = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(other?.underlyingError == .orderHasOpenIntent)
        }
    }

    @Test func aRefundOfAnotherAmountThanAskedForIsNotTakenAsDone() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.set { $0.refundAmount = Money(minorUnits: 50_000, currency: .cad) }
            let error = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
            }
            #expect(error?.underlyingError == .resultMismatch)
            #expect(error?.moneyMoved == .unknown)
        }
    }

    @Test(arguments: [false, true])
    func aRefundThatIsNotDecidedKeepsOthersOfItsChargeAway(isPending: Bool) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            if isPending {
                world.driver.set { $0.refundStatus = .pending }
            } else {
                world.driver.next(.refund, .fail(Self.broken))
            }
            do throws(CardReaderServiceError) {
                let first = try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
                #expect(isPending && first.status == .pending)
            } catch { #expect(!isPending && error.moneyMoved == .unknown) }
            let other = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.refund(StateTableTests.refund("re-2", charge: "ch_1"))
            }
            #expect(other?.underlyingError == .processingInProgress)
            // Under its own name it may be asked for again.
            world.driver.set { $0.refundStatus = .succeeded }
            _ = try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
        }
    }
}
