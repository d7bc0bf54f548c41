package import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillCounter
package import TillWeb

/// `GET /v1/insights` and `GET /v1/insights.csv`: what was sold, declined, refunded, disputed and paid out in a span of
/// days, of each account its own, for whoever may see totals.
package struct InsightsRoutes: Sendable {
    private let book: InsightsBook
    private let zone: TimeZone

    /// - Parameter zone: the shop's time zone, for questions without one.
    package init(book: InsightsBook, zone: TimeZone) { (self.book, self.zone) = (book, zone) }

    package func register(on router: CounterRouter) {
        let named = QueryParameters.named(InsightsRequest.names)
        router.get("/v1/insights", for: .read, of: .caller, needs: .totals, query: named) { incoming in
            .json(InsightsJSON.write(try await book.insights(of: incoming.account, in: try self.span(incoming))))
        }
        router.get("/v1/insights.csv", for: .read, of: .caller, needs: .totals, query: named) { incoming in
            let span = try self.span(incoming)
            let insights = try await book.insights(of: incoming.account, in: span)
            let name = "insights-\(ShopCalendar.text(span.first))-\(ShopCalendar.text(span.last)).csv"
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/csv; charset=utf-8",
                    .contentDisposition: "attachment; filename=\"\(name)\"",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: InsightsFile.text(insights))))
        }
    }

    private func span(_ incoming: Incoming) throws -> InsightsSpan {
        try InsightsRequest.span(
            from: try incoming.query("from"), until: try incoming.query("until"), zone: try incoming.query("zone"),
            in: zone, at: book.now)
    }
}
