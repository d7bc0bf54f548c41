import Foundation
import Synchronization
import TillCore
import TillCounter
import TillJournal

/// Folds the journal's events between two positions into the money that they moved.
///
/// A payment's sums follow from its state alone, and an event counts with the change that it makes in them. The figures
/// of adjoining spans therefore add up to those of the whole, also where a capture or a refund fails in a later span.
final class DayTotals: Sendable {
    /// A span that was read, from which a later request reads on.
    private struct Known {
        var after: Int64
        var last: Int64
        var figures: DayFigures
    }

    private let store: any Journal & RecordStore
    private let zone: TimeZone
    /// By the place of a drawer among those of all accounts.
    private let known = Mutex<[String: Known]>([:])

    /// - Parameter zone: the time zone of hours.
    init(_ store: any Journal & RecordStore, zone: TimeZone) { (self.store, self.zone) = (store, zone) }

    /// Returns the money that an account's events moved; for another drawer than ``DrawerName/main`` its cash alone,
    /// without tables.
    /// - Parameters:
    ///   - start: the position after which events count.
    ///   - end: the position of the last event that counts; `nil` for all that are there.
    /// - Returns: the figures, and the position that they reach.
    /// - Throws: ``DayError/tooManyEvents``, ``DayError/tooManyUnreadable``, ``DayError/journal(_:)``.
    func figures(
        of account: AccountID, in drawer: DrawerName = .main, after start: Int64, until end: Int64? = nil
    ) async throws(DayError) -> (figures: DayFigures, last: Int64) {
        let place = KnownDrawers.place(account, drawer)
        var span = Known(after: start, last: start, figures: DayFigures(of: drawer))
        if let before = known.withLock({ $0[place] }), before.after == start, before.last <= end ?? .max {
            span = before
        }
        var payments = DayPayments(store, of: drawer, zone: zone)
        var read = 0
        reading: while span.last < end ?? .max {
            let page: [EventReading]
            do throws(JournalError) {
                page = try await store.readings(
                    after: span.last, account: account, limit: JournalLimits.maximumPage)
            } catch { throw .journal(error) }
            guard !page.isEmpty else { break }
            read += page.count
            guard read <= DayLimits.maximumEvents else { throw .tooManyEvents }
            for event in page {
                if let end, event.sequence > end { break reading }
                do throws(JournalError) { try await payments.add(event, to: &span.figures) } catch {
                    throw .journal(error)
                }
                span.last = event.sequence
            }
            guard span.figures.unreadable.count <= DayLimits.maximumUnreadable else { throw .tooManyUnreadable }
        }
        let reached = span
        known.withLock { known in
            if known[place] == nil, known.count >= DayLimits.maximumKnown { known = [:] }
            known[place] = reached
        }
        return (span.figures, end ?? span.last)
    }
}

/// The states of payments while events are read, in two generations: a payment that is not used within the lifetime of
/// the younger one is read again.
struct DayPayments {
    private let store: any Journal
    private let drawer: DrawerName
    private let zone: TimeZone
    private var young: [PaymentID: DayPayment] = [:]
    private var old: [PaymentID: DayPayment] = [:]

    /// - Parameter drawer: ``DrawerName/main`` for all money, another one for its cash alone.
    init(_ store: any Journal, of drawer: DrawerName = .main, zone: TimeZone) {
        (self.store, self.drawer, self.zone) = (store, drawer, zone)
    }

    /// Adds what an event moved.
    mutating func add(_ reading: EventReading, to figures: inout DayFigures) async throws(JournalError) {
        guard case .event(let event) = reading, !figures.unreadable.contains(event.payment) else {
            figures.unreadable.insert(reading.payment)
            return
        }
        do throws(JournalError) {
            guard var payment = try await payment(before: event) else { return }
            let moved = payment.apply(event.record)
            if drawer != .main {
                for (line, sums) in moved.lines {
                    if let own = line.own(in: drawer) { figures.add(sums, to: own) }
                }
            } else {
                add(moved.lines, at: event.record.at, to: &figures)
                for change in moved.parts { figures.add(change) }
            }
            if payment.isBroken { figures.unreadable.insert(event.payment) }
            keep(payment, of: event.payment)
        } catch {
            guard case .corrupted = error else { throw error }
            figures.unreadable.insert(event.payment)
        }
    }

    /// Adds the changes of lines, each to its row of the table by hour as well.
    private func add(_ lines: [(DayFigures.Line, DaySums)], at time: Timestamp, to figures: inout DayFigures) {
        guard !lines.isEmpty else { return }
        let hour = DayRow.hour(of: time, in: zone)
        for (line, sums) in lines {
            figures.add(sums, to: line)
            figures.add(DayParts.Change(currency: line.currency, table: .hour, row: hour, sums: sums))
        }
    }

    /// Returns the payment's state before the event; `nil` for the event that creates it.
    private mutating func payment(before event: StoredEvent) async throws(JournalError) -> DayPayment? {
        if case .created(let creation) = event.record.event {
            keep(DayPayment(creation, at: event.record.at, by: event.record.by), of: event.payment)
            return nil
        }
        if let known = young[event.payment] ?? old[event.payment] { return known }
        let events = try await store.events(of: event.payment)
        guard let first = events.first, case .created(let creation) = first.record.event else {
            throw .corrupted("the first event of \(event.payment) does not create it")
        }
        var payment = DayPayment(creation, at: first.record.at, by: first.record.by)
        for earlier in events.dropFirst() where earlier.version < event.version { _ = payment.apply(earlier.record) }
        return payment
    }

    private mutating func keep(_ payment: DayPayment, of id: PaymentID) {
        if young.count >= DayLimits.maximumFoldedPayments / 2 {
            old = young
            young = [:]
        }
        young[id] = payment
    }
}
