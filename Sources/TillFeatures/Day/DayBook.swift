package import Foundation
package import TillCore
package import TillJournal

/// The day of each account: the drawer's session and its reports. Every change is durable, with its entry in the audit
/// log, when its method returns; a change that is refused has changed nothing.
///
/// A book is of one drawer, ``DrawerName/main`` unless another is named; ``at(_:)`` returns that of another one. Each
/// drawer has its own session, and its own reports with the numbers 1, 2, 3, …
///
/// Any number of processes may use one journal. A session is opened and closed by one of them, and the numbers of
/// reports have no gap: a close writes the session and the report, whose identifier is its number, in one commit.
package struct DayBook: Sendable {
    package typealias Store = any Journal & RecordStore

    /// A session with its cash.
    package struct Standing: Sendable {
        /// The report that it would have now, or has.
        package var report: DayReport
        /// The movements of cash beside sales, oldest first.
        package var movements: [CashMovement]

        package var session: DrawerSession { report.session }
    }

    /// A page of reports, newest first.
    package struct Page: Sendable {
        package var reports: [Standing] = []
        /// `true` if there are older ones.
        package var hasMore = false
    }

    /// What was known of the session by whoever changes it. A session that is another by now, or was counted again, is
    /// not changed.
    package struct Seen: Sendable {
        /// Its name; `nil` for whichever is there.
        package var session: String?
        /// The number of its counts; `nil` for any.
        package var counts: Int?

        package init(session: String? = nil, counts: Int? = nil) { (self.session, self.counts) = (session, counts) }

        /// Creates it from what was read.
        package init(_ session: DrawerSession) { self.init(session: session.id, counts: session.counts.count) }

        func check(_ found: DrawerSession) throws(DayError) {
            guard session ?? found.id == found.id, counts ?? found.counts.count == found.counts.count else {
                throw .drawerChanged
            }
        }
    }

    /// The drawer of all methods.
    package private(set) var drawer = DrawerName.main
    let store: Store
    let clock: any TillClock
    /// The largest difference, in minor units, that needs no reason at an opening or a close.
    let differenceLimit: Int64
    let totals: DayTotals
    /// The shop's time zone, by whose clock money has its hour.
    package let zone: TimeZone

    package init(_ store: Store, clock: any TillClock, differenceLimit: Int64, zone: TimeZone) {
        (self.store, self.clock, self.differenceLimit, self.zone) = (store, clock, differenceLimit, zone)
        totals = DayTotals(store, zone: zone)
    }

    /// Returns the book of another drawer.
    package func at(_ drawer: DrawerName) -> DayBook {
        var book = self
        book.drawer = drawer
        return book
    }

    // MARK: Reading

    /// Returns the last session of each drawer that was ever opened, ``DrawerName/main`` first and the others by name.
    package func drawers(of account: AccountID) async throws(DayError) -> [DrawerSession] {
        let main = try await at(.main).kept(account)
        do throws(JournalError) {
            let others = try await Records<DrawerSession>(store).list(matching: DrawerSession.match(account))
            return (main.map { [$0.session] } ?? []) + others.sorted { $0.drawer.rawValue < $1.drawer.rawValue }
        } catch { throw .journal(error) }
    }

    /// Returns the session that is not closed, if there is one, and the last report.
    package func day(of account: AccountID) async throws(DayError) -> (session: Standing?, last: Standing?) {
        guard let kept = try await kept(account) else { return (nil, nil) }
        let current: Standing? =
            try await kept.session.state == .closed ? nil : standing(of: kept.session)
        let number = kept.session.state == .closed ? kept.session.number : kept.session.number - 1
        guard number > 0 else { return (current, nil) }
        return (current, try await report(number, of: account))
    }

    /// Returns the report that the session would have now (X).
    /// - Throws: ``DayError/dayNotOpen``.
    package func current(of account: AccountID) async throws(DayError) -> Standing {
        try await standing(of: try await unclosed(account).session)
    }

    /// Returns a report.
    /// - Throws: ``DayError/unknownReport``.
    package func report(_ number: Int64, of account: AccountID) async throws(DayError) -> Standing {
        guard let report = try await kept(number, of: account) else { throw .unknownReport }
        return Standing(report: report, movements: try await movements(of: report.session))
    }

    /// Lists reports, newest first.
    /// - Parameters:
    ///   - number: only reports before this one; `nil` for all.
    ///   - limit: the maximum number, 1 to ``DayLimits/maximumPage``. A page ends early when its reports have many
    ///     movements.
    package func reports(
        of account: AccountID, before number: Int64? = nil, limit: Int
    ) async throws(DayError) -> Page {
        var page = Page()
        guard let kept = try await kept(account) else { return page }
        let newest = kept.session.state == .closed ? kept.session.number : kept.session.number - 1
        var next = min(newest, number.map { max(0, $0.limitedDifference(1)) } ?? newest)
        var listed: Int64 = 0
        while next > 0, page.reports.count < min(max(1, limit), DayLimits.maximumPage) {
            guard let report = try await self.kept(next, of: account) else {
                throw .journal(.corrupted("the report \(next) of the day is missing"))
            }
            listed = listed.limitedSum(Int64(report.session.movements))
            guard listed <= DayLimits.maximumListedMovements || page.reports.isEmpty else { break }
            page.reports.append(Standing(report: report, movements: try await movements(of: report.session)))
            next -= 1
        }
        page.hasMore = next > 0
        return page
    }

    // MARK: Parts

    /// A session with the version that was read.
    struct Kept {
        var session: DrawerSession
        var record: KeptRecord
    }

    /// Returns the drawer's last session, whatever its state.
    func kept(_ account: AccountID) async throws(DayError) -> Kept? {
        do throws(JournalError) {
            guard let record = try await store.record(DrawerSession.id(account, drawer)) else { return nil }
            return Kept(session: try DrawerSession(record), record: record)
        } catch { throw .journal(error) }
    }

    /// Returns the drawer's session that is open or being counted.
    func unclosed(_ account: AccountID) async throws(DayError) -> Kept {
        guard let kept = try await kept(account), kept.session.state != .closed else { throw .dayNotOpen }
        return kept
    }

    /// Returns a report without the movements.
    func kept(_ number: Int64, of account: AccountID) async throws(DayError) -> DayReport? {
        do throws(JournalError) {
            return try await store.record(DayReport.id(account, number, of: drawer))
                .map { (record) throws(JournalError) in try DayReport(record) }
        } catch { throw .journal(error) }
    }

    /// Returns the report before a session's own.
    func previous(of session: DrawerSession) async throws(DayError) -> DayReport? {
        guard session.number > 1 else { return nil }
        guard let report = try await kept(session.number - 1, of: session.account) else {
            throw .journal(.corrupted("the report \(session.number - 1) of the day is missing"))
        }
        return report
    }

    /// Returns a session with its cash: up to the last count, or up to now while it is open.
    func standing(of session: DrawerSession) async throws(DayError) -> Standing {
        if session.state == .closed { return try await report(session.number, of: session.account) }
        return Standing(
            report: try await report(session, closing: nil), movements: try await movements(of: session))
    }

    /// Returns the report of a session: up to the last count, or up to now while it is open.
    func report(
        _ session: DrawerSession, closing: DayReport.Closing?
    ) async throws(DayError) -> DayReport {
        let until = session.lastCount?.at ?? clock.now()
        let (during, last) = try await totals.figures(
            of: session.account, in: drawer, after: session.openedSequence, until: session.lastCount?.sequence)
        var head: ChainHead?
        if closing != nil { head = try await self.head(after: last) }
        let previous = try await previous(of: session)
        let report = DayReport(
            session, closing: closing, until: until, lastSequence: last, head: head, zone: zone.identifier,
            during: during, after: previous)
        guard closing != nil, report.record.body.count > RecordLimits.maximumBodyBytes else { return report }
        // A drawer can always be closed: tables that do not fit into the record are left out.
        var plain = session
        plain.before = session.before.withoutParts
        return DayReport(
            plain, closing: closing, until: until, lastSequence: last, head: head, zone: zone.identifier,
            during: during.withoutParts, after: previous)
    }

    /// Returns the head of the journal's chain after the last event of a report. Events are never changed, so it is the
    /// same before and in the commit of the close, and whatever else is sold meanwhile.
    private func head(after sequence: Int64) async throws(DayError) -> ChainHead? {
        do throws(JournalError) { return try await store.chainHead(after: sequence) } catch { throw .journal(error) }
    }

    private func movements(of session: DrawerSession) async throws(DayError) -> [CashMovement] {
        guard session.movements > 0 else { return [] }
        var found: [CashMovement] = []
        do throws(JournalError) {
            try await Records<CashMovement>(store).forEach(
                matching: session.match, atMost: DayLimits.maximumMovements
            ) { (movement) throws(JournalError) in found.append(movement) }
        } catch { throw .journal(error) }
        return found
    }
}
