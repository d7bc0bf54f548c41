package import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillCounter
package import TillWeb

/// `/v1/day`: a drawer's session and the reports of the day, of each account its own. The drawer is named in the query
/// of what reads, and in the body of what changes; without a name it is the one that the page's device has chosen, else
/// the account's first.
package struct DayRoutes: Sendable {
    private let book: DayBook
    private let zone: TimeZone
    private let sessions: PageSessions

    /// - Parameter zone: the shop's time zone, by whose clock a day is shown.
    package init(book: DayBook, zone: TimeZone, sessions: PageSessions) {
        (self.book, self.zone, self.sessions) = (book, zone, sessions)
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/day", for: .read, of: .caller, query: ["drawer"]) { incoming in
            let (session, last) = try await book.chosen(in: incoming).day(of: incoming.account)
            return .json(
                DayJSON.day(session, last: last, zone: zone.identifier, seesTotals: DayRoutes.seesTotals(incoming)))
        }
        router.get("/v1/day/drawers", for: .read, of: .caller) { incoming in
            .json(DayJSON.drawers(try await book.drawers(of: incoming.account), device: Attribution.current?.drawer))
        }
        router.get("/v1/day/report", for: .read, of: .caller, needs: .totals, query: ["drawer"]) { incoming in
            .json(DayJSON.report(try await book.chosen(in: incoming).current(of: incoming.account), seesTotals: true))
        }
        router.get("/v1/day/report.csv", for: .read, of: .caller, needs: .totals, query: ["drawer"]) { incoming in
            file(of: try await book.chosen(in: incoming).current(of: incoming.account))
        }
        router.get("/v1/day/reports", for: .read, of: .caller, needs: .totals, query: ["before", "limit", "drawer"]) {
            try await list($0)
        }
        router.get("/v1/day/reports/{report}", for: .read, of: .caller, needs: .totals, query: ["drawer"]) { incoming in
            .json(DayJSON.report(try await book.report(incoming), seesTotals: true))
        }
        router.get("/v1/day/reports/{report}.csv", for: .read, of: .caller, needs: .totals, query: ["drawer"]) {
            file(of: try await book.report($0))
        }
        post("drawer", on: router) { try await choose($0) }
        post("open", on: router) { try await open($0) }
        post("cash", on: router) { incoming in
            let key = try incoming.idempotencyKey()
            let body = try await incoming.document()
            let (request, seen) = (try DayRequest.movement(body), try DayRequest.seen(body))
            return DayRoutes.session(
                try await book.chosen(in: body).move(
                    request, key: key, of: incoming.account, seen: seen, isBlind: !DayRoutes.seesTotals(incoming)),
                incoming, status: .created)
        }
        post("count", on: router) { incoming in
            let body = try await incoming.document()
            let (tally, seen) = (try DayRequest.count(body), try DayRequest.seen(body))
            return DayRoutes.session(
                try await book.chosen(in: body).count(tally, of: incoming.account, seen: seen), incoming)
        }
        post("close", on: router) { incoming in
            let body = try await incoming.document()
            let (left, reason) = try DayRequest.close(body)
            let closed = try await book.chosen(in: body).close(
                left: left, reason: reason, of: incoming.account, seen: try DayRequest.seen(body))
            return .json(DayJSON.report(closed, seesTotals: DayRoutes.seesTotals(incoming)))
        }
        post("resume", on: router) { incoming in
            let body = try await incoming.document()
            try body.allow(["session", "number_of_counts", "drawer"])
            return DayRoutes.session(
                try await book.chosen(in: body).resume(incoming.account, seen: try DayRequest.seen(body)), incoming)
        }
    }

    private func post(_ name: String, on router: CounterRouter, use handler: @escaping CounterRouter.Handler) {
        router.post(
            "/v1/day/" + name, for: .sell, of: .caller, needs: .drawer, maximumBodyBytes: DayLimits.maximumBodyBytes,
            use: handler)
    }

    private func open(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        let (float, currency, reason) = try DayRequest.opening(body)
        return DayRoutes.session(
            try await book.chosen(in: body).open(float, in: currency, of: incoming.account, reason: reason), incoming,
            status: .created)
    }

    /// Sets the drawer of the page's device: cash that names none is in it, and so is its day.
    private func choose(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["drawer"])
        guard let drawer = try body.drawer() else { throw Problem.field("drawer", "It is missing.") }
        guard let session = incoming.credential?.session else {
            throw Problem(
                .conflict, "no_device", "A key is at no device. Nothing was changed.",
                next: "Name the drawer in each request.")
        }
        guard try await sessions.choose(drawer, at: session) else { throw Problem.unauthorized }
        return .json(DayJSON.drawers(try await book.drawers(of: incoming.account), device: drawer))
    }

    private func file(of standing: DayBook.Standing) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8",
                .contentDisposition: "attachment; filename=\"\(DayFile.name(of: standing.report))\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: DayFile.text(standing, by: DayClock(zone)))))
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var (before, limit): (Int64?, Int) = (nil, DayLimits.usualPage)
        if let text = try incoming.query("before") {
            guard let number = Int64(text), number > 0 else {
                throw Problem.field("before", "It must be the number of a report.")
            }
            before = number
        }
        if let text = try incoming.query("limit") {
            guard let number = Int(text), (1...DayLimits.maximumPage).contains(number) else {
                throw Problem.field("limit", "It must be 1 to \(DayLimits.maximumPage).")
            }
            limit = number
        }
        return .json(
            DayJSON.page(
                try await book.chosen(in: incoming).reports(of: incoming.account, before: before, limit: limit)))
    }

    private static func session(
        _ standing: DayBook.Standing, _ incoming: Incoming, status: HTTPResponse.Status = .ok
    ) -> Response {
        .json(DayJSON.session(standing, seesTotals: seesTotals(incoming)), status: status)
    }

    /// `false` for staff that counts blind.
    private static func seesTotals(_ incoming: Incoming) -> Bool {
        incoming.person?.role.permissions.contains(.totals) ?? true
    }
}

extension DayBook {
    /// Returns the book of the drawer in a query.
    func chosen(in incoming: Incoming) throws -> DayBook {
        let named = try incoming.query("drawer").map { try DrawerName(requested: $0) }
        return at(named ?? Attribution.current?.drawer ?? .main)
    }

    /// Returns the book of the drawer in a body.
    func chosen(in body: JSONValue) throws -> DayBook {
        at(try body.drawer() ?? Attribution.current?.drawer ?? .main)
    }

    /// Returns the report that a request's path names, of the drawer in its query.
    func report(_ incoming: Incoming) async throws -> Standing {
        try await chosen(in: incoming).report(DayBook.number(in: incoming), of: incoming.account)
    }

    /// Returns the number of a report in a path.
    static func number(in incoming: Incoming) throws -> Int64 {
        guard let number = Int64(try incoming.parameters.text("report")), number > 0 else {
            throw DayError.unknownReport
        }
        return number
    }
}
