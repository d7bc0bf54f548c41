import Crypto
import Foundation
import Testing
import TillContactless
import TillCore
import TillSandbox
import TillTestSupport

@testable import TillTapToPay
@testable import TillOffline

/// The seed's screen without a connection, over the real reader's code and a virtual card.
@MainActor @Suite struct OfflinePaymentManagerTests {
    private struct Desk {
        var manager: OfflinePaymentManager
        var log: OfflineLog
        var sandbox: SandboxProvider
    }

    private let deviceKey = Secret(Array(SHA256.hash(data: Array("device".utf8))))
    /// A policy that is against nothing.
    private static var lenient: OfflinePolicy {
        var policy = OfflinePolicy()
        policy.perPayment = ["EUR": .max]
        policy.total = ["EUR": .max]
        policy.count = .max
        policy.perCard = .max
        return policy
    }

    private func desk(card: String = "visa", policy: OfflinePolicy = lenient) async throws -> Desk {
        let clock = SystemClock()
        let tokens = SandboxReaderTokens(clock: clock)
        let token = PaymentCardReader.Token(rawValue: try tokens.issue(merchant: "shop"))
        let virtual = try #require(VirtualCard.all.first { $0.name == card })
        let base = ContactlessTapDriver(
            .init(tokens: tokens, key: try #require(SandboxEnvelope.publicKey)), channel: VirtualCardChannel(virtual),
            clock: clock, linkedMerchants: ["shop"])
        let log = try OfflineLog.open(
            in: PowerLossDisk(), device: #require(OfflineDevice(name: "till-1", key: deviceKey)),
            provider: SandboxOfflineKeys.keys, clock: clock,
            commits: .inline)
        try await log.noteContact()
        let reader = PaymentCardReader(
            driver: StoringReaderDriver(base, log: log, policy: policy, clock: clock, token: token), clock: clock)
        let sandbox = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        let forwarder = SandboxForwarder(
            ledger: sandbox.ledger, offline: SandboxOfflineLedger(path: nil), clock: clock)
        let sync = OfflineSync(log: log, forwarder: forwarder, clock: clock) { _, _ in .settled }
        let manager = OfflinePaymentManager(reader: reader, log: log, policy: policy, clock: clock, sync: sync)
        return Desk(manager: manager, log: log, sandbox: sandbox)
    }

    @Test func itAcceptsCountsAndForwards() async throws {
        let desk = try await desk()
        await #expect(throws: TapToPayError.notInitialized) {
            try await desk.manager.acceptPayment(amount: 12.5, currency: "EUR")
        }
        try await desk.manager.initialize()
        // One session serves any number of payments: it is not prepared again after each.
        for _ in 0..<2 {
            let stored = try await desk.manager.acceptPayment(amount: 12.5, currency: "EUR")
            #expect(stored.amount == Money(minorUnits: 1_250, currency: .eur))
        }
        #expect(desk.manager.pendingTransactionCount == 2)
        #expect(desk.manager.exposure.sums == ["EUR": 2_500])
        try await desk.manager.declineLast()
        #expect(desk.manager.pendingTransactionCount == 1)
        try await desk.manager.syncPendingTransactions()
        #expect(desk.manager.lastReport?.approved == 1)
        #expect(desk.manager.pendingTransactionCount == 0 && desk.manager.pendingBatchCount == 0)
        #expect(try await desk.sandbox.ledger.charges().map(\.captured) == [1_250])
    }

    @Test func aRefusalIsToldWithItsReasonsBeforeACardIsAskedFor() async throws {
        var policy = OfflinePaymentManagerTests.lenient
        policy.perPayment = ["EUR": 1_000]
        let desk = try await desk(policy: policy)
        try await desk.manager.initialize()
        await #expect(
            throws: OfflineLogError.refused([.paymentTooLarge(limit: Money(minorUnits: 1_000, currency: .eur))])
        ) {
            try await desk.manager.acceptPayment(amount: 12.5, currency: "EUR")
        }
        #expect(desk.manager.pendingTransactionCount == 0)
    }

    @Test func theStoreHasApplesShape() async throws {
        let desk = try await desk()
        try await desk.manager.initialize()
        _ = try await desk.manager.acceptPayment(amount: 3, currency: "EUR")
        let store = PaymentCardReaderStore(driver: StoredReadsDriver(log: desk.log))
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 1)
        let batch = try await store.fetchStoredPaymentCardReadResultBatch()
        #expect(batch.count == 1 && !batch.signature.isEmpty)
        await #expect(throws: PaymentCardReaderStore.StoreError.storeAndForwardBatchAlreadyExists) {
            try await store.fetchStoredPaymentCardReadResultBatch()
        }
        await #expect(throws: PaymentCardReaderStore.StoreError.storeAndForwardDeletionTokenInvalid) {
            try await store.resolveBatch(batchDeletionToken: .init(rawValue: "forged"))
        }
        try await store.resetBatchState()
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 1)
    }
}
