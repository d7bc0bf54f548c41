import Foundation
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillOffline
import TillSandbox

@testable import TillServer

/// Logs of stored cards of several counters on one journal.
@Suite("Logs of stored cards on several machines")
struct OfflineLogPlacesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("logs-\(UUID().uuidString)")
    private let journal = MemoryJournal()
    private let clock = SystemClock()

    private func counter(_ name: String) throws -> OfflineService {
        let sandbox = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        let forwarder = SandboxForwarder(
            ledger: sandbox.ledger, offline: SandboxOfflineLedger(path: nil), clock: clock)
        return OfflineService(
            OfflineOptions(journal: folder.appendingPathComponent(name).path), journal: journal, online: sandbox,
            forwarder: forwarder, clock: clock)
    }

    /// The journal says that a log has had this entry.
    private func store(_ number: Int, in log: OfflineLog) async throws {
        let id = PaymentID(rawValue: "pay_\(number)")
        let order = try Order(
            id: OrderID(rawValue: "o-\(number)"), amount: Money(minorUnits: 1_250, currency: .eur))
        let creation = PaymentEvent.Creation(payment: id, account: .main, order: order, captureMode: .automatic)
        let attempt = AttemptID(rawValue: "\(id)-a1")
        let now = clock.now()
        let mark = LogMark(log: log.header.log, sequence: 1, hash: [UInt8](repeating: 7, count: 32))
        var payment = Payment(creation, at: now)
        let events = [
            PaymentEvent.created(creation),
            .attemptStarted(
                .init(
                    attempt: attempt, provider: ProviderName(rawValue: "offline"), tender: TenderSummary(kind: .card),
                    amount: payment.amount)),
            .attemptStored(attempt, StoredTap(record: mark.reference, storedAt: now, expires: now.adding(.days(1)))),
        ].map { RecordedEvent($0, at: now) }
        for event in events.dropFirst() { payment.evolve(event) }
        try await journal.write(
            JournalWrite(
                append: .init(
                    payment: payment, expectedVersion: 0, events: events, nextDue: nil, holder: .nobody)))
    }

    private func damage(_ service: OfflineService) async -> LogDamage? {
        do throws(OfflineLogError) {
            _ = try await service.log(creating: true)
            return nil
        } catch {
            guard case .damaged(let damage) = error else { return nil }
            return damage
        }
    }

    @Test("of another machine are not missed here, and one's own are")
    func places() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["one", "two"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name + "-offline"), withIntermediateDirectories: true)
        }
        let one = try await counter("one").log(creating: true)
        try await store(1, in: one)
        // More than one page of them.
        for number in 2...30 { try await store(number, in: one) }
        #expect(await damage(try counter("two")) == nil)
        #expect(await damage(try counter("one")) == .rolledBack(expected: 1, found: 0))
        // A log that is gone, and was this counter's.
        try FileManager.default.removeItem(at: folder.appendingPathComponent("one-offline"))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("one-offline"), withIntermediateDirectories: true)
        #expect(await damage(try counter("one")) == .truncated(expected: 1, found: 0))
        #expect(await damage(try counter("two")) == nil)
        // One that stands nowhere: it may be this counter's.
        try await journal.change([.remove(RecordID(OfflineLogPlaces.collection, one.header.log))])
        #expect(await damage(try counter("two")) != nil)
    }
}
