import Foundation
import HTTPTypes
package import Hummingbird
package import Logging
import TillCore
import TillCounter
import TillJournal
import Tracing

/// The processing common to all requests: request ID, trace and log, metrics, security headers, and a problem document
/// for every error.
package struct CounterResponder: HTTPResponder {
    package typealias Context = BasicRequestContext

    package let routes: CounterRoutes
    package let metrics: ServerMetrics
    package let logger: Logger
    package let origins: OriginReader
    let refusals: RefusalLog?
    private let numbers = RequestNumbers()

    package init(
        routes: CounterRoutes, metrics: ServerMetrics, logger: Logger,
        origins: OriginReader = OriginReader(trusted: []),
        refusals: RefusalLog? = nil
    ) {
        (self.routes, self.metrics, self.logger) = (routes, metrics, logger)
        (self.origins, self.refusals) = (origins, refusals)
    }

    package func respond(to request: Request, context: BasicRequestContext) async -> Response {
        await respond(to: request)
    }

    /// - Parameter connection: The connection of the request; `nil` for a request without one.
    package func respond(to request: Request, over connection: Connection? = nil) async -> Response {
        let began = ContinuousClock.now
        let id = requestID(request)
        var place = ServiceContext.topLevel
        place.requestID = id
        if let parent = TraceParent(request.headers) { place.traceParent = parent }
        guard Spans.areRecorded else {
            return await ServiceContext.$current.withValue(place) {
                await respond(to: request, over: connection, id: id, began: began, nil)
            }
        }
        InstrumentationSystem.instrument.extract(request.headers, into: &place, using: HTTPFieldsCarrier())
        return await withSpan(request.method.rawValue, context: place, ofKind: .server) { span in
            await respond(to: request, over: connection, id: id, began: began, span)
        }
    }

    private func respond(
        to request: Request, over connection: Connection?, id: String, began: ContinuousClock.Instant,
        _ span: (any Tracing.Span)?
    ) async -> Response {
        var request = request
        var isSecure = connection?.isEncrypted ?? false
        var client = connection?.peer
        let context = RouteContext(source: RouteContext.Source(logger: logger, method: request.method))
        var response: Response
        var code: String?
        do {
            try HeadLimits.check(request)
            try RequestHost.check(request)
            try connection?.checkPlace(request)
            let origin = try origins.origin(of: &request, over: connection)
            (isSecure, client) = (origin.isSecure, origin.client)
            response = try await RequestOrigin.$current.withValue(origin) { [request] in
                try await routes.respond(to: request, context)
            }
        } catch {
            let problem = Problem(error)
            code = problem.code
            refusals?.count(problem, route: context.label, client: client?.household.description)
            if problem.status.code >= 500 {
                logger.error(
                    "request failed",
                    metadata: [
                        "request": "\(id)", "route": "\(context.label)", "error": "\(Self.loggable(error))",
                        "trace": "\(ServiceContext.current?.traceParent?.traceID ?? "-")",
                    ])
            }
            response = problem.response
        }
        secure(&response, isEncrypted: isSecure)
        response.headers[.requestID] = id
        if CounterResponder.isLast(request) { response.headers[.connection] = "close" }
        if request.method == .head { response = response.createHeadResponse() }
        let route = context.label
        let duration = ContinuousClock.now - began
        metrics.answered(
            route: route, status: response.status.code, after: duration,
            isReplay: response.headers.contains(CounterResponder.replayName), code: code)
        // Without a tracer each attribute would be a dictionary made and dropped.
        if let span, span.isRecording {
            span.operationName = "\(request.method.rawValue) \(route)"
            span.attributes["http.request.method"] = request.method.rawValue
            span.attributes["http.route"] = route
            span.attributes["http.response.status_code"] = response.status.code
            span.attributes["till.request_id"] = id
            if let code { span.attributes["till.problem"] = code }
            if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        }
        logger.debug(
            "request",
            metadata: [
                "request": "\(id)", "route": "\(route)", "status": "\(response.status.code)", "duration": "\(duration)",
                "client": "\(client?.description ?? "-")",
                "trace": "\(ServiceContext.current?.traceParent?.traceID ?? "-")",
            ])
        return response
    }

    /// Returns `true` if the client closes the connection after this request. The response says the same (RFC 9112,
    /// 9.6): otherwise a client may send its next request into a closing connection, with unknown outcome.
    private static func isLast(_ request: Request) -> Bool {
        // What nearly every client sends, if it sends any.
        guard let header = request.headers.value(of: .connection), header != "keep-alive" else { return false }
        return header.split(separator: ",").contains {
            $0.trimmingCharacters(in: .whitespaces).lowercased() == "close"
        }
    }

    /// The origins allowed to load a response as a subresource.
    static let resourcePolicy = HTTPField.Name.literal("Cross-Origin-Resource-Policy")
    /// The maximum length of an accepted client request ID, in bytes.
    private static let maximumRequestIDBytes = 64
    private static let replayName = HTTPField.Name.literal("Idempotent-Replayed")

    /// Returns the loggable form: the message of our own errors, which contain no secrets; only the type of others.
    private static func loggable(_ error: any Error) -> String {
        switch error {
        case let error as any ExplainedError: error.what
        case let error as JournalError: error.description
        case let problem as Problem: problem.detail
        default: "\(type(of: error))"
        }
    }

    private func requestID(_ request: Request) -> String {
        if let id = request.headers.value(of: .requestID),
            (1...CounterResponder.maximumRequestIDBytes).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !CardNumberMask.finds(in: id)
        {
            return id
        }
        return numbers.next()
    }

    /// The number of fields that a response has room for at once, with those that the codec adds.
    static let usualFields = 16

    /// The HSTS policy: a year, in seconds, during which a browser uses TLS only.
    private static let strictTransport = "max-age=31536000"

    private func secure(_ response: inout Response, isEncrypted: Bool) {
        response.headers.reserveCapacity(CounterResponder.usualFields)
        if isEncrypted { response.headers[.strictTransportSecurity] = CounterResponder.strictTransport }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        let loadedBy = CounterResponder.resourcePolicy
        if !response.headers.contains(loadedBy) { response.headers[loadedBy] = "same-origin" }
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        if !response.headers.contains(.contentSecurityPolicy) {
            response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
    }
}
