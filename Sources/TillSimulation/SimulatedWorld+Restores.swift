import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillProvider
import TillSandbox
import TillTestSupport

// The journal's disk is lost and an old backup restored: sales since then are known only to the provider.

extension SimulatedWorld {
    /// The state that restores leave behind.
    struct Past: Sendable {
        var random: SeededRandom
        /// The epoch of the journal.
        var epoch: Int64 = 1
        /// The time of the last restore; calls of earlier processes still arrive for a short time.
        var restoredAt = Timestamp(milliseconds: 0)
        /// The time of the next poll of settled payments.
        var nextPoll = Timestamp(milliseconds: 0)
        /// The epoch with the last sweep that has ended and was verified.
        var judged: Int64 = 1
    }

    func pastChance(_ perMille: UInt64) -> Bool { state.withLock { $0.past.random.chance(perMille) } }
    func pastNumber(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.past.random.number(range) } }
    /// Pauses for a time drawn from the restores' random numbers.
    func lapse(_ range: ClosedRange<Int64>) async { try? await clock.sleep(for: .milliseconds(pastNumber(range))) }
    var maximumEvents: Int {
        restoresBackups ? Simulation.maximumEventsAfterRestore : Simulation.maximumEvents
    }
    var epoch: Int64 { state.withLock { $0.past.epoch } }

    /// `true` if a call sent by a process still arrives: the sweep waits for calls from before the restore, and relies
    /// on none arriving later.
    func arrives(from incarnation: Incarnation) -> Bool {
        state.withLock { state in
            incarnation.epoch == state.past.epoch
                || clock.now() <= state.past.restoredAt.adding(RestoreSweep.lateCalls)
        }
    }

    /// Makes backups from time to time, and restores one of them.
    func restoreBackups() async {
        guard restoresBackups else { return }
        for _ in 0..<(pastChance(250) ? 2 : 1) {
            await lapse(600_000...6_000_000)
            let backup = state.withLock { $0.storage.copy() }
            note("backup")
            await lapse(pastChance(150) ? 7_200_000...129_600_000 : 300_000...5_400_000)
            guard !isCalm else { return }
            do { try await restore(backup) } catch {
                state.withLock { $0.report.violations.append("the restore: \(error)") }
            }
        }
    }

    private func restore(_ backup: MemoryJournal.Storage) async throws {
        count("backup restored")
        let running = state.withLock { $0.processes.map(\.incarnation) }
        for incarnation in running { end(incarnation) }
        let storage = backup.copy()
        let journal = MemoryJournal(storage: storage, clock: shopClock)
        var (moments, last) = ([Timestamp](), Int64(0))
        while case let page = try await journal.events(after: last, account: nil, limit: 1_000), let end = page.last {
            moments += page.map(\.record.at)
            last = end.sequence
        }
        let newest = min(moments.last ?? shopClock.now(), shopClock.now())
        let epoch = RestoreEpoch(
            number: epoch + 1, at: shopClock.now(), source: "backup",
            head: ChainHead(sequence: last, hash: Array(repeating: 0, count: 32)),
            newest: newest, earliest: moments.suffix(RestoreEpoch.lastEvents).reduce(newest, min))
        let known = try await journal.record(RestoreSweep.id)
        try await journal.change([
            .insertIfAbsent(epoch.record), .put(RestoreSweep(.restored(epoch)).record, over: known),
        ])
        var lost: [(PaymentID, OrderID)] = []
        for (id, order) in state.withLock({ $0.created }).sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where try await journal.payment(id) == nil { lost.append((id, order)) }
        journal.crash()
        state.withLock { state in
            state.storage = storage
            state.past.epoch = epoch.number
            state.past.restoredAt = clock.now()
            for (id, _) in lost { state.created[id] = nil }
        }
        note("restored to \(last), \(lost.count) payments lost")
        await lapse(20_000...900_000)
        for _ in 0..<max(1, running.count) { boot() }
        for (_, order) in lost where pastChance(600) { spawn { [self] in await sellAgain(order) } }
        spawn { [self] in await refundAgain() }
        spawn { [self] in await resolveIncidents() }
    }

    /// Polls for events reported by webhooks after the backup was made, as the counter does continuously.
    func poll(_ engine: Checkout, _ journal: any Journal & RecordStore, _ clock: any TillClock) async {
        // An untrusted clock triggers no poll.
        guard clock.standing.isTrusted else { return }
        let now = self.clock.now()
        let isDue = state.withLock { state in
            guard state.past.epoch > 1, now >= state.past.nextPoll else { return false }
            state.past.nextPoll = now.adding(.hours(4))
            return true
        }
        guard isDue else { return }
        _ = try? await AfterSalePoll(engine, journal: journal, clock: clock).pass()
    }

    // MARK: The sweep

    /// Queries the providers for sales since the backup, as the counter does before it finishes anything.
    func sweep(_ engine: Checkout, _ journal: any Journal & RecordStore, of incarnation: Incarnation, _ account: Int)
        async
    {
        guard restoresBackups, epoch > 1 else { return }
        let sweeper = RestoreSweeper(
            journal: journal, checkout: engine, sources: sources(of: incarnation, account), clock: incarnation.clock)
        if plant == .gateOpensEarly {
            _ = try? await sweeper.step()
            _ = try? await sweeper.step()
            try? await journal.change([.remove(RestoreSweep.id)])
        }
        while !incarnation.isDead, !isOver {
            do {
                let standing = try await sweeper.step()
                note("sweep: \(standing)")
                if standing == .notDue { break }
                // Longer than the counter waits, so that an outage of days costs little.
                if case .listing = standing { continue }
                await lapse(5_000...120_000)
            } catch { await lapse(1_000...5_000) }
        }
        guard !incarnation.isDead, !isOver else { return }
        let isJudged = state.withLock { state in
            defer { state.past.judged = incarnation.epoch }
            return state.past.judged == incarnation.epoch
        }
        guard !isJudged else { return }
        count("swept after a restore")
        let problems = await judgeGate(incarnation)
        state.withLock { $0.report.violations += problems }
    }

    private func sources(of incarnation: Incarnation, _ account: Int) -> [RestoreSweeper.Source] {
        let ledger = accounts[account].ledger
        let sandbox = SimulatedListing(
            base: SandboxChargeListing(ledger: ledger, pageSize: SimulatedListing.pageSize), prefix: "sb_",
            lag: searchLag ?? .seconds(0), ledger: ledger, incarnation: incarnation, world: self)
        var sources = [RestoreSweeper.Source(.sandbox, sandbox)]
        // Stripe's list shows the readers' sales at once; it is read in its own pages and over a network.
        let wire = SimulatedReaderWire(incarnation: incarnation, world: self)
        if let list = readers.charges(over: wire) {
            let listing = SimulatedListing(
                base: list, prefix: "pi_", lag: .seconds(0), ledger: ledger, incarnation: incarnation, world: self)
            sources.append(RestoreSweeper.Source(WorldReaders.provider, listing))
        }
        return sources
    }

    /// Reports charges of the provider that are unknown although sales have resumed.
    private func judgeGate(_ incarnation: Incarnation) async -> [String] {
        guard let explained = try? await RestoreRules.explained(in: incarnation.journal) else { return [] }
        var problems: [String] = []
        for charge in (try? await accounts[0].ledger.charges()) ?? [] {
            guard let id = charge.payment, charge.authorized > 0, !explained.contains(charge),
                !RestoreRules.isGone(charge, at: clock.now())
            else { continue }
            let payment = try? await incarnation.journal.payment(PaymentID(rawValue: id))
            if let payment, !payment.attempts(of: charge).isEmpty || payment.hasNamelessAttempt { continue }
            problems.append("\(charge.order ?? "?") \(charge.reference): not known, and the gate for sales is open")
        }
        return problems
    }

    // MARK: People

    /// Sells an order again that was paid but appears unpaid; the journal must decide whether it may.
    private func sellAgain(_ order: OrderID) async {
        await lapse(5_000...5_400_000)
        guard !isCalm else { return }
        count("order of a lost payment sold again")
        await sell(order)
    }

    /// Repeats refunds that a restored payment is missing.
    private func refundAgain() async {
        let known = state.withLock { $0.acknowledged.filter { $0.value.refunded > 0 } }
        for (id, known) in known.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where pastChance(700) {
            spawn { [self] in
                for _ in 0..<60 {
                    await lapse(1_000...60_000)
                    guard !isCalm, let payment = try? await engine().payment(id, account: .main) else { continue }
                    let missing = known.refunded - payment.refunded.minorUnits
                    guard missing > 0 else { return }
                    do throws(CheckoutError) {
                        let amount = Money(minorUnits: missing, currency: payment.currency)
                        acknowledge(try await engine().refund(id, account: .main, amount: amount))
                        count("refund made again after a restore")
                        return
                    } catch { if case .refused = error { return } }
                }
            }
        }
    }

    /// Resolves incidents after checking each charge at the provider.
    private func resolveIncidents() async {
        let mine = epoch
        while !isOver, epoch == mine {
            await lapse(60_000...3_600_000)
            guard let process = process() else { continue }
            let log = IncidentLog(process.incarnation.journal)
            guard let open = try? await log.open(account: nil) else { continue }
            for incident in open.first where incident.kind == .unknownCharge || incident.kind == .unknownPayment {
                await resolve(incident, in: log)
            }
        }
    }

    private func resolve(_ incident: Incident, in log: IncidentLog) async {
        var (isPaid, order) = (false, incident.owner)
        for charge in await charges(of: incident) {
            guard let now = await settle(charge) else { return }
            // A pending refund may still fail.
            let back = now.refunds.filter { $0.status == .succeeded }.map(\.amount).reduce(0, +)
            isPaid = isPaid || now.captured > back
            if order == nil, let name = now.order {
                order = Incident.Owner(account: .main, order: OrderID(rawValue: name))
            }
        }
        count(isPaid ? "incident: paid" : "incident: not paid")
        note("incident \(incident.payment) \(incident.event) \(isPaid)")
        let said = IncidentResolution(
            note: "looked up at the provider", actor: "Ann", outcome: isPaid ? .paid : .notPaid,
            order: incident.owner == nil ? order : nil, at: shopClock.now())
        do { _ = try await log.resolve(incident.id, said) } catch { note("not resolved: \(error)") }
    }

    private func charges(of incident: Incident) async -> [SandboxCharge] {
        let all = (try? await accounts[0].ledger.charges()) ?? []
        return all.filter { charge in
            incident.kind == .unknownCharge
                ? charge.reference == incident.event : charge.payment == incident.payment.rawValue
        }
    }

    /// Settles a charge in the provider's dashboard: a hold is captured or voided, a capture is kept or refunded.
    private func settle(_ charge: SandboxCharge) async -> SandboxCharge? {
        let ledger = accounts[0].ledger
        let reference = ProviderReference(rawValue: charge.reference)
        let isOver = (charge.holdEndsAt ?? .max) <= clock.now().milliseconds
        if charge.captured > charge.refunded {
            // A refund that would stay pending may fail.
            guard charge.captured - charge.refunded != SimulatedWorld.pendingRefund.minorUnits, pastChance(500) else {
                return charge
            }
            _ = try? await ledger.play(.refund(nil), on: reference)
        } else if charge.state == .authorized, charge.captures.isEmpty, !isOver, pastChance(500) {
            _ = try? await ledger.play(.capture(nil), on: reference)
        } else if charge.captures.isEmpty, charge.state != .voided {
            await void(charge)
        }
        return (try? await ledger.charge(reference)) ?? nil
    }

    private func void(_ charge: SandboxCharge) async {
        let context = AttemptContext(
            account: .main, order: OrderID(rawValue: charge.order ?? ""),
            payment: PaymentID(rawValue: charge.payment ?? ""), attempt: AttemptID(rawValue: charge.attempt ?? ""),
            startedAt: Timestamp(milliseconds: charge.createdAt),
            reference: ProviderReference(rawValue: charge.reference))
        _ = await accounts[0].void(
            VoidRequest(
                context: context, authorizationKey: IdempotencyKey(rawValue: charge.key ?? charge.reference),
                reason: "abandoned", key: IdempotencyKey(rawValue: "dashboard-void-\(charge.reference)")))
    }
}

extension Payment {
    /// `true` if the provider's reference of an attempt is not known yet; recovery finds it.
    fileprivate var hasNamelessAttempt: Bool {
        attempts.contains { attempt in
            switch attempt.state {
            case .inFlight, .unknown, .requiresAction: attempt.reference == nil
            case .stored, .authorized, .declined, .notSent, .voided, .expired: false
            }
        }
    }
}
