import Testing
import TillCore
import TillCounter
@testable import TillFeatureDay
import TillJournal
import TillReceipts
import TillTestSupport

/// A journal in memory whose chain has a head of its own after each event.
private struct ChainedJournal: JournalInFront, RecordStore {
    let base: MemoryJournal

    static func head(_ sequence: Int64) -> ChainHead {
        ChainHead(sequence: sequence, hash: [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: 32))
    }

    func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }

    func chainHead(after sequence: Int64) async throws(JournalError) -> ChainHead? { ChainedJournal.head(sequence) }
}

/// What a report says of the journal's chain. What the chain is, is tested with the journals.
@Suite("The head of the chain on a report")
struct DayHeadTests {
    private let world = DayWorld()

    @Test("A closed day keeps the head after the last event that it counts, whatever is sold before it is closed")
    func closed() async throws {
        let book = DayBook(ChainedJournal(base: world.till), clock: world.clock, differenceLimit: 500, zone: world.zone)
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        try await world.sell(1_000)
        let open = try await book.current(of: .main)
        #expect(open.report.head == nil)
        #expect(try JSONValue(parsing: DayJSON.report(open, seesTotals: true))["journal_head"]?.isNull == true)
        _ = try await book.count(.init(total: 1_000), of: .main)
        try await world.sell(700)
        let closed = try await book.close(of: .main)
        let head = ChainedJournal.head(3)
        #expect(closed.report.lastSequence == 3 && closed.report.head == head)
        #expect(try await book.report(1, of: .main).report == closed.report)
        for seesTotals in [true, false] {
            let shown = try JSONValue(parsing: DayJSON.report(closed, seesTotals: seesTotals))
            #expect(shown["journal_head"]?.stringValue == head.description)
        }
        // On paper it has all its digits, too, in lines that are not broken.
        let paper = DayPaper(ReceiptSetup(), mode: .live).document(closed)
        let rows = paper.blocks.flatMap { block -> [ReceiptDocument.Row] in
            if case .table(let table) = block { return table.rows }
            return []
        }
        let row = try #require(rows.first { $0.label.plain == "Head after event" })
        #expect("\(row.value.plain):\(row.details.map(\.plain).joined())" == head.description)
    }

    @Test("A report of before heads were kept reads without one, and one with another event's does not read")
    func kept() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        try await world.sell(1_000)
        _ = try await book.count(.init(total: 1_000), of: .main)
        _ = try await book.close(of: .main)
        var record = try #require(try await world.till.record(DayReport.id(.main, 1)))
        #expect(try JSONValue(parsing: record.body)["head"] == nil)
        #expect(try DayReport(record).head == nil)
        let body = String(decoding: record.body, as: UTF8.self)
        func put(_ head: String) {
            record.body = Array(
                body.replacing("\"last_sequence\":3,", with: "\"last_sequence\":3,\"head\":\"\(head)\",").utf8)
        }
        put(ChainedJournal.head(3).description)
        #expect(try DayReport(record).head == ChainedJournal.head(3))
        for wrong in [ChainedJournal.head(2).description, "3:ab", "3", ""] {
            put(wrong)
            #expect(throws: JournalError.self) { try DayReport(record) }
        }
    }
}
