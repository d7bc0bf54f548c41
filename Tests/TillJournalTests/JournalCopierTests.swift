import Foundation
import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// A journal that is in use has a copy of itself elsewhere that can be restored.
@Suite("The copy of a journal in use") struct JournalCopierTests {
    private let site = Site(.sqlite)
    private var folder: String { site.folder + "/copies" }
    private var copy: String { folder + "/" + JournalCopier.name }

    private func open() throws -> SQLiteJournal { try SQLiteJournal.open(at: site.path, clock: site.clock) }

    private func sell(_ number: Int, in journal: SQLiteJournal) async throws {
        var sale = try Sale(number)
        sale.pay()
        try await journal.write(sale.write())
    }

    @Test("is made when something was written, by whichever process, and only then; it is restored like a backup")
    func changes() async throws {
        let journal = try open()
        let copier = try JournalCopier(journal, folder: folder, clock: site.clock)
        try await sell(1, in: journal)
        #expect(try await copier.copy())
        #expect(try await copier.copy() == false)
        #expect(try copier.lag(at: site.clock.now()) == .milliseconds(0))
        let other = try open()
        try await sell(2, in: other)
        site.clock.advance(by: .seconds(5))
        #expect(try copier.lag(at: site.clock.now()) == .seconds(5))
        #expect(try await copier.copy())
        #expect(try copier.lag(at: site.clock.now()) == .milliseconds(0))
        #expect(copier.pause >= JournalCopier.minimumPause && copier.pause <= JournalCopier.maximumPause)
        try await other.close()
        try await journal.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [JournalCopier.name])
        let target = site.folder + "/restored.sqlite"
        let report = try await SQLiteJournal.restore(copy, to: target, clock: site.clock)
        #expect(report.payments == 2)
    }

    @Test("that has what the journal lacks, or is of another one, is not replaced") func newer() async throws {
        let journal = try open()
        try await sell(1, in: journal)
        try await journal.close()
        let early = try Data(contentsOf: URL(fileURLWithPath: site.path))
        let again = try open()
        try await sell(2, in: again)
        try await JournalCopier(again, folder: folder, clock: site.clock).copy()
        try await again.close()
        let kept = try Data(contentsOf: URL(fileURLWithPath: copy))
        try early.write(to: URL(fileURLWithPath: site.path))
        let setBack = try open()
        let copier = try JournalCopier(setBack, folder: folder, clock: site.clock)
        await #expect(throws: JournalError.self) { try await copier.copy() }
        try await setBack.close()
        let strange = try SQLiteJournal.open(at: site.folder + "/other.sqlite", clock: site.clock)
        let theirs = try JournalCopier(strange, folder: folder, clock: site.clock)
        await #expect(throws: JournalError.self) { try await theirs.copy() }
        try await strange.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == kept)
    }
}
