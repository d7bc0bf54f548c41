package import TillCore
import TillJournal

extension DayBook {
    /// Opens the drawer with the cash that is in it. A drawer other than ``DrawerName/main`` exists from its first
    /// opening on.
    ///
    /// The report of the session counts every event after that of the report before. The cash of those before the
    /// opening is in the float, so that it explains a difference from what was left; what is expected later counts the
    /// events after the opening only. The first session begins with the opening.
    /// - Parameter reason: The reason for a difference of the float, needed for one beyond the limit.
    /// - Throws: ``DayError/dayOpen(since:by:)`` for one that is not closed, ``DayError/openingNeedsReason``,
    ///   ``DayError/tooManyDrawers``.
    package func open(
        _ float: DrawerSession.Tally, in currency: Currency, of account: AccountID, reason: String? = nil
    ) async throws(DayError) -> Standing {
        var tries = 0
        while true {
            tries += 1
            let kept = try await kept(account)
            if let open = kept?.session, open.state != .closed {
                throw .dayOpen(since: DayClock(zone).text(open.openedAt), by: open.openedBy)
            }
            if kept == nil { try await checkNew(account) }
            var last: DayReport?
            if let kept {
                last = try await self.kept(kept.session.number, of: account)
                guard last != nil else {
                    throw .journal(.corrupted("the report \(kept.session.number) of the day is missing"))
                }
            }
            var session = try await session(float, currency, account, after: last)
            let apart = session.openingDifference
            guard apart.magnitude <= differenceLimit.magnitude || reason != nil else { throw .openingNeedsReason }
            session.openingReason = reason
            let note = AuditNote(
                .dayOpened, account: account, subject: session.id, reason: reason,
                changes: [
                    AuditChange("float", to: Money(minorUnits: float.total, currency: currency).description),
                    AuditChange("difference", to: Money(minorUnits: apart, currency: currency).description),
                ])
            if try await change([.put(session.record, over: kept?.record)], note, tries) {
                return try await standing(of: session)
            }
        }
    }

    private func session(
        _ float: DrawerSession.Tally, _ currency: Currency, _ account: AccountID, after last: DayReport?
    ) async throws(DayError) -> DrawerSession {
        var (before, opened) = (DayFigures(of: drawer), last?.lastSequence ?? 0)
        if let last {
            (before, opened) = try await totals.figures(of: account, in: drawer, after: last.lastSequence)
        } else {
            do throws(JournalError) { opened = try await store.lastSequence() } catch { throw .journal(error) }
        }
        var difference: Int64 = 0
        if let kept = last?.kept[currency] {
            difference = float.total.limitedDifference(kept.limitedSum(before.cash(in: currency).net))
        }
        return DrawerSession(
            account: account, drawer: drawer, number: (last?.session.number ?? 0) + 1, epoch: try await epoch(),
            currency: currency, openedAt: clock.now(), openedBy: DayBook.actor, float: float,
            openingDifference: difference, firstSequence: last?.lastSequence ?? opened, openedSequence: opened,
            before: before)
    }

    /// Refuses the first opening of a drawer beyond the limit. Openings at the same moment may exceed it by their
    /// number.
    private func checkNew(_ account: AccountID) async throws(DayError) {
        guard drawer != .main else { return }
        let others: Int
        do throws(JournalError) {
            others = try await Records<DrawerSession>(store).count(matching: DrawerSession.match(account))
        } catch { throw .journal(error) }
        guard others < DayLimits.maximumDrawers else { throw .tooManyDrawers }
    }

