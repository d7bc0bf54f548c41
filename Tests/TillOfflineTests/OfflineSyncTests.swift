import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@testable import TillOffline

/// A shop with a journal, an engine, a log and the provider's stand-in, which all outlive a process but the engine.
final class OfflineShop: Sendable {
    let disk = PowerLossDisk()
    let clock = ManualClock(waits: .moveTime(upTo: .seconds(29)))
    let journal: MemoryJournal
    let sandbox: SandboxProvider
    let books: SandboxOfflineLedger
    let faults = Mutex<[SandboxFault]>([])
    private let log = Mutex<OfflineLog?>(nil)
    let keys = SandboxOfflineKeys.keys

    init() throws {
        journal = MemoryJournal(clock: clock)
        sandbox = SandboxProvider(
            store: SandboxMemoryStore(), clock: clock, faults: SandboxFaults(followsTables: false))
        books = SandboxOfflineLedger(path: nil)
    }

    var forwarder: SandboxForwarder {
        SandboxForwarder(ledger: sandbox.ledger, offline: books, clock: clock) { [self] _ in
            faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    func opened() throws -> OfflineLog {
        try log.withLock { log in
            if let log { return log }
            let made = try OfflineLog.open(
                in: disk, device: OfflineExamples.device(), provider: keys, clock: clock, commits: .inline)
            log = made
            return made
        }
    }

    /// The process is gone; the next one opens everything again.
    func restart() { log.withLock { $0 = nil } }

    func engine(_ policy: OfflinePolicy = OfflineExamples.lenient) -> Checkout {
        let offline = OfflineProvider(online: sandbox, policy: policy, clock: clock) {
            [self] () async throws(OfflineLogError) in
            do { return try opened() } catch { throw OfflineLogError(error) }
        }
        return Checkout(journal: journal, providers: [sandbox, offline], clock: clock)
    }

    func sync(
        _ checkout: Checkout, isBehind: Bool = false, failpoint: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> OfflineSync {
        let journal = journal
        var sync = OfflineSync(
            log: try opened(), forwarder: forwarder, clock: clock,
            check: { try await journal.payment($0.payment) == nil ? "no payment" : nil }, failpoint: failpoint,
            settle: { record, _ in
                if isBehind { return .notYet(reason: "the journal's disk is full") }
                do {
                    try await checkout.query(record.payment)
                    let payment = try await journal.payment(record.payment)
                    return payment?.currentAttempt?.isUndecided == true ? .notYet(reason: "open") : .settled
                } catch { return .notYet(reason: "\(error)") }
            })
        sync.batchSize = 4
        return sync
    }

    func contact() async throws { try await opened().noteContact() }

    func store(
        _ checkout: Checkout, _ number: Int, card: String = "4242424242424242:visa:contactless_emv",
        amount: Int64 = 1_250
    ) async throws -> Payment {
        let order = try Order(id: OrderID(rawValue: "o-\(number)"), amount: Money(minorUnits: amount, currency: .eur))
        let payment = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic))
        let payload = CardPresentPayload(
            reader: "tap", sealed: Secret("sim:" + card),
            card: CardSummary(brand: "visa", lastFour: "4242", entryMode: "contactless_emv"))
        return try await checkout.confirm(
            payment.id, account: .main, provider: OfflineProvider.providerName, tender: .cardPresent(payload))
    }

    func status(_ id: PaymentID) async throws -> PaymentStatus? { try await journal.payment(id)?.status }

    /// How often and how much each order was charged.
    func charged() async throws -> [String: [Int64]] {
        var charged: [String: [Int64]] = [:]
        for charge in try await sandbox.ledger.charges() where charge.captured > charge.refunded {
            charged[charge.order ?? "?", default: []].append(charge.captured - charge.refunded)
        }
        return charged
    }
}

@Suite struct OfflineSyncTests {
    @Test func aJournalThatCannotBeAskedPutsNothingAsideAndNothingIsForwarded() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1)
        let blind = OfflineSync(
            log: try shop.opened(), forwarder: shop.forwarder, clock: shop.clock,
            check: { _ in throw JournalError.unavailable("the disk does not answer") },
            settle: { _, _ in .settled })
        let report = try await blind.run()
        #expect(report.quarantined.isEmpty)
        #expect(report.sent == 0)
        #expect(report.left.count == 1)
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.contains(payment.id.rawValue) == true)
        let later = try await shop.sync(checkout).run()
        #expect(later.approved == 1)
        #expect(try await shop.status(payment.id) == .succeeded)
    }

    @Test func aStoredPaymentIsNotPaidUntilTheProviderHasDecided() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1)
        #expect(payment.status == .stored)
        #expect(payment.captured.isZero)
        #expect(StoredNotAuthorized(payment)?.amount == payment.amount)
        #expect(try await shop.charged() == [:])
        // Nobody else may take the order's money meanwhile.
        await #expect(throws: CheckoutError.self) { try await shop.store(checkout, 1) }
        let report = try await shop.sync(checkout).run()
        #expect(report.approved == 1 && report.left.count == 0)
        #expect(try await shop.status(payment.id) == .succeeded)
        #expect(try await shop.charged() == ["o-1": [1_250]])
        // The money goes back through the provider that took it.
        let back = try await checkout.refund(payment.id, account: .main)
        #expect(back.status == .refunded)
    }

    @Test func aDeclinedOneLeavesItsOrderUnpaidAndFree() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1, card: "declined:insufficient_funds")
        let report = try await shop.sync(checkout).run()
        #expect(report.declined == 1)
        #expect(try await shop.status(payment.id) == .declined)
        let again = try await checkout.confirm(
            payment.id, account: .main, provider: .sandbox,
            tender: .cardPresent(
                CardPresentPayload(
                    reader: "r", sealed: Secret("sim:4242424242424242:visa:contactless_emv"), card: nil)))
        #expect(again.status == .succeeded)
    }

    @Test func nothingIsDeletedBeforeTheJournalHasWhatTheProviderDecided() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1)
        let stuck = try await shop.sync(checkout, isBehind: true).run()
        #expect(stuck.resolved == 0 && stuck.left.count == 1, "\(stuck)")
        #expect(stuck.problems.count == 1 && stuck.problems.first?.contains("the journal is behind") == true)
        #expect(try await shop.status(payment.id) == .stored)
        let report = try await shop.sync(checkout).run()
        #expect(report.resolved == 1 && report.left.count == 0 && report.problems == [])
        #expect(try await shop.status(payment.id) == .succeeded)
        #expect(try await shop.charged() == ["o-1": [1_250]])
    }

    @Test(arguments: [
        "batch fetched", "batch submitted", "batch answered", "batch accepted", "payments settled", "batch resolved",
    ]) func aDeathAnywhereLosesNothingAndTakesNothingTwice(place: String) async throws {
        let shop = try OfflineShop()
        try await shop.contact()
        for number in 0..<10 { _ = try await shop.store(shop.engine(), number) }
        var random = SeededRandom(seed: 11)
        let wasReached = Mutex(false)
        let dying = try shop.sync(shop.engine()) { name in
            guard name == place else { return }
            wasReached.withLock { $0 = true }
            shop.disk.losePower(afterWrites: 0)
        }
        _ = try? await dying.run()
        #expect(wasReached.withLock { $0 })
        shop.disk.losePower(&random)
        shop.restart()
        let report = try await shop.sync(shop.engine()).run()
        #expect(report.problems == [] && report.left.count == 0)
        let charged = try await shop.charged()
        #expect(charged.count == 10 && charged.values.allSatisfy { $0 == [1_250] })
        for row in try await shop.journal.payments(PaymentFilter(limit: 50)) { #expect(row.status == .succeeded) }
    }

    @Test(arguments: [
        SandboxFault.timeoutBeforeCommit, .timeoutAfterCommit, .serverErrorAfterSuccess, .conflict, .outage,
        .duplicateDelivery, .slow(.seconds(2)),
    ]) func whateverTheNetworkDoesEachIsChargedOnce(fault: SandboxFault) async throws {
        let shop = try OfflineShop()
        try await shop.contact()
        for number in 0..<6 { _ = try await shop.store(shop.engine(), number) }
        shop.faults.withLock { $0 = [fault, fault] }
        let report = try await shop.sync(shop.engine()).run()
        #expect(report.left.count == 0 && report.approved == 6)
        let charged = try await shop.charged()
        #expect(charged.count == 6 && charged.values.allSatisfy { $0 == [1_250] })
    }

    @Test func withoutANetworkEverythingStaysAndTheRunSaysSo() async throws {
        let shop = try OfflineShop()
        try await shop.contact()
        for number in 0..<3 { _ = try await shop.store(shop.engine(), number) }
        shop.faults.withLock { $0 = [.notSent] }
        let report = try await shop.sync(shop.engine()).run()
        #expect(report.left.count == 3 && report.problems.count == 1)
        #expect(try await shop.sync(shop.engine()).run().approved == 3)
    }

    @Test func whatCanNotBeReadIsPutAsideWithItsReasonAndTheOthersGoOn() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        _ = try await shop.store(checkout, 1)
        let bad = try await shop.store(checkout, 2, card: "unreadable")
        _ = try await shop.store(checkout, 3)
        let report = try await shop.sync(checkout).run()
        #expect(report.approved == 2 && report.quarantined.count == 1)
        #expect(try await shop.status(bad.id) == .stored)
        let book = try shop.opened().book()
        let (sequence, reason) = try #require(book.quarantine.first)
        #expect(!reason.isEmpty && book.exposure.count == 1)
        // It is not tried again by itself, and it is after somebody has looked.
        #expect(try await shop.sync(checkout).run().sent == 0)
        try await shop.opened().release(sequence)
        #expect(try await shop.sync(checkout).run().quarantined.count == 1)
    }

    @Test func aBatchThatIsRefusedIsHalvedUntilTheBadOneIsAlone() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        for number in 0..<8 { _ = try await shop.store(checkout, number) }
        let bad: UInt64 = 5
        let refusing = RefusingForwarder(base: shop.forwarder, bad: bad)
        var sync = OfflineSync(log: try shop.opened(), forwarder: refusing, clock: shop.clock) { record, _ in
            try? await checkout.query(record.payment)
            return .settled
        }
        sync.batchSize = 8
        let report = try await sync.run()
        #expect(report.approved == 7)
        #expect(report.quarantined == [bad: "it will not look at entry 5"])
        #expect(try await shop.charged().count == 7)
    }

    @Test func aPaymentThatTheJournalDoesNotKnowIsNotForwarded() async throws {
        let shop = try OfflineShop()
        try await shop.contact()
        _ = try await shop.store(shop.engine(), 1)
        let log = try shop.opened()
        _ = try await log.store(
            Secret(OfflineExamples.secret), OfflineExamples.record(99, at: shop.clock.now()), facts: nil,
            policy: OfflineExamples.lenient)
        let report = try await shop.sync(shop.engine()).run()
        #expect(report.approved == 1 && report.quarantined.values.first == "no payment")
        #expect(try await shop.charged().count == 1)
    }

    @Test func aWordThatExpiredIsAskedForAgain() async throws {
        let shop = try OfflineShop()
        try await shop.contact()
        for number in 0..<2 { _ = try await shop.store(shop.engine(), number) }
        let dying = try shop.sync(shop.engine()) { if $0 == "batch accepted" { shop.disk.losePower(afterWrites: 0) } }
        _ = try? await dying.run()
        shop.disk.losePower(afterWrites: nil)
        shop.restart()
        shop.clock.advance(by: .hours(2))
        let report = try await shop.sync(shop.engine()).run()
        #expect(report.left.count == 0 && report.sent == 1)
        #expect(try await shop.charged().count == 2)
    }

    @Test func takenBackInTimeItIsNeverForwardedAndLaterItIsGivenBack() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let early = try await shop.store(checkout, 1)
        let canceled = try await checkout.cancel(early.id, account: .main)
        #expect(canceled.status == .canceled)
        let late = try await shop.store(checkout, 2)
        shop.clock.advance(by: .seconds(61))
        let tooLate = try await checkout.cancel(late.id, account: .main)
        #expect(tooLate.status == .stored && !tooLate.attention.isEmpty)
        let report = try await shop.sync(checkout).run()
        #expect(report.approved == 1)
        #expect(try await shop.charged() == [:], "what nobody wants is given back at once")
        #expect(try await shop.status(late.id) == .refunded)
    }

    @Test func aPersonIsToldWhenTheTimeIsOver() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1)
        #expect(try await checkout.recover() == 0)
        shop.clock.advance(by: .hours(25))
        for _ in 0..<3 { try await checkout.recover() }
        let now = try await shop.journal.payment(payment.id)
        #expect(now?.attention.count == 1 && now?.status == .stored && now?.nextDue == nil)
        // The provider takes it no more, and says so.
        let report = try await shop.sync(checkout).run()
        #expect(report.declined == 1)
        #expect(try await shop.status(payment.id) == .declined)
    }

    @Test func aRecordThatIsGoneIsUnknownNeverFree() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        let payment = try await shop.store(checkout, 1)
        try shop.disk.remove(OfflineLog.defaultName)
        shop.restart()
        try await checkout.query(payment.id)
        #expect(try await shop.status(payment.id) == .unknown)
        await #expect(throws: CheckoutError.self) { try await shop.store(checkout, 1) }
    }

    @Test func theProviderNoticesALogThatWasSetBack() async throws {
        let shop = try OfflineShop()
        let checkout = shop.engine()
        try await shop.contact()
        _ = try await shop.store(checkout, 1)
        let early = shop.disk.bytes(OfflineLog.defaultName)
        _ = try await shop.store(checkout, 2)
        let log = try shop.opened()
        #expect(await shop.forwarder.contact(try log.checkpoint(), from: log.header) == .reached)
        shop.disk.put(early, as: OfflineLog.defaultName)
        shop.restart()
        let back = try shop.opened()
        guard case .refused(let reason) = await shop.forwarder.contact(try back.checkpoint(), from: back.header)
        else {
            Issue.record("a log that was set back was believed")
            return
        }
        #expect(reason.contains("set back"))
    }

    @Test func theProvidersWindowIsKeptAndEverythingDrains() async throws {
        let shop = try OfflineShop()
        try await shop.contact()
        for number in 0..<40 { _ = try await shop.store(shop.engine(), number) }
        var slow = shop.forwarder
        slow.mostInWindow = 8
        slow.window = .seconds(1)
        let checkout = shop.engine()
        var sync = OfflineSync(log: try shop.opened(), forwarder: slow, clock: shop.clock) { record, _ in
            try? await checkout.query(record.payment)
            return .settled
        }
        sync.batchSize = 8
        let began = shop.clock.now()
        let report = try await sync.run()
        #expect(report.approved == 40)
        #expect(shop.clock.now().since(began) >= .seconds(4))
    }
}

/// A provider that takes no batch with one certain entry in it.
struct RefusingForwarder: OfflineForwarder {
    var base: SandboxForwarder
    var bad: UInt64
    var keys: OfflineProviderKeys { base.keys }
    func forward(_ upload: BatchUpload) async -> ForwardAnswer {
        if upload.content.members.contains(bad) { return .refused(reason: "it will not look at entry \(bad)") }
        return await base.forward(upload)
    }
    func contact(_ checkpoint: LogCheckpoint, from header: LogHeader) async -> ContactAnswer {
        await base.contact(checkpoint, from: header)
    }
}
