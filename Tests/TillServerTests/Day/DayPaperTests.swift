import Foundation
import Testing
import TillCore
import TillCounter
@testable import TillFeatureDay
import TillJournal
import TillPrinting
import TillReceipts
import TillTestSupport

@Suite("A report on paper")
struct DayPaperTests {
    private let world = DayWorld()

    private func setup(_ locale: String = "en_US") -> ReceiptSetup {
        var setup = ReceiptSetup()
        setup.locale = Locale(identifier: locale)
        setup.store = StoreDetails(name: "Corner Shop", address: "Main Street 1", timeZone: world.zone)
        return setup
    }

    private func eur(_ units: Int64) -> String {
        ReceiptFormat(setup().locale, zone: world.zone).amount(Money(minorUnits: units, currency: .eur)).plain
    }

    /// A day with sales, tips, cash moved and a difference.
    private func closed() async throws -> DayBook.Standing {
        let book = world.book()
        _ = try await book.open(.init(total: 10_000), in: .eur, of: .main)
        try await world.sell(1_250, tip: 250)
        try await world.sell(9_900, .card)
        try await world.sell(500, .card, in: .usd)
        _ = try await book.move(.init(.paidOut, amount: 320, reason: "Milk"), key: "milk", of: .main)
        _ = try await book.count(.init(total: 11_080), of: .main)
        return try await book.close(left: 10_000, reason: "Wrong change", of: .main)
    }

    private func rows(_ document: ReceiptDocument) -> [ReceiptDocument.Row] {
        document.blocks.flatMap { block -> [ReceiptDocument.Row] in
            if case .table(let table) = block { return table.rows }
            return []
        }
    }

    private func values(_ label: String, _ document: ReceiptDocument) -> [String] {
        rows(document).filter { $0.label.plain == label }.map(\.value.plain)
    }

    private func notices(_ document: ReceiptDocument) -> [String] {
        document.blocks.compactMap { if case .notice(let text, _, _, _) = $0 { text.plain } else { nil } }
    }

    private func lines(_ document: ReceiptDocument) -> [String] {
        document.blocks.compactMap { if case .line(let text) = $0 { text.plain } else { nil } }
    }

    @Test("A Z has the shop's header, its number, the drawer and every sum of its file")
    func whole() async throws {
        let closed = try await closed()
        let document = DayPaper(setup(), mode: .live).document(closed)
        #expect(document.blocks.first == ReceiptDocument.Block.heading(ReceiptText("Corner Shop")))
        #expect(document.blocks.last == ReceiptDocument.Block.cut)
        #expect(notices(document) == ["Z report 0001"])
        #expect(document.title.plain == "Z report 0001 – Corner Shop")
        #expect(lines(document).contains("By tender") && lines(document).contains("By tender, USD"))
        #expect(values("Float counted", document) == ["€100.00"])
        #expect(values("Cash sales", document) == ["€15.00"])
        // In the drawer, and as a movement.
        #expect(values("Paid out", document) == [eur(-320), eur(-320)])
        #expect(values("Expected", document) == ["€111.80"])
        #expect(values("Counted", document) == ["€110.80"])
        #expect(values("Difference", document) == [eur(-100)])
        #expect(values("Stays in the drawer", document) == ["€100.00"])
        #expect(values("Reason", document) == ["Wrong change"])
        #expect(values("Tips", document).first == "€2.50")
        let movement = try #require(rows(document).last)
        #expect(movement.details.first?.plain.hasSuffix(": Milk") == true)
        let format = ReceiptFormat(setup().locale, zone: world.zone)
        let shown = Set(rows(document).map(\.value))
        for case .sums(let division, let currency, let sums) in closed.entries(in: world.zone) {
            var share = sums.net
            if case .row(.tip, _) = division { share = sums.tips }
            #expect(shown.contains(format.amount(Money(minorUnits: share, currency: currency))), "\(division)")
        }
    }

    @Test("An X says that it changes nothing, has no number and no chain's head, and is no copy")
    func current() async throws {
        let book = world.book()
        _ = try await book.open(.init(total: 0), in: .eur, of: .main)
        try await world.sell(1_250)
        let document = DayPaper(setup(), mode: .live).document(try await book.current(of: .main))
        #expect(notices(document) == ["X report"])
        #expect(lines(document).contains { $0.hasSuffix("Changes nothing.") })
        #expect(values("Head after event", document).isEmpty && values("Counted", document).isEmpty)
        #expect(values("Expected", document) == ["€12.50"])
        #expect(!lines(document).contains("REPRINT (COPY)"))
    }

