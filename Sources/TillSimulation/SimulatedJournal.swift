import Synchronization
import TillCore
import TillJournal

/// The journal as one process sees it: writes take time, and the process may die before and after each.
struct SimulatedJournal: JournalInFront, RecordStore {
    let base: MemoryJournal
    let incarnation: SimulatedWorld.Incarnation
    let world: SimulatedWorld

    func write(_ write: JournalWrite) async throws(JournalError) {
        if world.mayCrash(incarnation, at: "before a write") { throw .unavailable("crashed") }
        if world.chance(300) { await world.pause(1...20) }
        let dice = world.isCalm ? 1000 : world.number(0...999)
        if dice < 2 {
            world.count("disk full")
            throw .unavailable("the disk is full")
        }
        var breach: String?
        if world.epoch > 1, let append = write.append { breach = try await RestoreRules.problem(append, in: base) }
        try await base.write(write)
        if let breach { world.state.withLock { $0.report.violations.append(breach) } }
        if let append = write.append {
            world.note("\(append.payment.id) \(append.events.map(\.event.name))")
        }
        let durable = world.state.withLock { state -> Bool in
            state.writes += 1
            if let append = write.append, append.payment.version > world.maximumEvents { state.isRestless = true }
            return state.writes % 20 == 0
        }
        if durable, world.plant == .acknowledgesBeforeDurable {
            world.state.withLock { $0.durable = $0.storage.copy() }
        }
        if world.mayCrash(incarnation, at: "after a write") { throw .unavailable("crashed") }
        if dice < 4 {
            world.count("written and not acknowledged")
            throw .unavailable("an error of the disk")
        }
    }

    func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        if world.chance(100) { await world.pause(0...5) }
        return try await base.payment(id)
    }
}
