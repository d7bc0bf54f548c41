import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// A journal that lacks what was sold says so, however it came about, and nothing is sold on it.
@Suite("A restored journal") struct RestoreTests {
    private let site = Site(.sqlite)
    private var backup: String { site.folder + "/backup.sqlite" }

    private func open() throws -> SQLiteJournal { try SQLiteJournal.open(at: site.path, clock: site.clock) }

    private func sell(_ number: Int, in journal: SQLiteJournal) async throws {
        var sale = try Sale(number)
        sale.pay()
        try await journal.write(sale.write())
    }

    /// A sale with the conditions that the engine sets.
    private func begin(_ number: Int, in journal: any Journal) async throws {
        var sale = try Sale(number)
        var write = sale.write()
        write.records = SaleGate.conditions(account: .main, order: sale.payment.order.id)
        try await journal.write(write)
    }

    private func isRefused(_ number: Int, in journal: any Journal) async throws -> SaleGate.Refusal? {
        do {
            try await begin(number, in: journal)
            return nil
        } catch JournalError.recordConflict(let id, _) { return SaleGate.refusal(at: id) }
    }

    /// Two sales, a backup of them, and one sale more.
    private func sellWithBackup() async throws -> ChainHead {
        let journal = try open()
        try await sell(1, in: journal)
        try await sell(2, in: journal)
        let head = try await journal.backup(to: backup)
        try await sell(3, in: journal)
        try await journal.close()
        return head
    }

    private func restore(known: ChainHead? = nil) async throws -> RestoreReport {
        try await SQLiteJournal.restore(backup, to: site.path, known: known, clock: site.clock)
    }

