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
            let insights = try await book.insights(
                of: incoming.account, in: try self.span(incoming), seeing: InsightsRoutes.sight(of: incoming))
            return .json(InsightsJSON.write(insights))
        }
        router.get("/v1/insights.csv", for: .read, of: .caller, needs: .totals, query: named) { incoming in
            let span = try self.span(incoming)
            let insights = try await book.insights(
                of: incoming.account, in: span, seeing: InsightsRoutes.sight(of: incoming))
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

    /// What stands at addresses of its own, with the permission or the scope that is needed there.
    private static func sight(of incoming: Incoming) -> InsightsSight {
        InsightsSight(
            review: incoming.person?.role.permissions.contains(.review) ?? true,
            offline: incoming.scopes.contains(.offline))
    }

    private func span(_ incoming: Incoming) throws -> InsightsSpan {
        try InsightsRequest.span(
            from: try incoming.query("from"), until: try incoming.query("until"), zone: try incoming.query("zone"),
            in: zone, at: book.now)
    }
}
