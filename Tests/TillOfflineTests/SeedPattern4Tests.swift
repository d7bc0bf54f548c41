import Testing
import TillCheckout
import TillCore
import TillSandbox
import TillTestSupport

@testable import TillOffline

/// The fourth pattern of an app for taps, store and forward, with the fault that apps of this kind have: a batch that
/// fails is passed over, and as there is one at a time it blocks all that come after it.
@Suite struct SeedPattern4Tests {
    /// One batch at a time, and "skip a failing batch and continue": the queue as such an app has it.
    struct NaiveQueue {
        var waiting: [Int]
        private var active: [Int]?

        init(_ waiting: [Int]) { self.waiting = waiting }

        mutating func sync(size: Int, submit: ([Int]) -> Bool) {
            for _ in 0..<waiting.count {
                let batch = active ?? Array(waiting.prefix(size))
                guard !batch.isEmpty else { return }
                active = batch
                guard submit(batch) else { continue }
                waiting.removeAll { batch.contains($0) }
                active = nil
            }
        }
    }

    @Test func pattern4AFailingBatchBlocksTheNaiveQueueAndNotThisOne() async throws {
        var naive = NaiveQueue(Array(1...6))
        naive.sync(size: 3) { !$0.contains(2) }
        #expect(naive.waiting == Array(1...6), "the double shows what would be blocked")

        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        var payments: [Payment] = []
        for number in 1...6 { payments.append(try await shop.store(checkout, number)) }
        let attempt = try #require(payments[1].currentAttempt?.id)
        let bad = try #require(try shop.opened().find(attempt)).mark.sequence
        var sync = OfflineSync(
            log: try shop.opened(), forwarder: RefusingForwarder(base: shop.forwarder, bad: bad), clock: shop.clock
        ) { record, _ in
            try? await checkout.query(record.payment)
            return .settled
        }
        sync.batchSize = 3
        let report = try await sync.run()
        #expect(report.approved == 5 && report.quarantined.keys.sorted() == [bad])
        for (index, payment) in payments.enumerated() {
            #expect(try await shop.status(payment.id) == (index == 1 ? .stored : .succeeded))
        }
        #expect(try await shop.charged().count == 5)
    }

    @Test func pattern4NothingIsDeletedWithoutTheProvidersWord() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1)
        let log = try shop.opened()
        let batch = try await log.fetchBatch(size: 1)
        try await log.submit(batch.content.id)
        // The device has no word of its own that could delete: only what the provider signs.
        await #expect(throws: OfflineLogError.self) { try await log.resolve("anything of the device's own") }
        #expect(try log.book().exposure.count == 1)
        #expect(try await shop.status(payment.id) == .stored)
    }

    @Test func pattern4CountsFollowWhatIsStoredAndWhatIsDecided() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        for number in 1...3 { _ = try await shop.store(checkout, number, amount: Int64(number) * 100) }
        #expect(try shop.opened().book().exposure.sums == ["EUR": 600])
        let report = try await shop.sync(checkout).run()
        #expect(report.left.count == 0 && report.approved == 3)
        let sums = try shop.opened().book().exposure.sums
        #expect(sums.values.allSatisfy { $0 == 0 })
    }
}