    @Test("is the backup, in a new epoch that says what it came from, and sells nothing; the old file is kept")
    func restored() async throws {
        let head = try await sellWithBackup()
        let report = try await restore(known: head)
        #expect(report.epoch.number == 2 && report.epoch.head == head && report.epoch.source == "backup.sqlite")
        #expect(report.epoch.newest == Sale.start.adding(.seconds(4)) && report.events == 10)
        #expect(report.epoch.earliest == Sale.start)
        let journal = try open()
        #expect(try await journal.events(of: Sale(3).payment.id).isEmpty)
        #expect(try await RestoreSweep.due(in: journal)?.epoch == report.epoch)
        #expect(try await Records<RestoreEpoch>(journal).list() == [report.epoch])
        #expect(try await isRefused(4, in: journal) == .restoring)
        #expect(try await journal.verify(known: head).isSound)
        try await journal.close()
        let old = try SQLiteJournal.open(at: try #require(report.aside), clock: site.clock)
        #expect(try await old.events(of: Sale(3).payment.id).count == 5)
        try await old.close()
        #expect(try await restore().epoch.number == 3, "an epoch was counted twice")
    }

    @Test("asks for what was sold since the last entry, whatever a clock that was ahead has dated") func misdated()
        async throws
    {
        let journal = try open()
        try await sell(1, in: journal)
        let last = try #require(try await journal.newestMoment())
        try await Records<ClockProof>(journal).put(
            ClockProof(at: last, overrules: last, by: .clock))
        site.clock.advance(by: .days(3))
        var ahead = try Sale(2, at: last.adding(.days(3)))
        ahead.pay()
        try await journal.write(ahead.write())
        _ = try await journal.backup(to: backup)
        try await journal.close()
        // The clock is put right.
        site.clock.advance(by: .days(-2))
        let restored = try await restore()
        #expect(restored.epoch.newest == last, "what was sold after the last moment that is sure is asked for")
        let again = try open()
        let report = try await again.verify()
        #expect(!report.isSound && report.isIntact && report.misdated > 0)
        #expect(report.problems.contains { $0.contains("happened in the future") })
        #expect(try await again.restoreInPlace().newest == last)
        try await again.close()
    }

    @Test("sells again once the sweep is deleted, and not before") func gate() async throws {
        _ = try await sellWithBackup()
        _ = try await restore()
        let journal = try open()
        #expect(try await isRefused(4, in: journal) == .restoring)
        #expect(try await Records<RestoreSweep>(journal).delete(RestoreSweep.id.key))
        #expect(try await isRefused(4, in: journal) == nil)
        try await journal.close()
        let again = try open()
        #expect(try await isRefused(5, in: again) == nil)
        try await again.close()
    }

    @Test("a backup that is opened as a journal knows that it is one") func copiedBackup() async throws {
        let head = try await sellWithBackup()
        let copy = try SQLiteJournal.open(at: backup, clock: site.clock)
        #expect(try await RestoreSweep.due(in: copy)?.cause == .copiedBack(head))
        #expect(try await isRefused(4, in: copy) == .restoring)
        let epoch = try await copy.restoreInPlace()
        #expect(epoch.number == 2 && epoch.source == nil)
        #expect(try await RestoreSweep.due(in: copy)?.epoch == epoch)
        try await copy.close()
    }

    @Test("a file that was copied back by hand is noticed") func copiedFile() async throws {
        let journal = try open()
        try await sell(1, in: journal)
        try await journal.close()
        try Data(contentsOf: URL(fileURLWithPath: site.path)).write(to: URL(fileURLWithPath: backup))
        let more = try open()
        try await sell(2, in: more)
        let head = try #require(try await more.verify().head)
        try await more.close()
        try Data(contentsOf: URL(fileURLWithPath: backup)).write(to: URL(fileURLWithPath: site.path))
        let setBack = try open()
        #expect(try await RestoreSweep.due(in: setBack)?.cause == .setBack(missing: head))
        #expect(try await isRefused(3, in: setBack) == .restoring)
        _ = try await setBack.restoreInPlace()
        #expect(try await Records<RestoreSweep>(setBack).delete(RestoreSweep.id.key))
        try await setBack.close()
        let after = try open()
        #expect(try await RestoreSweep.due(in: after) == nil, "what was swept is noticed again")
        try await after.close()
    }

    @Test(
        "a journal whose last event was cut off or changed is damaged, and not an earlier copy of itself",
        arguments: [
            "DELETE FROM event WHERE sequence = 5", "UPDATE event SET link = zeroblob(32) WHERE sequence = 5",
        ])
    func damagedEnd(_ damage: String) async throws {
        let journal = try open()
        try await sell(1, in: journal)
        try await journal.close()
        try await DatabaseQueue(path: site.path).write { try $0.execute(sql: damage) }
        let damaged = try open()
        #expect(try await RestoreSweep.due(in: damaged) == nil)
        #expect(try await damaged.verify().isSound == false)
        await #expect(throws: JournalError.self) { try await begin(2, in: damaged) }
        try await damaged.close()
    }

    @Test("another history of the same length is noticed, a new journal of the same name is not")
    func otherHistory() async throws {
        func session(_ numbers: ClosedRange<Int>) async throws {
            let journal = try open()
            for number in numbers { try await sell(number, in: journal) }
            try await journal.close()
        }
        let (file, note) = (URL(fileURLWithPath: site.path), URL(fileURLWithPath: site.path + "-head"))
        try await session(1...1)
        let early = try Data(contentsOf: file)
        try await session(2...3)
        let noted = try Data(contentsOf: note)
        // Sold on from the earlier copy where nobody watched: more events, and others.
        try early.write(to: file)
        try FileManager.default.removeItem(at: note)
        try await session(6...8)
        try noted.write(to: note)
        let forked = try open()
        #expect(try await RestoreSweep.due(in: forked) != nil)
        try await forked.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: site.path + end) }
        let new = try open()
        #expect(try await RestoreSweep.due(in: new) == nil)
        try await new.close()
    }

    @Test("nothing is noticed in a journal that goes on, and a note that cannot be read says nothing")
    func goesOn() async throws {
        for number in 1...3 {
            let journal = try open()
            #expect(try await isRefused(number, in: journal) == nil)
            try await journal.close()
        }
        try Data("till-head what is this".utf8).write(to: URL(fileURLWithPath: site.path + "-head"))
        #expect(HeadFile.read(site.path + "-head") == nil)
        let journal = try open()
        #expect(try await isRefused(4, in: journal) == nil)
        #expect(HeadFile.read(site.path + "-head")?.head.sequence == 4)
        try await journal.close()
    }

    @Test("is not put in the place of a journal that is in use") func inUse() async throws {
        _ = try await sellWithBackup()
        let journal = try open()
        await #expect(throws: RestoreError.inUse(site.path)) { try await restore() }
        #expect(try await isRefused(4, in: journal) == nil)
        try await journal.close()
        let after = try open()
        #expect(try await after.events(of: Sale(3).payment.id).count == 5)
        try await after.close()
    }

    @Test("is never one that was changed, cut, of another shop or not there; then nothing has changed")
    func refused() async throws {
        let head = try await sellWithBackup()
        await #expect(throws: RestoreError.noBackup(site.folder + "/nothing")) {
            try await SQLiteJournal.restore(site.folder + "/nothing", to: site.path, clock: site.clock)
        }
        await #expect(throws: RestoreError.backupIsTheJournal(site.path)) {
            try await SQLiteJournal.restore(site.path, to: site.path, clock: site.clock)
        }
        let later = ChainHead(sequence: 11, hash: head.hash)
        await #expect { try await restore(known: later) } throws: { ($0 as? RestoreError)?.code == "backup_unsound" }
        let other = Site(.sqlite)
        let theirs = try SQLiteJournal.open(at: other.path, clock: other.clock)
        try await theirs.backup(to: other.folder + "/theirs")
        try await theirs.close()
        await #expect(throws: RestoreError.otherJournal(site.path)) {
            try await SQLiteJournal.restore(other.folder + "/theirs", to: site.path, clock: site.clock)
        }
        try await DatabaseQueue(path: backup).write {
            try $0.execute(sql: "UPDATE event SET body = replace(body, 'main', 'mein') WHERE sequence = 6")
        }
        await #expect { try await restore() } throws: { ($0 as? RestoreError)?.code == "backup_unsound" }
        let journal = try open()
        #expect(try await journal.events(of: Sale(3).payment.id).count == 5)
        #expect(try await isRefused(4, in: journal) == nil)
        try await journal.close()
    }

    @Test("does not open while its restore is unfinished, and the same restore goes on") func unfinished() async throws
    {
        _ = try await sellWithBackup()
        try Data((site.path + "-before-x").utf8).write(to: URL(fileURLWithPath: site.path + "-restoring"))
        #expect { try open() } throws: { "\($0)".contains("run the same till restore again") }
        let report = try await restore()
        #expect(report.aside == site.path + "-before-x")
        let journal = try open()
        #expect(try await isRefused(4, in: journal) == .restoring)
        try await journal.close()
    }

    @Test("every standing of a sweep is read as it was written") func records() async throws {
        let journal = MemoryJournal(clock: site.clock)
        let head = ChainHead(sequence: 7, hash: [UInt8](repeating: 9, count: 32))
        let epoch = RestoreEpoch(number: 3, at: Sale.start, source: "b", head: head, newest: Sale.start)
        let states: [ProviderSweep.State] = [
            .listing(cursor: nil, since: nil), .listing(cursor: "c/1", since: Sale.start), .waiting(until: Sale.start),
            .finished(at: Sale.start), .unprovable, .accepted(by: "A", evidence: "report 7", at: Sale.start),
        ]
        for cause in [RestoreSweep.Cause.copiedBack(head), .setBack(missing: head), .restored(epoch)] {
            var sweep = RestoreSweep(cause, providers: states.map { ProviderSweep(.sandbox, $0) })
            sweep.providers[1].pages = 2
            try await Records<RestoreSweep>(journal).put(sweep)
            #expect(try await RestoreSweep.due(in: journal) == sweep)
        }
    }
}
