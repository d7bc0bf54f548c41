import Testing
import TillCore

@testable import TillHardware

/// Calling off at every point at which a command waits: it returns within its bound, and what comes late is not lost.
@Suite struct CancelTests {
    /// The driver comes back, the intent is ended, and a reader may be let go: each has a limit.
    static let bound = Span.seconds(35)

    enum Wait: String, CaseIterable, Sendable {
        case cardRemoval, createIntent, createIntentHappens, collect, collectHangs, cancelCollectHangs, collectHappens
        case write, cancelIntentHangs
    }

    private static func prepare(_ wait: Wait, _ world: ReaderWorld) async {
        let driver = world.driver
        switch wait {
        case .cardRemoval: await driver.say(.reader(CardReaderEvent(.cardInserted)))
        case .createIntent: driver.next(.createIntent, .hangs)
        case .createIntentHappens: driver.next(.createIntent, .reportedAfter(.seconds(25)))
        case .collect: driver.customer(.neverComes)
        case .collectHangs: driver.next(.collect, .hangs)
        case .cancelCollectHangs:
            driver.customer(.neverComes)
            driver.next(.cancelCollect, .hangs)
        case .collectHappens: driver.next(.collect, .happensThenHangs)
        case .write: break
        case .cancelIntentHangs:
            driver.customer(.neverComes)
            driver.next(.cancelIntent, .hangs)
        }
    }