    /// Puts cash into the open drawer or takes some out. The same key again changes nothing.
    /// - Parameters:
    ///   - seen: The session that it is of: an entry that comes late is not of another day.
    ///   - isBlind: `true` for staff that counts blind: what is taken out is entered though it is more than expected,
    ///     since a refusal would tell what is.
    /// - Throws: ``DayError/drawerChanged``, ``DayError/dayNotOpen``, ``DayError/dayEnded``,
    ///   ``DayError/drawerHasLess``, ``DayError/otherMovement`` for a key of another movement,
    ///   ``DayError/tooManyMovements``, ``DayError/unknownPayment`` for a refund of a payment of another account or
    ///   currency, or of none.
    package func move(
        _ request: CashMovement.Request, key: String, of account: AccountID, seen: Seen = Seen(),
        isBlind: Bool = false
    ) async throws(DayError) -> Standing {
        let key = CashMovement.kept(key)
        var tries = 0
        while true {
            tries += 1
            if let known = try await movement(key, of: account) {
                guard known.request == request, known.drawer == drawer else { throw .otherMovement }
                guard let kept = try await self.kept(account) else { throw .dayNotOpen }
                return try await standing(of: kept.session)
            }
            let kept = try await unclosed(account)
            try seen.check(kept.session)
            guard kept.session.state == .open else { throw .dayEnded }
            guard kept.session.movements < DayLimits.maximumMovements else { throw .tooManyMovements }
            var session = kept.session
            if request.kind != .paidIn, !isBlind {
                guard try await report(session, closing: nil).expected >= request.amount else { throw .drawerHasLess }
            }
            try await check(request.payment, of: account, in: session.currency)
            session.add(request)
            let moved = CashMovement(
                account: account, drawer: drawer, session: session.number, key: key, request: request,
                at: clock.now(), by: DayBook.actor)
            let amount = Money(minorUnits: request.amount, currency: session.currency)
            let payment = request.payment.map { [AuditChange("payment", to: $0.rawValue)] } ?? []
            let note = AuditNote(
                .dayCash, account: account, subject: session.id, reason: request.reason,
                changes: [AuditChange(request.kind.rawValue, to: amount.description)] + payment)
            if try await change(
                [.update(session.record, from: kept.record.version), .insert(moved.record)], note, tries)
            {
                return try await standing(of: session)
            }
        }
    }

    private func check(
        _ payment: PaymentID?, of account: AccountID, in currency: Currency
    ) async throws(DayError) {
        guard let payment else { return }
        let first: StoredEvent?
        do throws(JournalError) { first = try await store.events(of: payment).first } catch { throw .journal(error) }
        guard case .created(let creation)? = first?.record.event, creation.account == account,
            creation.order.total.currency == currency
        else { throw .unknownPayment }
    }

    private func movement(_ key: String, of account: AccountID) async throws(DayError) -> CashMovement? {
        do throws(JournalError) {
            return try await store.record(CashMovement.id(account, key))
                .map { (record) throws(JournalError) in try CashMovement(record) }
        } catch { throw .journal(error) }
    }

    /// Counts the drawer, which ends the day. Each count is kept, and the last one closes it.
    /// - Throws: ``DayError/dayNotOpen``, ``DayError/drawerChanged``, ``DayError/tooManyCounts``.
    package func count(
        _ tally: DrawerSession.Tally, of account: AccountID, seen: Seen = Seen()
    ) async throws(DayError) -> Standing {
        var tries = 0
        while true {
            tries += 1
            let kept = try await unclosed(account)
            try seen.check(kept.session)
            guard kept.session.counts.count < DayLimits.maximumCounts else { throw .tooManyCounts }
            var session = kept.session
            let (_, last) = try await totals.figures(of: account, in: drawer, after: session.openedSequence)
            session.state = .ended
            session.counts.append(
                DrawerSession.Count(tally: tally, at: clock.now(), by: DayBook.actor, sequence: last))
            let counted = Money(minorUnits: tally.total, currency: session.currency)
            let note = AuditNote(
                .dayCounted, account: account, subject: session.id,
                changes: [AuditChange("counted", to: counted.description)])
            if try await change([.update(session.record, from: kept.record.version)], note, tries) {
                return try await standing(of: session)
            }
        }
    }

