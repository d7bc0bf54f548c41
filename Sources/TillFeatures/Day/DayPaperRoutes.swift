import HTTPTypes
import Hummingbird
import NIOCore
import TillCanvas
import TillCore
package import TillCounter
package import TillWeb

/// The reports of the day on paper, drawn as receipts are.
package struct DayPaperRoutes: Sendable {
    private static let form: QueryParameters = ["drawer", "width"]

    private let book: DayBook
    private let paper: DayPaper

    /// - Parameter setup: the shop's header, and the language of its papers.
    package init(book: DayBook, setup: ReceiptSetup) { (self.book, paper) = (book, DayPaper(setup)) }

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
    }

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

    /// Returns the problem of a report that cannot be drawn, which names what is missing. The error's own words speak of
    /// a receipt, and of forms that a report does not have.
    private static func notDrawn(_ error: CanvasError) -> Problem {
        Problem(
            .serviceUnavailable, error.code, error.what.replacing("The receipt", with: "The report"),
            next: error.next.replacing("text or HTML", with: "its CSV"))
    }
}
