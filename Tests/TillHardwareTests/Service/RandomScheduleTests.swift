import Foundation
import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillHardware

/// 10,000 schedules: two clerks, a moody reader, a network that loses answers, and tasks that run in any order. Each
/// is made from its number alone, so that a red one can be run again.
@Suite struct RandomScheduleTests {
    static let batches = 20
    static let perBatch = 500

    @Test(arguments: 0..<batches)
    func nothingIsEverLostOrTakenTwice(batch: Int) throws {
        for index in 0..<Self.perBatch {
            let seed = UInt64(batch * Self.perBatch + index + 1)
            let faults = try Schedule(seed: seed).run()
            #expect(faults.isEmpty, "schedule \(seed): \(faults.joined(separator: "; "))")
            if !faults.isEmpty { return }
        }
    }

    /// The check proves itself: a service that took the reader's word for the money would be caught.
    @Test func theOracleSeesALostPayment() throws {
        let schedule = Schedule(seed: 1)
        let intent = try PaymentIntent(
            id: ProviderReference(rawValue: "pi_1"), account: ReaderWorld.shop, order: OrderID(rawValue: "acct_shop/0"),
            status: .requiresCapture, amount: Money(minorUnits: 100, currency: .eur))
        let order = "acct_shop/0"
        #expect(schedule.oracle(paid: [intent], written: [], heard: [], settledLate: []).count == 2)
        #expect(schedule.oracle(paid: [intent, intent], written: [intent.id], heard: [], settledLate: []).count == 3)
        #expect(schedule.oracle(paid: [intent], written: [intent.id], heard: [order], settledLate: []).isEmpty)
    }
}

struct Schedule: Sendable {
    let seed: UInt64

    /// Runs it and gives back what was wrong.
    func run() throws -> [String] {
        let world = ReaderWorld(seed: seed)
        let heard = Mutex<Set<String>>([])
        let wrong = Mutex<[String]>([])
        let seed = seed
        try world.run { world in
            var random = SeededRandom(seed: seed &* 77)
            Self.setFaults(world.driver, &random)
            let clerks = (0..<2).map { clerk in
                let own = random.next()
                return world.start { world in
                    var random = SeededRandom(seed: own)
                    for _ in 0..<6 {
                        let begun = world.now
                        let name = await Self.step(world, &random) { order in heard.withLock { _ = $0.insert(order) } }
                        // 150 s for a card, 30 s each for intent, write and look, 60 s each for card and money.
                        if world.now.since(begun) > .minutes(8) {
                            wrong.withLock { $0.append("clerk \(clerk): \(name) took \(world.now.since(begun))") }
                        }
                    }
                }
            }
            let mood = random.next()
            let moods = world.start { world in
                var random = SeededRandom(seed: mood)
                for _ in 0..<4 {
                    await world.pass(.milliseconds(Int64(random.next() % 60_000)))
                    await Self.mood(world, &random)
                }
            }
            for clerk in clerks { try await clerk.value }
            try await moods.value
        }
        let overlaps = world.driver.overlaps
        let paid = world.driver.books.map(\.intent).filter { $0.status.moneyMoved == .yes }
        let settledLate: [String] = world.late.all.compactMap { result in
            switch result {
            case .intent(let intent, let order, _): intent.status.moneyMoved == .yes ? order.rawValue : nil
            case .forgotten(_, let order, let isUnknown): isUnknown ? order.rawValue : nil
            default: nil
            }
        }
        return wrong.withLock { $0 } + overlaps
            + oracle(
                paid: paid, written: Set(world.written.all.map(\.0)), heard: heard.withLock { $0 },
                settledLate: settledLate)
    }

    /// What must hold of the provider's books in the end.
    func oracle(
        paid: [PaymentIntent], written: Set<ProviderReference>, heard: Set<String>, settledLate: [String]
    ) -> [String] {
        var wrong: [String] = []
        for (order, intents) in Dictionary(grouping: paid, by: { $0.order?.rawValue ?? "?" }) {
            if intents.count > 1 { wrong.append("\(order) was paid \(intents.count) times") }
            for intent in intents.prefix(1) {
                if !written.contains(intent.id) { wrong.append("\(intent.id) took money before it was written down") }
                if !order.hasPrefix(intent.account.rawValue) { wrong.append("\(order) was paid on \(intent.account)") }
            }
            if !heard.contains(order), !settledLate.contains(order) { wrong.append("\(order) was paid, nobody heard") }
        }
        if paid.count != Set(paid.map(\.id)).count { wrong.append("an intent counted twice") }
        return wrong
    }

