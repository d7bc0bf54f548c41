import Synchronization
import TillCore
import TillJournal
import TillStatements
import TillSandbox
import TillTestSupport

/// A provider's list of charges as a process reads it: in small pages, over an unreliable network, and delayed if the
/// provider's search is.
struct SimulatedListing: ChargeListing {
    /// The number of charges per page; small, so that a list has several pages.
    static let pageSize = 25

    let base: any ChargeListing
    /// The prefix of its references: one ledger contains the charges of two providers.
    let prefix: String
    /// The time for which a new charge is missing from the list.
    let lag: Span
    let ledger: SandboxLedger
    let incarnation: SimulatedWorld.Incarnation
    let world: SimulatedWorld

    func charges(since: Timestamp, after cursor: String?) async -> ChargePage {
        try? await world.clock.sleep(for: .milliseconds(world.pastNumber(5...400)))
        if world.mayCrash(incarnation, at: "in a sweep") { return .failed("crashed") }
        if world.clock.now() < world.state.withLock({ $0.outageUntil }) { return .failed("503") }
        if !world.isCalm, world.pastChance(60) {
            world.count("list not read")
            return .failed("503")
        }
        var page = await base.charges(since: since, after: cursor)
        if world.plant == .sweepSkipsPage, case .listed(_, let next?) = page {
            page = await base.charges(since: since, after: next)
        }
        incarnation.hears(world.clock.now())
        guard case .listed(let all, let next) = page else { return page }
        var listed: [ListedCharge] = []
        for charge in all {
            guard await isMine(charge) else { continue }
            if await isLate(charge) { continue }
            if world.plant == .knownNotQueriedAfterRestore, await isKnown(charge) { continue }
            listed.append(charge)
        }
        return .listed(listed, next: next)
    }

    private func isMine(_ listed: ListedCharge) async -> Bool {
        let name = listed.reference.rawValue
        guard listed.kind == .refund else { return name.hasPrefix(prefix) }
        // re_<charge>_<number>
        let parts = name.split(separator: "_")
        guard parts.count == 3 else { return false }
        return (try? await ledger.charge(ProviderReference(rawValue: prefix + parts[1]))) ?? nil != nil
    }

    /// `true` if the list does not show the charge yet.
    private func isLate(_ listed: ListedCharge) async -> Bool {
        guard lag.milliseconds > 0, let charge = try? await ledger.charge(listed.reference) else { return false }
        guard world.clock.now().since(Timestamp(milliseconds: charge.createdAt)) < lag else { return false }
        world.count("list lags")
        return true
    }

    private func isKnown(_ charge: ListedCharge) async -> Bool {
        guard let id = charge.payment, let payment = try? await incarnation.journal.payment(id) else { return false }
        return charge.attempt.map { name in payment.attempts.contains { $0.id == name } } ?? true
    }
}
