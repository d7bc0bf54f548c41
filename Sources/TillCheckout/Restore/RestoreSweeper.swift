public import TillCore
public import TillJournal
public import TillStatements

/// Reconciles a restored journal with the providers: reads each provider's charges, finds those that the journal lacks,
/// and opens the gate for sales once every provider is done.
///
/// Before that, sessions of before the restore are named to the operators: no list shows what was paid in them.
///
/// Known payments are queried; a charge of a payment or attempt that the journal does not know becomes an incident,
/// which holds its order. Progress is kept in a record (`RestoreSweep`), written after each page: after a crash the
/// sweep resumes there, and any number of processes may work on one sweep, because each write names the version that it
/// was decided on.
public struct RestoreSweeper: Sendable {
    /// A provider and its charge listing.
    public struct Source: Sendable {
        public let provider: ProviderName
        /// The charge listing; `nil` if the provider has none.
        public let listing: (any ChargeListing)?

        public init(_ provider: ProviderName, _ listing: (any ChargeListing)?) {
            self.provider = provider
            self.listing = listing
        }
    }

    /// The state of a sweep after a step.
    public enum Standing: Hashable, Sendable {
        /// The journal was not restored, or its sweep is finished.
        case notDue
        /// `till restore` has not been run yet.
        case notRestored(RestoreSweep)
        /// More pages can be read now.
        case listing(RestoreSweep)
        /// Providers are unavailable; one reason for each.
        case failing(RestoreSweep, [String])
        /// The lists may still lack charges made before the restore.
        case waiting(RestoreSweep, until: Timestamp)
        /// A provider has no list, or the order of some charges must be identified manually.
        case needsPerson(RestoreSweep, unattributed: Int)
    }

    /// The most pages that one pass reads of a list; for a longer list an operator must confirm that nothing is
    /// missing.
    public static let maximumPages = 10_000
    /// The longest evidence and the longest name of an operator, in bytes.
    public static let maximumTextBytes = 500

    private let journal: any Journal & RecordStore
    private let checkout: Checkout
    private let sources: [Source]
    private let named = NamedSessions()
    package let clock: any TillClock

    public init(journal: any Journal & RecordStore, checkout: Checkout, sources: [Source], clock: any TillClock) {
        self.journal = journal
        self.checkout = checkout
        self.sources = sources
        self.clock = clock
    }

    /// Returns the standing of the sweep without calling a provider.
    public func standing() async throws(JournalError) -> Standing {
        guard let kept = try await journal.record(RestoreSweep.id) else { return .notDue }
        return try await standing(of: RestoreSweep(kept), failures: [])
    }

    /// Reads one page of one provider's list, or opens the gate if nothing is left.
    public func step() async throws(JournalError) -> Standing {
        do throws(JournalError) { return try await decide() } catch {
            // Another process was faster; the next step reads what it wrote.
            guard case .recordConflict(RestoreSweep.id, _) = error else { throw error }
            return try await standing()
        }
    }