    /// Goes on with a day that was ended too early.
    /// - Throws: ``DayError/dayNotOpen``, ``DayError/drawerChanged``, ``DayError/dayNotEnded``.
    package func resume(_ account: AccountID, seen: Seen = Seen()) async throws(DayError) -> Standing {
        var tries = 0
        while true {
            tries += 1
            let kept = try await unclosed(account)
            try seen.check(kept.session)
            guard kept.session.state == .ended else { throw .dayNotEnded }
            var session = kept.session
            session.state = .open
            let note = AuditNote(.dayResumed, account: account, subject: session.id)
            if try await change([.update(session.record, from: kept.record.version)], note, tries) {
                return try await standing(of: session)
            }
        }
    }

    /// Closes a counted day: makes its report (Z), with the next number.
    /// - Parameters:
    ///   - left: The cash that stays in the drawer, in minor units; `nil` for all that was counted.
    ///   - reason: The reason for a difference, needed for one beyond the limit, and for closing over payments that
    ///     cannot be read.
    ///   - seen: The session and the number of its counts, so that a difference is agreed to by whoever saw it.
    /// - Throws: ``DayError/dayNotOpen``, ``DayError/drawerChanged``, ``DayError/notCounted``,
    ///   ``DayError/leftExceedsCounted``, ``DayError/needsReason``, ``DayError/unreadableNeedReason``.
    package func close(
        left: Int64? = nil, reason: String? = nil, of account: AccountID, seen: Seen = Seen()
    ) async throws(DayError) -> Standing {
        var tries = 0
        while true {
            tries += 1
            let kept = try await unclosed(account)
            try seen.check(kept.session)
            guard let count = kept.session.lastCount else { throw .notCounted }
            guard left ?? 0 <= count.tally.total else { throw .leftExceedsCounted }
            var session = kept.session
            session.state = .closed
            let closing = DayReport.Closing(
                at: clock.now(), by: DayBook.actor, left: left ?? count.tally.total, reason: reason,
                epoch: try await epoch())
            let report = try await report(session, closing: closing)
            let difference = report.difference ?? 0
            guard difference.magnitude <= differenceLimit.magnitude || reason != nil else { throw .needsReason }
            guard report.figures.unreadable.isEmpty || reason != nil else { throw .unreadableNeedReason }
            let (counted, apart) = (
                Money(minorUnits: count.tally.total, currency: session.currency),
                Money(minorUnits: difference, currency: session.currency)
            )
            let note = AuditNote(
                .dayClosed, account: account, subject: session.id, reason: reason,
                changes: [
                    AuditChange("counted", to: counted.description),
                    AuditChange("difference", to: apart.description),
                ])
            DayFailpoint.beforeClose.reached()
            if try await change(
                [.update(session.record, from: kept.record.version), .insert(report.record)], note, tries)
            {
                DayFailpoint.afterClose.reached()
                return try await standing(of: session)
            }
        }
    }

    // MARK: Parts

    /// The name of whoever acts.
    private static var actor: String { (Attribution.current?.actor ?? .unattributed).description }

    /// Returns the journal's epoch, which each restore raises.
    private func epoch() async throws(DayError) -> Int64 {
        do throws(JournalError) {
            return try await Records<RestoreEpoch>(store).newest(1).first?.number ?? 1
        } catch { throw .journal(error) }
    }

    /// Makes a change with its note.
    /// - Returns: `false` if somebody else has changed the drawer meanwhile, so that it is decided again.
    private func change(
        _ changes: [RecordChange], _ note: AuditNote, _ tries: Int
    ) async throws(DayError) -> Bool {
        do throws(JournalError) {
            try await store.change(changes, noting: [note])
            return true
        } catch {
            guard case .recordConflict = error, tries < DayLimits.maximumConflicts else { throw .journal(error) }
            return false
        }
    }
}