    @Test(arguments: Wait.allCases, [false, true])
    func aPaymentIsCalledOffWithinItsBound(wait: Wait, byTask: Bool) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            await Self.prepare(wait, world)
            let payment = world.start { world in
                try await world.service.collectPayment(world.parameters()) { _, _ in
                    if wait == .write { await world.pass(.minutes(10)) }
                }
            }
            await world.pass(.seconds(5))
            #expect(world.state == "collecting")
            let begun = world.now
            if byTask { payment.cancel() } else { try await world.service.cancelPayment() }
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await payment.value }
            #expect(world.now.since(begun) <= Self.bound)
            #expect(error?.underlyingError == .commandCanceled)
            #expect(error?.details.canceledBy == .app)
            #expect(error?.moneyMoved == .no)
            #expect(world.driver.calls(.confirm) == 0)
            #expect(world.state == "connected")
            // Whatever comes late, no intent of the order stays payable without anybody knowing.
            world.driver.release()
            await world.pass(.minutes(20))
            #expect(world.driver.calls(.confirm) == 0)
            for book in world.driver.books where book.intent.status != .canceled {
                #expect(world.late.all.contains(.intentLeftOpen(book.intent, order: OrderID(rawValue: "1001"))))
            }
        }
    }

    @Test func aConfirmationInFlightIsNotCalledOffAndSaysSo() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .after(.seconds(20)))
            let payment = world.start { world in try await world.pay() }
            await world.reaches(.confirm)
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.service.cancelPayment() }
            #expect(error?.interaction == .paymentCancellation)
            #expect(error?.underlyingError == .confirmInFlight)
            #expect(error?.moneyMoved == .unknown)
            payment.cancel()
            #expect(try await payment.value.status == .requiresCapture)
        }
    }

    @Test func aPaymentOfUnknownOutcomeIsNotCalledOff() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .happensThenFails(CardReaderFailure(.requestTimedOut)))
            world.driver.next(.retrieveIntent, .fail(CardReaderFailure(.notConnectedToInternet)))
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.service.cancelPayment() }
            #expect(error?.moneyMoved == .unknown)
            #expect(world.driver.calls(.cancelIntent) == 0)
        }
    }

    @Test func aReaderThatIsStuckTakesNothingNewUntilItIsBack() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.collect, .hangs)
            let payment = world.start { world in try await world.pay() }
            await world.pass(.seconds(1))
            try await world.service.cancelPayment()
            _ = try? await payment.value
            let busy = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.pay(world.parameters(order: "2"))
            }
            #expect(busy?.underlyingError == .readerBusy)
            if case .fault = world.service.serviceStatus.current {} else { Issue.record("no fault") }
            world.driver.release()
            await world.pass(.seconds(1))
            #expect(world.service.serviceStatus.current == .ready)
            #expect(try await world.pay(world.parameters(order: "2")).status == .requiresCapture)
            #expect(world.driver.overlaps.isEmpty)
        }
    }

    enum DiscoveryWait: String, CaseIterable, Sendable { case token, discover, discoverHangs, cancelHangs }

    @Test(arguments: DiscoveryWait.allCases)
    func aDiscoveryEndsWithinItsBound(wait: DiscoveryWait) throws {
        try ReaderWorld().run { world in
            switch wait {
            case .discoverHangs: world.driver.next(.discover, .hangs)
            case .cancelHangs: world.driver.next(.cancelDiscovery, .hangs)
            case .token, .discover: break
            }
            let config = ScriptedConfig(account: ReaderWorld.shop) {
                if wait == .token { await world.pass(.hours(1)) }
                return "tok"
            }
            world.start { world in try await world.service.start(config) }
            await world.pass(.seconds(1))
            #expect(world.state == "discovering")
            let begun = world.now
            try? await world.service.cancelDiscovery()
            #expect(world.now.since(begun) <= Self.bound)
            #expect(world.state == "idle")
            #expect(world.service.discoveredReaders.current == [])
        }
    }

    @Test(arguments: [ScriptedDriver.Point.connect, .disconnect], [false, true])
    func connectingIsGivenUpWithinItsBound(point: ScriptedDriver.Point, byTask: Bool) throws {
        try ReaderWorld().run { world in
            world.driver.next(.connect, .happensThenHangs)
            if point == .disconnect { world.driver.next(.disconnect, .hangs) }
            let connecting = world.start { world in try await world.connect() }
            await world.reaches(.connect)
            let begun = world.now
            if byTask { connecting.cancel() } else { try? await world.service.disconnect() }
            let error = await #expect(throws: CardReaderServiceError.self) { try await connecting.value }
            #expect(world.now.since(begun) <= Self.bound)
            #expect(error?.underlyingError == .connectionAttemptInvalidated)
            #expect(world.service.connectedReaders.current == [])
            world.driver.release()
            await world.pass(.minutes(1))
            // It landed late: nobody believes it, and it is let go.
            #expect(world.service.connectedReaders.current == [])
            #expect(world.state == "idle")
        }
    }

    @Test(arguments: [ScriptedDriver.Point.refund, .cancelRefund])
    func aRefundIsCalledOffWithinItsBound(point: ScriptedDriver.Point) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.neverComes)
            world.driver.next(point, .hangs)
            let refund = world.start { world in
                try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
            }
            await world.reaches(.refund)
            let begun = world.now
            try await world.service.cancelRefund()
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await refund.value }
            #expect(world.now.since(begun) <= Self.bound)
            // A driver that does not come back may have given the money back.
            #expect(error?.moneyMoved == .unknown)
            let other = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.refund(StateTableTests.refund("re-2", charge: "ch_1"))
            }
            #expect(other?.moneyMoved == .unknown)
        }
    }

    @Test func aRefundThatWaitsForTheCardIsCalledOffWithoutMoney() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.neverComes)
            let refund = world.start { world in
                try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1"))
            }
            await world.reaches(.refund)
            await world.pass(.seconds(1))
            try await world.service.cancelRefund()
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await refund.value }
            #expect(error?.underlyingError == .commandCanceled)
            #expect(error?.moneyMoved == .no)
            #expect(error?.details.canceledBy == .app)
        }
    }

    @Test func aSecondStartCancelsAndAwaitsTheFirst() throws {
        try ReaderWorld().run { world in
            try await world.service.start(world.config())
            await world.reaches(.discover)
            let second = world.start { world in try await world.service.start(world.config()) }
            let third = world.start { world in try await world.service.start(world.config()) }
            // Two that wait for the same end: the last one wins, the other is told so.
            let error = await #expect(throws: CardReaderServiceError.self) { try await second.value }
            #expect(error?.underlyingError == .canceledByNewerCommand)
            try await third.value
            await world.pass(.milliseconds(50))
            #expect(world.driver.calls(.discover) == 2)
            #expect(world.driver.calls(.cancelDiscovery) == 1)
            #expect(world.driver.overlaps.isEmpty)
            let serials = world.service.discoveredReaders.current?.map(\.serial)
            #expect(serials == ["M2-1"])
            #expect(world.state == "discovering")
        }
    }
}