    private func decide() async throws(JournalError) -> Standing {
        guard let kept = try await journal.record(RestoreSweep.id) else { return .notDue }
        var sweep = try RestoreSweep(kept)
        guard let epoch = sweep.epoch else { return .notRestored(sweep) }
        if !named.contains(epoch.number) {
            try await checkout.nameEarlierSessions()
            named.insert(epoch.number)
        }
        let isJoined = join(&sweep)
        if setBack(&sweep, epoch) || isJoined {
            try await journal.change([.update(sweep.record, from: kept.version)])
            return .listing(sweep)
        }
        let now = clock.now()
        var failures: [String] = []
        for (place, provider) in sweep.providers.enumerated() {
            guard let listing = listing(of: provider.provider), let pass = pass(of: provider, at: now) else { continue }
            guard provider.pages < RestoreSweeper.maximumPages || pass.cursor == nil else {
                failures.append("\(provider.provider): its list has more than \(RestoreSweeper.maximumPages) pages")
                continue
            }
            guard provider.unanswered.count < ProviderSweep.maximumUnanswered else { continue }
            let since = epoch.earliest.adding(Span(milliseconds: -RestoreSweep.margin.milliseconds))
            switch await listing.charges(since: since, after: pass.cursor) {
            case .failed(let reason): failures.append("\(provider.provider): \(reason)")
            case .listed(let charges, let next):
                var provider = provider
                if pass.cursor == nil { (provider.listed, provider.pages) = (0, 0) }
                provider.incidents += try await account(for: charges, of: &provider, at: now)
                provider.listed += charges.count
                provider.pages += 1
                // A clock that was behind at the restore yields too early a time; one in doubt yields none.
                let restored = max(epoch.at, sweep.provedAt ?? clock.now())
                provider.state = state(after: pass, next, listing, restored, at: now)
                sweep.providers[place] = provider
                RestoreFailpoint.beforePageIsWritten.reached()
                try await journal.change([.update(sweep.record, from: kept.version)])
                RestoreFailpoint.afterPageIsWritten.reached()
                return .listing(sweep)
            }
        }
        if let place = sweep.providers.firstIndex(where: \.isOwed) {
            let isFewer = try await askAgain(&sweep.providers[place])
            try await journal.change([.update(sweep.record, from: kept.version)])
            if isFewer { return .listing(sweep) }
        }
        let standing = try await standing(of: sweep, failures: failures)
        guard case .listing = standing, sweep.isComplete else { return standing }
        RestoreFailpoint.beforeGateIsOpened.reached()
        try await journal.change([.delete(RestoreSweep.id, from: kept.version)])
        return .notDue
    }

    /// Records an operator's statement that a provider lacks nothing, or that everything missing is known. Durable on
    /// return.
    /// - Returns: The updated sweep; `nil` if none is due, or if it has no such provider.
    public func accept(
        _ provider: ProviderName, by actor: String, evidence: String
    ) async throws(JournalError) -> RestoreSweep? {
        let now = clock.now()
        let sources = self
        return try await Records<RestoreSweep>(journal).update(RestoreSweep.id.key) { sweep in
            guard sweep.epoch != nil else { return false }
            _ = sources.join(&sweep)
            guard let place = sweep.providers.firstIndex(where: { $0.provider == provider }) else { return false }
            sweep.providers[place].state = .accepted(
                by: CardNumberMask.maskedForPeople(actor), evidence: CardNumberMask.maskedForPeople(evidence), at: now)
            return true
        }
    }

    // MARK: Parts of a step

    private func listing(of provider: ProviderName) -> (any ChargeListing)? {
        sources.first { $0.provider == provider }?.listing
    }

    /// Adds providers configured since, and marks those no longer configured as needing an operator.
    /// - Returns: `true` if anything changed.
    private func join(_ sweep: inout RestoreSweep) -> Bool {
        let before = sweep.providers
        for place in sweep.providers.indices where !sweep.providers[place].isSettled {
            if listing(of: sweep.providers[place].provider) == nil { sweep.providers[place].state = .unprovable }
        }
        for source in sources where !sweep.providers.contains(where: { $0.provider == source.provider }) {
            let state: ProviderSweep.State = source.listing == nil ? .unprovable : .listing(cursor: nil, since: nil)
            sweep.providers.append(ProviderSweep(source.provider, state))
        }
        for place in sweep.providers.indices
        where sweep.providers[place].state == .unprovable && listing(of: sweep.providers[place].provider) != nil {
            sweep.providers[place].state = .listing(cursor: nil, since: nil)
        }
        return sweep.providers != before
    }

    /// Corrects times planned under a clock that was ahead, which would keep the shop closed until then: if the clock
    /// was set back since, the waits for calls from before the restore and for late list entries start now.
    /// - Returns: `true` if anything changed.
    private func setBack(_ sweep: inout RestoreSweep, _ epoch: RestoreEpoch) -> Bool {
        let now = clock.now()
        let before = sweep
        if epoch.at > now { sweep.cause = .restored(epoch.made(at: now)) }
        if sweep.provedAt == nil, clock.standing.isTrusted { sweep.provedAt = now }
        for place in sweep.providers.indices {
            guard case .waiting(let until) = sweep.providers[place].state,
                let listing = listing(of: sweep.providers[place].provider)
            else { continue }
            let latest = now.adding(RestoreSweep.lateCalls).adding(listing.lag)
            if until > latest { sweep.providers[place].state = .waiting(until: latest) }
        }
        return sweep != before
    }

