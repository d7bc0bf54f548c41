import Foundation
import Synchronization
import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// A process's chances to die before and after its writes; nobody hears whether one was made.
final class DayDeaths: Sendable {
    private let random: Mutex<SeededRandom>
    private let perMille: UInt64

    init(seed: UInt64, perMille: UInt64) {
        random = Mutex(SeededRandom(seed: seed))
        self.perMille = perMille
    }

    func strike() -> JournalError? {
        random.withLock { $0.chance(perMille) } ? JournalError.unavailable("the process died") : nil
    }
}

/// A journal in memory on which payments are made as a till writes them, and the day of it as several processes see it.
final class DayWorld: Sendable {
    let storage = MemoryJournal.Storage()
    let clock = ManualClock()
    /// The shop's time zone: its hours begin half an hour before or after those of UTC.
    let zone = TimeZone(secondsFromGMT: 5 * 3_600 + 1_800) ?? .gmt
    /// The process that sells; it never dies.
    let till: MemoryJournal
    private let histories = Mutex<[PaymentID: [RecordedEvent]]>([:])

    init() { till = MemoryJournal(storage: storage, clock: clock) }

    /// Starts a process.
    func book(_ deaths: DayDeaths? = nil, limit: Int64 = 500) -> DayBook {
        let journal = MemoryJournal(
            storage: storage, clock: clock, beforeCommit: { _ in deaths?.strike() },
            afterCommit: { _ in deaths?.strike() })
        return DayBook(journal, clock: clock, differenceLimit: limit, zone: zone)
    }

    /// Sells for an amount.
    @discardableResult
    func sell(
        _ units: Int64, _ tender: TenderKind = .cash, in currency: Currency = .eur, tip: Int64 = 0,
        discount: Int64 = 0, of account: AccountID = .main
    ) async throws -> PaymentID {
        let number = UInt64(histories.withLock { $0.count + 1 })
        let id = PaymentID.make(at: clock.now(), random: (number, number))
        let order = try Order(
            id: OrderID(rawValue: "o-\(number)"), amount: Money(minorUnits: units, currency: currency))
        let start = PaymentEvent.AttemptStart(
            attempt: DayWorld.attempt(of: id), provider: tender == .cash ? .cash : .sandbox,
            tender: TenderSummary(kind: tender), amount: order.total)
        let authorization = Authorization(
            reference: ProviderReference(rawValue: "ref-\(number)"),
            amount: Money(minorUnits: units + tip, currency: currency), isCaptured: true,
            tip: tip > 0 ? Money(minorUnits: tip, currency: currency) : nil)
        let saved = Money(minorUnits: discount, currency: currency)
        try await append(
            [
                .created(
                    .init(
                        payment: id, account: account, order: order, captureMode: .automatic,
                        discount: discount > 0 ? Discount(saved, reason: "Scratched", beside: order.total) : nil)),
                .attemptStarted(start), .authorized(start.attempt, authorization),
            ], to: id)
        return id
    }

    /// Gives money back.
    func refund(_ units: Int64, of id: PaymentID, in currency: Currency = .eur) async throws -> RefundID {
        let number = histories.withLock { $0[id]?.count ?? 0 }
        let refund = RefundID(rawValue: "\(id)-r\(number)")
        let amount = Money(minorUnits: units, currency: currency)
        try await append(
            [
                .refundStarted(refund, DayWorld.attempt(of: id), amount, reason: nil), .refunded(refund, nil),
            ], to: id)
        return refund
    }

    /// Has a refund fail that had succeeded.
    func fail(_ refund: RefundID, of id: PaymentID) async throws {
        try await append([.refundReversed(refund, Decline(reason: .generic))], to: id)
    }

    func append(_ events: [PaymentEvent], to id: PaymentID) async throws {
        let new = events.map { RecordedEvent($0, at: clock.now(), by: Attribution.inEvents) }
        let before = histories.withLock { $0[id] ?? [] }
        guard let payment = Payment(folding: before + new) else { return }
        try await till.write(
            JournalWrite(
                append: JournalWrite.Append(
                    payment: payment, expectedVersion: before.count, events: new, nextDue: nil, holder: .nobody)))
        histories.withLock { $0[id] = before + new }
    }

    static func attempt(of id: PaymentID) -> AttemptID { AttemptID(rawValue: "\(id)-a1") }
}
