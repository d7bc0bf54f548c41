import Foundation
import Synchronization
import Testing
import TillCore

@testable import TillHardware

/// Public defects of existing systems, by name: each happens with a naive double in this very world, and not with ours.
@Suite struct KnownDefectsTests {
    @Test func orderPaidTwiceAfterAnUnknownOutcome() throws {
        let lost = ScriptedDriver.Fault.happensThenFails(CardReaderFailure(.requestTimedOut))
        try ReaderWorld().run { world in
            let app = NaiveApp(world)
            world.driver.next(.confirm, lost)
            _ = try? await app.pay(world.parameters())
            _ = try await app.pay(world.parameters())
            #expect(world.driver.paid(world.parameters().order).count == 2)
        }
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, lost)
            world.driver.next(.retrieveIntent, .fail(CardReaderFailure(.notConnectedToInternet)))
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            _ = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            #expect(world.driver.paid(world.parameters().order).count == 1)
        }
    }

    @Test func chargedToTheWrongAccountAfterASwitch() throws {
        let keepsItsOldToken: @Sendable (inout ScriptedDriver.State) -> Void = { state in
            state.usesStaleAccount = true
            state.sessionAccount = ReaderWorld.other
        }
        try ReaderWorld().run { world in
            world.driver.set(keepsItsOldToken)
            let paid = try await NaiveApp(world).pay(world.parameters())
            #expect(paid.account == ReaderWorld.other)
        }
        try ReaderWorld().run { world in
            world.driver.set(keepsItsOldToken)
            try await world.connect()
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.underlyingError == .accountMismatch)
            #expect(world.driver.books.allSatisfy { $0.intent.status.moneyMoved != .yes })
            #expect(world.driver.calls(.collect) == 0)
        }
    }

    @Test func aStaleCollectAnswersForAnEarlierAmount() throws {
        @Sendable func earlier(_ world: ReaderWorld) throws {
            let intent = try world.driver.serverIntent(
                OrderID(rawValue: "900"), Money(minorUnits: 90_000, currency: .eur), account: ReaderWorld.shop)
            world.driver.set { state in
                state.books[intent.id]?.intent.status = .requiresConfirmation
                state.answersForOther = state.books[intent.id]?.intent
            }
        }
        try ReaderWorld().run { world in
            try earlier(world)
            let paid = try await NaiveApp(world).pay(world.parameters())
            #expect(paid.amount.minorUnits == 90_000)
        }
        try ReaderWorld().run { world in
            try earlier(world)
            try await world.connect()
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            #expect(error?.underlyingError == .resultMismatch)
            #expect(error?.moneyMoved == .no)
            #expect(world.driver.calls(.confirm) == 0)
        }
    }

    @Test func aCancelThatNeverReturns() throws {
        // Naive: wait for the collection to say that it ended, and only then go on.
        #expect(throws: ItHangs.self) {
            try ReaderWorld().run { world in
                world.driver.next(.collect, .hangs)
                let payment = world.start { world in try await NaiveApp(world).pay(world.parameters()) }
                await world.reaches(.collect)
                try await world.driver.cancelCollect()
                _ = try await payment.value
            }
        }
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.collect, .hangs)
            let payment = world.start { world in try await world.pay() }
            await world.reaches(.collect)
            try await world.service.cancelPayment()
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await payment.value }
        }
    }

    @Test func aPendingRefundTakenAsSuccess() throws {
        try ReaderWorld().run { world in
            world.driver.set { $0.refundStatus = .pending }
            let parameters = StateTableTests.refund("re-1", charge: "ch_1")
            // Naive: what does not throw has worked.
            #expect((try? await world.driver.refund(parameters)) != nil)
            try await world.connect()
            let refund = try await world.service.refund(parameters)
            #expect(refund.status == .pending)
            #expect(refund.status != .succeeded)
            #expect(world.service.readerEvents.current?.type == .outcomeUnknown)
            world.driver.set { $0.refundStatus = CardReaderRefundStatus(rawValue: "from_the_future") }
            let odd = try await world.service.refund(StateTableTests.refund("re-2", charge: "ch_2"))
            #expect(odd.status.rawValue == "from_the_future")
        }
    }

    @Test func aHundredTimesTheRefundInYen() throws {
        func naive(_ amount: Decimal) -> Int { NSDecimalNumber(decimal: amount * 100).intValue }
        #expect(naive(500) == 50_000)
        #expect(naive(Decimal(string: "1.234") ?? 0) == 123)
        try ReaderWorld().run { world in
            try await world.connect()
            for (text, currency, minor) in [("500", Currency.jpy, Int64(500)), ("1.234", .kwd, 1234)] {
                let amount = try Money(parsing: text, currency: currency)
                let refund = try await world.service.refund(
                    StateTableTests.refund("re-\(text)", charge: "ch_\(text)", amount: amount))
                #expect(refund.amount == Money(minorUnits: minor, currency: currency))
            }
        }
    }

    @Test func amountsThatLoseAMinorUnit() throws {
        var naive = 0
        var ours = 0
        for minor in 0..<100_000 {
            let decimal = Decimal(Double(minor) / 100)
            if NSDecimalNumber(decimal: decimal * 100).uintValue != UInt(minor) { naive += 1 }
            let text = "\(minor / 100).\(minor % 100 < 10 ? "0" : "")\(minor % 100)"
            if try Money(parsing: text, currency: .usd).minorUnits != Int64(minor) { ours += 1 }
        }
        #expect(naive > 1000)
        #expect(ours == 0)
    }

    @Test func anUnknownStatusReadAsCanceled() throws {
        // Naive: an enum of six cases with a default.
        enum Naive: String { case canceled, succeeded }
        #expect((Naive(rawValue: "requires_reauthorization") ?? .canceled) == .canceled)
        for word in ["requires_reauthorization", "requires_action", "from_the_future"] {
            let status = PaymentIntentStatus(rawValue: word)
            #expect(status.rawValue == word)
            #expect(status != .canceled)
            #expect(status.moneyMoved == .unknown)
        }
        #expect(ChargeStatus(rawValue: "odd") != .failed)
        #expect(throws: CardReaderFailure(.paymentIntentIDMissing)) {
            try PaymentIntent(
                id: ProviderReference(rawValue: ""), account: .main, order: nil, status: .succeeded,
                amount: .zero(.eur))
        }
    }

    @Test func aConnectionThatWasGivenUpIsPublishedAsConnected() throws {
        try ReaderWorld().run { world in
            world.driver.next(.connect, .reportedAfter(.seconds(30)))
            let connecting = world.start { world in try await world.connect() }
            await world.reaches(.connect)
            let lists = world.service.connectedReaders.subscribe()
            try await world.service.clear()
            _ = await #expect(throws: CardReaderServiceError.self) { try await connecting.value }
            await world.pass(.minutes(1))
            try await world.connect()
            var seen: [Int] = []
            for await list in lists {
                seen.append(list.count)
                if list.count == 1 { break }
            }
            // One connection was made, the second; the first was never seen.
            #expect(seen == [0, 1])
            #expect(world.late.all.count == 1)
        }
    }

    @Test func aListenerFromBeforeHearsTheNextDiscovery() throws {
        try ReaderWorld().run { world in
            let lists = world.service.discoveredReaders.subscribe()
            for _ in 0..<2 {
                try await world.service.start(world.config())
                await world.reaches(.discover)
                await world.pass(.milliseconds(10))
                try await world.service.cancelDiscovery()
            }
            var found = 0
            for await list in lists {
                found += list.count
                if found == 2 { break }
            }
            #expect(found == 2)
        }
    }

    @Test func aPaymentThatFailedWithALostWriteIsNotForgotten() throws {
        // A crash of the app loses an active intent that lives in memory only; the write that comes first does not.
        try ReaderWorld().run { world in
            try await world.connect()
            let intent = try await world.pay()
            #expect(world.written.all.contains { $0.0 == intent.id && $0.1 == world.parameters().order })
        }
    }
}

/// What a naive app does: three calls in a row, an error is a failure, "try again" begins anew.
final class NaiveApp: Sendable {
    private let world: ReaderWorld
    private let tries = Mutex(0)

    init(_ world: ReaderWorld) { self.world = world }

    func pay(_ parameters: PaymentIntentParameters) async throws -> PaymentIntent {
        let number = tries.withLock { tries in
            tries += 1
            return tries
        }
        let attempt = CardReaderAttemptID(number: UInt64(number))
        let made = try await world.driver.createIntent(
            CardReaderIntentRequest(
                attempt: attempt, account: ReaderWorld.shop, parameters: parameters, reader: ScriptedDriver.m2,
                metadata: [:], key: IdempotencyKey(rawValue: "random-\(number)")))
        let collected = try await world.driver.collect(
            CardReaderCollectRequest(
                attempt: attempt, account: ReaderWorld.shop, intent: made, clientSecret: nil, parameters: parameters,
                reader: ScriptedDriver.m2))
        return try await world.driver.confirm(
            collected,
            CardReaderConfirmRequest(
                attempt: attempt, account: ReaderWorld.shop, reader: ScriptedDriver.m2, clientSecret: nil,
                key: IdempotencyKey(rawValue: "confirm-\(number)")))
    }
}