    /// Returns the pass to continue; `nil` if there is nothing to read now.
    private func pass(of provider: ProviderSweep, at now: Timestamp) -> (cursor: String?, since: Timestamp)? {
        switch provider.state {
        case .listing(let cursor, let since): (cursor, since ?? now)
        case .waiting(let until): until <= now ? (nil, now) : nil
        case .finished, .unprovable, .accepted: nil
        }
    }

    /// Returns the state after a page. A list that was read too early is read again, because charges made before the
    /// restore may have appeared since.
    private func state(
        after pass: (cursor: String?, since: Timestamp), _ next: String?, _ listing: any ChargeListing,
        _ restored: Timestamp, at now: Timestamp
    ) -> ProviderSweep.State {
        if let next { return .listing(cursor: next, since: pass.since) }
        // The time by which the latest arrival is in the list.
        let certain = restored.adding(RestoreSweep.lateCalls).adding(listing.lag)
        return pass.since >= certain ? .finished(at: now) : .waiting(until: certain)
    }

    /// - Returns: The number of new incidents.
    private func account(
        for charges: [ListedCharge], of provider: inout ProviderSweep, at now: Timestamp
    ) async throws(JournalError) -> Int {
        var count = 0
        for charge in charges {
            guard let id = charge.payment else { continue }
            let known: Payment?
            do throws(JournalError) { known = try await journal.payment(id) } catch {
                // The payment exists, and its order with it; `till journal verify` reports it.
                guard case .corrupted = error else { throw error }
                continue
            }
            if let known, try await isAccounted(charge, for: known, of: &provider) { continue }
            if charge.kind == .charge, charge.mayHaveMoved {
                // A refund of an unknown payment belongs to that charge, which is listed itself.
                let incident = incident(charge, id, known, provider.provider, at: now)
                if try await IncidentLog(journal).keep(incident) { count += 1 }
            }
        }
        return count
    }

    /// Returns `true` if a known payment accounts for a charge, after querying its provider: an attempt that may have
    /// made the charge can turn out to have done nothing, and then the charge belongs to a later attempt, which the
    /// journal has lost.
    private func isAccounted(
        _ charge: ListedCharge, for known: Payment, of provider: inout ProviderSweep
    ) async throws(JournalError) -> Bool {
        guard charge.isKnown(in: known) else { return false }
        // What an abandoned attempt has at the provider after all is written and voided by the answer; without one
        // the charge is an incident.
        guard try await isEstablished(charge.attempt, of: known) else { return false }
        let isAnswered = try await isAnswered(known)
        guard let asked = try await journal.payment(known.id) else { return false }
        if !isAnswered || (asked.mayOwnUnnamedCharge && !charge.isNamed(in: asked)) {
            if !provider.unanswered.contains(known.id) { provider.unanswered.append(known.id) }
            return true
        }
        return charge.isKnown(in: asked)
    }

    /// The number of payments with unanswered queries that one step queries again, which bounds the step.
    static let askedAgain = 16

    /// Queries again the payments with an unanswered earlier query.
    /// - Returns: `true` if fewer are left.
    private func askAgain(_ provider: inout ProviderSweep) async throws(JournalError) -> Bool {
        let before = provider.unanswered.count
        for id in provider.unanswered.prefix(RestoreSweeper.askedAgain) {
            provider.unanswered.removeFirst()
            guard let payment = try await journal.payment(id) else { continue }
            if try await isAnswered(payment), let asked = try await journal.payment(id), !asked.mayOwnUnnamedCharge {
                // A charge may have been attributed to an attempt that did nothing: the list is read once more.
                if asked.attempts.contains(where: { $0.reference == nil }) {
                    provider.state = .listing(cursor: nil, since: nil)
                }
                continue
            }
            // The others come first the next time; an unresponsive provider is not pressed.
            provider.unanswered.append(id)
            break
        }
        return provider.unanswered.count < before
    }

    /// Queries a known payment. Until its provider has answered, a refund made since the backup might be made twice. An
    /// undecided attempt cannot be refunded: recovery resolves it.
    private func isAnswered(_ payment: Payment) async throws(JournalError) -> Bool {
        do throws(CheckoutError) {
            guard payment.requestQuery(at: clock.now()).isEmpty else { return try await checkout.queryNow(payment.id) }
            try await checkout.query(payment.id)
            return true
        } catch {
            if case .journal(let reason) = error { throw reason }
            return false
        }
    }