    private static func setFaults(_ driver: ScriptedDriver, _ random: inout SeededRandom) {
        for point in ScriptedDriver.Point.allCases where point != .clear {
            for _ in 0..<6 {
                let fault: ScriptedDriver.Fault
                switch random.next() % 14 {
                case 0: fault = .fail(CardReaderFailure(.requestTimedOut))
                case 1: fault = .happensThenFails(CardReaderFailure(.requestTimedOut))
                case 2: fault = point == .disconnect ? .none : .hangs
                case 3: fault = point == .disconnect ? .none : .happensThenHangs
                case 4: fault = .reportedAfter(.seconds(Int64(random.next() % 200)))
                case 5: fault = .after(.seconds(Int64(random.next() % 200)))
                default: fault = .none
                }
                driver.next(point, fault)
            }
        }
    }

    private static func customer(_ random: inout SeededRandom) -> ScriptedDriver.Customer {
        switch random.next() % 6 {
        case 0: .isDeclined(after: .seconds(3), reason: .insufficientFunds)
        case 1: .cancels(after: .seconds(4))
        case 2: .neverComes
        default: .pays(after: .seconds(Int64(random.next() % 10)))
        }
    }

    private static func step(
        _ world: ReaderWorld, _ random: inout SeededRandom, heard: @escaping @Sendable (String) -> Void
    ) async -> String {
        let service = world.service
        let account = random.next() % 8 == 0 ? ReaderWorld.other : ReaderWorld.shop
        var parameters = world.parameters(order: "\(account)/\(random.next() % 3)")
        parameters.account = account
        world.driver.customer(customer(&random))
        let choice = random.next() % 16
        do {
            switch choice {
            case 0...2:
                try await service.start(world.config(account))
                await world.pass(.milliseconds(Int64(random.next() % 200)))
                try await service.connect(ScriptedDriver.m2)
            case 3...8:
                _ = try await service.collectPayment(parameters, beforeConfirmation: world.hook)
                heard(parameters.order.rawValue)
            case 9, 10:
                let intent = try await service.retryActivePayment(beforeConfirmation: world.hook)
                heard(intent.order?.rawValue ?? "")
            case 11: try await service.cancelPayment()
            case 12:
                let payment = parameters
                let task = world.start { world in
                    try await world.service.collectPayment(payment, beforeConfirmation: world.hook)
                }
                await world.pass(.milliseconds(Int64(random.next() % 8000)))
                task.cancel()
                _ = try await task.value
                heard(parameters.order.rawValue)
            case 13:
                _ = try await service.refund(StateTableTests.refund("re-\(random.next() % 3)", charge: "ch_1"))
            case 14: try await service.disconnect()
            default:
                try? await service.disconnect()
                try await service.clear()
            }
        } catch let error as CardReaderServiceError {
            // A definite no is not hearing of the payment; everything else is.
            let isPayment = [.capturePayment, .paymentMethod, .intentCreation, .retryNotPossible, .paymentCancellation]
                .contains(error.interaction)
            if isPayment, error.moneyMoved != .no {
                let order = error.details.intent.flatMap { world.driver.book($0)?.intent.order?.rawValue }
                heard(order ?? parameters.order.rawValue)
            }
        } catch {
            return "\(choice): \(error)"
        }
        return "\(choice)"
    }

    private static func mood(_ world: ReaderWorld, _ random: inout SeededRandom) async {
        switch random.next() % 5 {
        case 0: await world.driver.say(.disconnected(.usbDisconnected))
        case 1: await world.driver.say(.reconnecting(.bluetoothSignalLost))
        case 2: await world.driver.say(.reconnected(ScriptedDriver.m2))
        case 3: await world.driver.say(.reader(CardReaderEvent(.cardInserted)))
        default: await world.driver.say(.reader(CardReaderEvent(.cardRemoved)))
        }
    }
}