    @Test("A report of test mode is marked as such before all else")
    func test() async throws {
        let standing = try await closed()
        let document = DayPaper(setup(), mode: .test).document(standing)
        guard case .notice(let mark, .some, _, true) = document.blocks.first else {
            Issue.record("The first block is no warning.")
            return
        }
        #expect(mark.plain == "TEST")
        #expect(notices(DayPaper(setup(), mode: .live).document(standing)) == ["Z report 0001"])
    }

    @Test("A report that no try can print fails at once with its reason; what a later one may print waits")
    func permanent() async throws {
        let lost: [(error: any ExplainedError, state: PrintJob.State)] = [
            (IPPError.tooLong("it is 4000 mm long"), .failed), (ReceiptError.nothingSold, .failed),
            (ReceiptError.refundNotDone(RefundID(rawValue: "pay_1-r1")), .waiting),
            (IPPError.needsHelp("The printer is out of paper."), .waiting),
        ]
        let jobs = PrintJobs(world.till)
        for (index, (error, state)) in lost.enumerated() {
            let printing = ReceiptService(journal: world.till, clock: world.clock) { _, _, _ in
                throw ReceiptError.nothingSold
            }.with { _, _, _ in throw error }
            let report = PrintJob.Report(drawer: .main, number: Int64(index + 1))
            let job = try await printing.print(report, of: .main, on: "socket://127.0.0.1:9100")
            #expect(job.state == state && job.reason == error.code && job.tries == 1)
            #expect(job.note.hasSuffix(error.next))
            world.clock.advance(by: .minutes(10))
            let again = try await printing.printWaiting()
            #expect(again.last?.tries == (state == .waiting ? 2 : nil))
        }
        #expect(try await jobs.jobs(of: nil).map(\.reason) == ["printer_needs_help", "printer_needs_help"])
        let failed = try await jobs.failed(since: world.clock.now().adding(.days(-2)))
        #expect(failed.map(\.reason) == ["receipt_longer_than_paper", "receipt_without_lines"])
        #expect(try await jobs.failed(since: world.clock.now()).isEmpty)
    }

    @Test("A report that is printed again says so")
    func reprint() async throws {
        let document = DayPaper(setup(), mode: .live).document(try await closed(), isReprint: true)
        #expect(lines(document).contains("REPRINT (COPY)"))
    }

    @Test("A report of another drawer has its name, and says where the tables are")
    func other() async throws {
        let bar = world.book().at(DrawerName(rawValue: "bar"))
        _ = try await bar.open(.init(total: 5_000), in: .eur, of: .main)
        _ = try await bar.count(.init(total: 5_000), of: .main)
        let document = DayPaper(setup(), mode: .live).document(try await bar.close(of: .main))
        #expect(values("Drawer", document) == ["bar"])
        #expect(lines(document).contains("The tables are in the reports of the first drawer."))
    }

    @Test("Every language of receipts has every word, with what is filled in", arguments: ReceiptLabels.languages)
    func words(language: String) throws {
        let texts = try #require(DayWords.all[language])
        #expect(Set(DayWord.allCases).subtracting(texts.keys) == [])
        for (word, text) in texts {
            #expect(!text.isEmpty && filled(text) == filled(DayWords.english[word] ?? ""), "\(word)")
        }
    }

    private func filled(_ text: String) -> [String] { text.matches(of: /\{\w+\}/).map { String($0.output) } }

    @Test("A report is in the shop's language, with its amounts and its direction", arguments: ["de_DE", "ar_EG"])
    func languages(locale: String) async throws {
        let document = DayPaper(setup(locale), mode: .live).document(try await closed())
        let words = DayWords(document.language)
        #expect(document.language == locale.prefix(2) && document.isRightToLeft == (locale == "ar_EG"))
        let format = ReceiptFormat(Locale(identifier: locale), zone: world.zone)
        #expect(values(words[.expected], document) == [format.amount(Money(minorUnits: 11_180, currency: .eur)).plain])
    }
}