    /// Queries an attempt that a charge names if Till had abandoned it; `false` without an answer.
    private func isEstablished(_ attempt: AttemptID?, of payment: Payment) async throws(JournalError) -> Bool {
        guard let attempt, !payment.requestQuery(aboutAbandoned: attempt, at: clock.now()).isEmpty else { return true }
        do throws(CheckoutError) { return try await checkout.queryNow(payment.id, about: attempt) } catch {
            if case .journal(let reason) = error { throw reason }
            return false
        }
    }

    private func incident(
        _ charge: ListedCharge, _ payment: PaymentID, _ known: Payment?, _ provider: ProviderName, at now: Timestamp
    ) -> Incident {
        var owner = known.map { Incident.Owner(account: $0.account, order: $0.order.id) }
        if owner == nil, let account = charge.account, let order = charge.order {
            owner = Incident.Owner(account: account, order: order)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("reference", charge.reference.rawValue)
        writer.field("status", charge.status)
        writer.field("payment", payment.rawValue)
        writer.field("attempt", charge.attempt?.rawValue)
        writer.field("order", owner?.order.rawValue)
        if let amount = charge.amount { writer.field("amount", "\(amount)") }
        writer.endObject()
        return Incident(
            listed: .unknownCharge, charge.reference.rawValue, of: provider, about: payment, for: owner,
            document: writer.bytes, at: now)
    }

    private func standing(of sweep: RestoreSweep, failures: [String]) async throws(JournalError) -> Standing {
        guard sweep.epoch != nil else { return .notRestored(sweep) }
        if !failures.isEmpty { return .failing(sweep, failures) }
        var untils: [Timestamp] = []
        let owing = sweep.providers.filter(\.isOwed)
        guard owing.isEmpty else {
            return .failing(
                sweep, owing.map { "\($0.provider) does not answer about \($0.unanswered.count) payments" })
        }
        for provider in sweep.providers {
            if case .waiting(let until) = provider.state { untils.append(until) }
            if case .listing = provider.state { return .listing(sweep) }
        }
        if let until = untils.min() { return .waiting(sweep, until: until) }
        let unattributed = try await self.unattributed()
        guard unattributed == 0, !sweep.providers.contains(where: { $0.state == .unprovable }) else {
            return .needsPerson(sweep, unattributed: unattributed)
        }
        return .listing(sweep)
    }

    /// Returns the number of our open charges without a known order, so that no order could be held.
    private func unattributed() async throws(JournalError) -> Int {
        var count = 0
        try await Records<Incident>(journal).forEach(matching: Incident.open) { incident in
            if incident.kind == .unknownCharge, incident.owner == nil { count += 1 }
        }
        return count
    }
}

extension ProviderSweep {
    /// `true` if the list is read but the provider has not answered about all payments.
    fileprivate var isOwed: Bool {
        switch state {
        case .finished: !unanswered.isEmpty
        case .listing, .waiting: unanswered.count >= ProviderSweep.maximumUnanswered
        case .unprovable, .accepted: false
        }
    }
}

extension ListedCharge {
    /// Returns `true` if a known payment has the charge by name.
    fileprivate func isNamed(in payment: Payment) -> Bool {
        if kind == .refund { return true }
        guard let attempt else { return payment.attempts.contains { $0.reference == reference } }
        return payment.attempts.contains { $0.id == attempt }
    }

    /// Returns `true` if a known payment accounts for the charge.
    fileprivate func isKnown(in payment: Payment) -> Bool {
        if isNamed(in: payment) { return true }
        guard attempt == nil else { return false }
        // A charge of the whole payment, as at a reader: an attempt has it, or may have it.
        return payment.currentAttempt?.authorization != nil || payment.mayOwnUnnamedCharge
    }
}

extension Payment {
    /// `true` if an attempt without a known provider name is under way: a charge of this payment may belong to it.
    fileprivate var mayOwnUnnamedCharge: Bool {
        currentAttempt.map { $0.authorization == nil && $0.reference == nil } ?? false
    }
}
