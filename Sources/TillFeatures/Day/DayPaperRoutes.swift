import HTTPTypes
import Hummingbird
import NIOCore
import TillCanvas
package import Logging
package import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// The reports of the day on paper: drawn as receipts are, and printed on the printers of receipts.
package struct DayPaperRoutes: Sendable {
    /// The maximum number of reports that are printed at the same time, by all accounts.
    static let maximumAtOnce = 8
    /// The maximum body size in bytes.
    private static let maximumBodyBytes = 1_024
    private static let form: QueryParameters = ["drawer", "width"]

    private let book: DayBook
    private let journal: any CounterStore
    private let options: ServerOptions
    private let clock: any TillClock
    private let logger: Logger
    private let places: AccountPlaces

    private var paper: DayPaper { DayPaper(options.receipts, mode: options.mode) }

    package init(
        book: DayBook, journal: any CounterStore, options: ServerOptions, clock: any TillClock, logger: Logger
    ) {
        (self.book, self.journal, self.options) = (book, journal, options)
        (self.clock, self.logger) = (clock, logger)
        places = AccountPlaces(AccountShares(all: DayPaperRoutes.maximumAtOnce, owner: options.account))
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/day/report.pdf", for: .read, of: .caller, needs: .totals, query: DayPaperRoutes.form) {
            let sheet = try DayPaperRoutes.sheet(in: $0)
            return try await pdf(try await book.chosen(in: $0).current(of: $0.account), on: sheet)
        }
        router.get(
            "/v1/day/reports/{report}.pdf", for: .read, of: .caller, needs: .totals, query: DayPaperRoutes.form
        ) {
            let sheet = try DayPaperRoutes.sheet(in: $0)
            return try await pdf(try await book.report($0), on: sheet)
        }
        router.post(
            "/v1/day/reports/{report}/print", for: .sell, of: .caller, needs: .totals,
            maximumBodyBytes: DayPaperRoutes.maximumBodyBytes
        ) { try await printed($0) }
    }

    // MARK: PDF

    /// Returns the paper that a request names; that of receipts if it names none.
    private static func sheet(in incoming: Incoming) throws -> Paper {
        let width = try incoming.query("width") ?? Paper.roll80.name
        guard let sheet = Paper.named(width) else {
            throw Problem.field("width", ReceiptFormError.unknownPaper(width).next)
        }
        return sheet
    }

    private func pdf(_ standing: DayBook.Standing, on sheet: Paper) async throws -> Response {
        let paper = paper
        let bytes: [UInt8]
        do {
            // Drawing takes milliseconds, so keep it off the event loop.
            bytes = try await Task.detached { try Canvas().pdf(paper.document(standing), paper: sheet) }.value
        } catch let error as CanvasError { throw DayPaperRoutes.notDrawn(error) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/pdf",
                .contentDisposition: "attachment; filename=\"\(DayFile.name(of: standing.report, as: "pdf"))\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns the problem of a report that cannot be drawn, which names what is missing. The error's own words speak
    /// of a receipt, and of forms that a report does not have.
    private static func notDrawn(_ error: CanvasError) -> Problem {
        Problem(
            .serviceUnavailable, error.code, error.what.replacing("The receipt", with: "The report"),
            next: error.next.replacing("text or HTML", with: "its CSV"))
    }

    // MARK: Printing

    private func printed(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["printer", "width", "drawer"])
        let chosen = try book.chosen(in: body)
        let number = try DayBook.number(in: incoming)
        guard try await chosen.kept(number, of: incoming.account) != nil else { throw DayError.unknownReport }
        // Only registered printers: an address in a request would give callers access to the shop's network.
        guard let name = body["printer"]?.stringValue, options.hasHardware(incoming.account),
            try await PrinterRegistry(journal).known(name) != nil
        else { throw Problem.field("printer", "It must be the name of a printer that was added.") }
        let width = try body.text("width", atMost: 20)
        try await checkWaiting(incoming.account)
        let report = PrintJob.Report(drawer: chosen.drawer, number: number)
        let job: PrintJob
        do {
            job = try await places.withPlace(of: incoming.account, else: DayPaperRoutes.full) {
                try await printing.print(report, of: incoming.account, on: name, width: width)
            }
        } catch let error as ReceiptFormError { throw Problem.field("width", error.next) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", job.id)
        writer.field("state", job.state.rawValue)
        writer.field("message", job.note)
        writer.field("reason", job.reason)
        writer.endObject()
        return .json(writer.bytes)
    }

    private var printing: ReceiptService {
        options.receipts.printing(journal, clock) { [logger] in logger.error("\($0)") }.with(paper.reports(of: book))
    }

    /// Limits the queue of an account on another account's printers.
    private func checkWaiting(_ account: AccountID) async throws {
        guard account != options.account else { return }
        let waiting = try await PrintJobs(journal).count(waitingOf: account)
        guard waiting < PrintJobs.maximumWaiting else { throw DayPaperRoutes.full }
    }

    private static let full = Problem(
        .tooManyRequests, "too_many_receipts",
        "This account has too many papers under way. This report was not printed.",
        next: "Wait until some have finished."
    ).retrying(after: 10)
}
