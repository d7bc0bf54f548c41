import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCheckout
import TillCore
import TillJournal
import Tracing

/// Finds what a request wants, answers it, and turns every error into a problem document.
struct CounterResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let payments: PaymentRoutes
    let terminal: TerminalRoutes
    let webhooks: WebhookRoute
    let tap: TapRoutes
    let events: EventStreamRoute
    let authenticator: RequestAuthenticator
    let metrics: ServerMetrics
    let calls: ProviderCalls?
    let readiness: Readiness
    let journal: any CounterStore
    let checkout: Checkout
    let options: ServerOptions
    let applePay: ApplePayMount?
    let offline: OfflineService?
    let clock: any TillClock
    let logger: Logger
    let gaps = ReceiptGapLog()
    private let numbers = RequestNumbers()

    func respond(to request: Request, context: BasicRequestContext) async -> Response {
        await respond(to: request)
    }

    func respond(to request: Request) async -> Response {
        let began = ContinuousClock.now
        let id = requestID(request)
        var place = ServiceContext.topLevel
        place.requestID = id
        place.traceParent = TraceParent(request.headers)
        InstrumentationSystem.instrument.extract(request.headers, into: &place, using: HTTPFieldsCarrier())
        return await withSpan(request.method.rawValue, context: place, ofKind: .server) { span in
            await respond(to: request, id: id, began: began, span)
        }
    }

    private func respond(
        to request: Request, id: String, began: ContinuousClock.Instant, _ span: any Tracing.Span
    ) async -> Response {
        var route = "unknown"
        var response: Response
        var code: String?
        do {
            try HeadLimits.check(request)
            response = try await answer(request, route: &route)
        } catch {
            let problem = Problem(error)
            code = problem.code
            if problem.status.code >= 500 {
                logger.error(
                    "request failed",
                    metadata: [
                        "request": "\(id)", "route": "\(route)", "error": "\(Self.loggable(error))",
                        "trace": "\(ServiceContext.current?.traceParent?.traceID ?? "-")",
                    ])
            }
            response = problem.response
        }
        secure(&response)
        response.headers[.requestID] = id
        if request.method == .head { response = response.createHeadResponse() }
        let duration = ContinuousClock.now - began
        metrics.answered(
            route: route, status: response.status.code, after: duration,
            isReplay: response.headers[CounterResponder.replayName] != nil, code: code)
        span.operationName = "\(request.method.rawValue) \(route)"
        span.attributes["http.request.method"] = request.method.rawValue
        span.attributes["http.route"] = route
        span.attributes["http.response.status_code"] = response.status.code
        span.attributes["till.request_id"] = id
        if let code { span.attributes["till.problem"] = code }
        if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        logger.debug(
            "request",
            metadata: [
                "request": "\(id)", "route": "\(route)", "status": "\(response.status.code)", "duration": "\(duration)",
                "trace": "\(ServiceContext.current?.traceParent?.traceID ?? "-")",
            ])
        return response
    }

    private static let replayName = Incoming.name("Idempotent-Replayed")

    /// Errors of our own explain themselves without secrets; of others only the type is told.
    private static func loggable(_ error: any Error) -> String {
        switch error {
        case let error as any ExplainedError: error.what
        case let error as JournalError: error.description
        case let problem as Problem: problem.detail
        default: "\(type(of: error))"
        }
    }

    private func requestID(_ request: Request) -> String {
        if let id = request.headers[.requestID], (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        {
            return id
        }
        return numbers.next()
    }

    private func secure(_ response: inout Response) {
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
    }

    // MARK: Routes

    private func answer(_ request: Request, route: inout String) async throws -> Response {
        let path = request.uri.path
        if let response = try await receiptAnswer(request, route: &route) { return response }
        if let response = try await offlineAnswer(request, route: &route) { return response }
        if ApplePayRoutes.own(path), let web = try applePay?.web() {
            return try await web.routes.answer(request, route: &route)
        }
        if path.hasPrefix(ThreeDSecureReturnURL.path) {
            route = "/back/{attempt}"
            try request.only(.get)
            return try await cameBack(request)
        }
        let isReading = request.isReading
        if let asset = PageAsset.all[path], asset.audience == .counter {
            route = path
            try request.only(.get)
            return asset.response
        }
        switch path {
        case "/", "/healthz", "/readyz", "/metrics":
            route = path
            try request.only(.get)
            return try await open(path, request)
        case "/session":
            route = path
            try request.only(.post)
            return try await session(request)
        case "/v1/payments":
            route = path
            guard isReading || request.method == .post else { try request.only(.post); throw Problem.notFound }
            let incoming = try await incoming(request)
            return isReading ? try await payments.list(incoming) : try await payments.create(incoming)
        case "/v1/events":
            route = path
            try request.only(.get)
            guard request.method == .get else { try request.only(.post); throw Problem.notFound }
            return try await events.stream(try await incoming(request))
        default: break
        }
        if path.hasPrefix(WebhookRoute.prefix) {
            route = WebhookRoute.name
            return try await webhooks.answer(request)
        }
        if path == "/v1/tap" || path.hasPrefix("/v1/tap/") {
            return try await tap.answer(path, request, route: &route) { try await incoming(request) }
        }
        if path.hasPrefix("/v1/terminal/") {
            return try await terminal.answer(path, request, route: &route) { try await incoming(request) }
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard (3...4).contains(parts.count), parts.first == "v1" else { throw Problem.notFound }
        let names = parts.dropFirst().map { $0.removingURLPercentEncoding() ?? "" }
        let verb = names.count == 3 ? names[2] : ""
        switch (names[0], verb) {
        case ("payments", ""), ("payments", "receipt"), ("orders", "receipt"):
            guard names.count == 3 || names[0] == "payments", !path.hasSuffix("/") else { throw Problem.notFound }
            route = "/v1/\(names[0])/{id}" + (verb.isEmpty ? "" : "/\(verb)")
            try request.only(.get)
            let incoming = try await incoming(request)
            if names[0] == "orders" {
                return try await receipt(ofOrder: try identifier(names[1]), incoming)
            }
            let id: PaymentID = try identifier(names[1])
            return verb.isEmpty ? try await payments.show(id, incoming) : try await receipt(id, incoming)
        case ("payments", "confirm"), ("payments", "capture"), ("payments", "cancel"), ("payments", "refunds"):
            route = "/v1/payments/{id}/\(verb)"
            try request.only(.post)
            let incoming = try await incoming(request)
            let id: PaymentID = try identifier(names[1])
            switch verb {
            case "confirm": return try await payments.confirm(id, incoming)
            case "capture": return try await payments.capture(id, incoming)
            case "cancel": return try await payments.cancel(id, incoming)
            default: return try await payments.refund(id, incoming)
            }
        default: throw Problem.notFound
        }
    }

    private func identifier<Name: Identifier>(_ text: String) throws -> Name {
        do { return try Name(validating: text) } catch { throw Problem.notFound }
    }

    private func incoming(_ request: Request) async throws -> Incoming {
        Incoming(
            request: request, account: try await authenticator.account(of: request),
            maximumBodyBytes: options.maximumBodyBytes, bodyTimeout: options.bodyTimeout)
    }

    // MARK: Without an account

    private func open(_ path: String, _ request: Request) async throws -> Response {
        switch path {
        case "/":
            var response = Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-cache"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.counter_html)))
            response.headers[.contentSecurityPolicy] =
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            if let cookie = authenticator.cookieForPage(request) { response.headers[.setCookie] = cookie }
            return response
        case "/healthz": return text("ok\n")
        case "/readyz":
            try await readiness.check()
            return text("ready\n")
        default:
            if !options.isLoopback { _ = try await authenticator.account(of: request) }
            let all = try await figures() + (applePay?.opened?.metrics() ?? "")
            return text(all, type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    private func figures() async throws -> String {
        var text = PrometheusText()
        metrics.write(into: &text)
        calls?.write(into: &text)
        let figures = try await readiness.figures()
        text.head("payments", .gauge, "Payments in the journal by status.")
        for status in PaymentStatus.allCases {
            text.line("payments", [("status", status.rawValue)], figures.payments[status] ?? 0)
        }
        text.single(
            "payments_unknown", .gauge, "Payments whose outcome is not known.", figures.payments[.unknown] ?? 0)
        text.single("outbox_pending", .gauge, "Payments on which something is to be done.", figures.pending)
        text.single("outbox_due", .gauge, "Payments on which something is overdue.", figures.due)
        let lag = figures.oldestDue.map { clock.now().since($0).milliseconds } ?? 0
        text.seconds(
            "outbox_oldest_due_seconds", "For how long the most overdue payment is due.", milliseconds: lag)
        let statistics = journal.statistics
        text.head("journal_commit_batch_size", .summary, "Writes in one commit, each one sync of the disk.")
        text.line("journal_commit_batch_size_sum", [], statistics.writes)
        text.line("journal_commit_batch_size_count", [], statistics.commits)
        text.single(
            "journal_commit_batch_size_max", .gauge, "The most writes in one commit.", statistics.largestBatch)
        text.single("journal_writes_total", .counter, "Writes that the journal took.", statistics.writes)
        text.single("journal_commits_total", .counter, "Commits, each one sync of the disk.", statistics.commits)
        text.single("event_streams", .gauge, "Streams of events that are open.", events.feed.count)
        return text.text
    }

    private func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(
            status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func session(_ request: Request) async throws -> Response {
        try authenticator.checkPage(request)
        let incoming = Incoming(request: request, account: .main, maximumBodyBytes: 4096)
        let body = try await incoming.document()
        try body.allow(["key"])
        guard let key = try body.text("key", atMost: 512) else { throw Problem.field("key", "It is missing.") }
        guard let account = try await authenticator.account(forKey: key) else {
            // Guessing is made slow.
            try await clock.sleep(for: .milliseconds(300))
            throw Problem.unauthorized
        }
        return Response(status: .noContent, headers: [.setCookie: authenticator.beginSession(for: account, request)])
    }
}

extension Substring {
    /// Percent signs resolved; `nil` if that is not UTF-8.
    func removingURLPercentEncoding() -> String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
