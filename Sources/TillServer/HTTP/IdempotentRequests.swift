import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TillCheckout
import TillCore
import TillHTTP
import TillJournal

/// Answers each request under an idempotency key once, and gives the same answer again.
///
/// A request that succeeded or was declined is never done again. One that ended before any money was asked for, be it
/// that nothing could be sent or that the process died, is continued when it comes again with its key.
final class IdempotentRequests: Sendable {
    /// Answers kept in memory, so that most repeats do not read the journal.
    static let maximumRemembered = 256

    private struct State {
        var active: Set<IdempotencyScope> = []
        /// Answered with an outcome that was not known yet, so that the answer must not be kept.
        var unsettled: Set<IdempotencyScope> = []
        var remembered: [IdempotencyScope: IdempotencyRecord] = [:]
        var order: [IdempotencyScope] = []
        var oldest = 0
    }

    private let state = Mutex(State())
    private let journal: any Journal
    private let checkout: Checkout
    private let clock: any TillClock

    init(journal: any Journal, checkout: Checkout, clock: any TillClock) {
        self.journal = journal
        self.checkout = checkout
        self.clock = clock
    }

    /// A record of this request with this state.
    func record(_ scope: IdempotencyScope, _ request: JSONValue, _ state: IdempotencyRecord.State) -> IdempotencyRecord
    {
        let canonical = request.canonicalBytes()
        return IdempotencyRecord(
            scope: scope, fingerprint: digest(canonical), request: canonical, createdAt: clock.now(), state: state)
    }

    /// Answers from what is known under the key, or does the work.
    /// - Parameters:
    ///   - status: of the answer to a request that succeeds.
    ///   - queriesFirst: `false` for a creation, whose write the journal itself refuses if the key is known.
    ///   - work: does it and keeps the record it is given, if one is; returns the finished record.
    func answer(
        _ request: IdempotencyRecord, status: HTTPResponse.Status, queriesFirst: Bool = true, work: @escaping Work
    ) async throws -> Response {
        let scope = request.scope
        // What has its answer is at work no more, however many ask for it at once.
        if let known = state.withLock({ $0.remembered[scope] }), !isExpired(known) {
            return try replay(known, for: request)
        }
        guard state.withLock({ $0.active.insert(scope).inserted }) else { throw IdempotentRequests.atWork }
        defer { _ = state.withLock { $0.active.remove(scope) } }
        if queriesFirst, let known = try await journal.idempotency(scope) {
            return try await answer(request, known: known, status: status, work: work)
        }
        do {
            return try await perform(work, keeping: request, isOneWrite: !queriesFirst)
        } catch CheckoutError.journal(.idempotencyExists(let known)) {
            return try await answer(request, known: known, status: status, work: work)
        } catch {
            // Another process may have answered the same request a moment ago, and a creation has not checked yet.
            var mayBeKnown = !queriesFirst
            if case CheckoutError.orderOccupied = error { mayBeKnown = true }
            if mayBeKnown, let known = try await journal.idempotency(scope) {
                return try await answer(request, known: known, status: status, work: work)
            }
            throw error
        }
    }

    /// Does what a request asks for. It keeps the record it is given, if one is, and returns the finished record.
    typealias Work = @Sendable (IdempotencyRecord?) async throws -> IdempotencyRecord

    private func perform(
        _ work: @escaping Work, keeping record: IdempotencyRecord?, isOneWrite: Bool = false
    ) async throws -> Response {
        // The work continues when the client hangs up: what has begun with money must come to its end. One write alone
        // is not interrupted anyway.
        let finished =
            isOneWrite
            ? try await work(record)
            : try await Task(executorPreference: EventLoopExecutor.current) { try await work(record) }.value
        remember(finished)
        return try IdempotentRequests.response(finished, replayed: false)
    }

    /// Records the answer to a request that was in flight. The answer holds even if this write fails: the same
    /// request is then answered from the payment.
    func finish(_ record: IdempotencyRecord, status: Int, payment: Payment) async -> IdempotencyRecord {
        var finished = record
        finished.state = .finished(status: status, body: PaymentJSON.write(payment), payment: payment.id)
        // What is not known yet, or not done yet, must not become the answer for 30 days: the next repeat goes on.
        guard !IdempotentRequests.isOpen(payment), !IdempotentRequests.isUndone(record, payment) else {
            _ = state.withLock { $0.unsettled.insert(record.scope) }
            return finished
        }
        try? await journal.write(JournalWrite(idempotency: finished))
        return finished
    }

    private func answer(
        _ request: IdempotencyRecord, known: IdempotencyRecord, status: HTTPResponse.Status, work: @escaping Work
    ) async throws -> Response {
        if known.isFinished {
            remember(known)
            return try replay(known, for: request)
        }
        try check(known, isSameAs: request)
        guard let id = known.payment else { throw IdempotentRequests.atWork }
        var payment = try await checkout.payment(id, account: request.scope.account)
        if IdempotentRequests.isOpen(payment) {
            try await checkout.query(id, ifNotWithin: Checkout.impatientInterval)
            payment = try await checkout.payment(id, account: request.scope.account)
        }
        if IdempotentRequests.isOpen(payment), payment.status != .unknown { throw IdempotentRequests.atWork }
        if IdempotentRequests.isUndone(known, payment) {
            // The key of a dead process is taken over. One that a living process has is its own still; whoever of the
            // two writes an attempt first, the other's is refused.
            return try await perform(work, keeping: known.isHeldByLivingProcess ? nil : request)
        }
        let finished = await finish(request, status: status.code, payment: payment)
        remember(finished)
        return try IdempotentRequests.response(finished, replayed: true)
    }

    private func replay(_ known: IdempotencyRecord, for request: IdempotencyRecord) throws -> Response {
        try check(known, isSameAs: request)
        return try IdempotentRequests.response(known, replayed: true)
    }

    private func check(_ known: IdempotencyRecord, isSameAs request: IdempotencyRecord) throws {
        guard known.fingerprint != request.fingerprint else { return }
        var problem = Problem(
            .unprocessableContent, "idempotency_mismatch", "This Idempotency-Key belongs to another request.",
            next: "Send the first request again, or use a new key.")
        if let first = JSONValue(ifValid: known.request), let second = JSONValue(ifValid: request.request) {
            problem.differences = JSONValue.differences(first, second)
        }
        throw problem
    }

    private static var atWork: Problem {
        var problem = Problem(
            .conflict, "request_in_progress", "A request with this key is being worked on.",
            next: "Send it again with the same key in a moment.")
        problem.moneyMoved = .unknown
        return problem.retrying()
    }

    /// A call of it has no answer yet.
    private static func isOpen(_ payment: Payment) -> Bool {
        payment.attempts.contains { attempt in
            switch attempt.state {
            case .inFlight, .unknown: true
            default: attempt.void?.state.isOpen ?? false
            }
        } || payment.captures.contains { $0.state.isOpen } || payment.refunds.contains { $0.state.isOpen }
    }

    /// A confirmation that has certainly moved no money and was not declined: to be done again.
    private static func isUndone(_ record: IdempotencyRecord, _ payment: Payment) -> Bool {
        guard case .inFlight(_, let operation?) = record.state else { return false }
        guard KeyedOperation(rawValue: operation) == .confirm else { return false }
        return payment.status == .requiresPaymentMethod
    }

    private func isExpired(_ record: IdempotencyRecord) -> Bool {
        record.isExpired(by: clock)
    }

    private func remember(_ record: IdempotencyRecord) {
        state.withLock { state in
            guard state.unsettled.remove(record.scope) == nil else { return }
            guard state.remembered.updateValue(record, forKey: record.scope) == nil else { return }
            if state.order.count < IdempotentRequests.maximumRemembered {
                state.order.append(record.scope)
            } else {
                state.remembered[state.order[state.oldest]] = nil
                state.order[state.oldest] = record.scope
                state.oldest = (state.oldest + 1) % IdempotentRequests.maximumRemembered
            }
        }
    }

    private static func response(_ record: IdempotencyRecord, replayed: Bool) throws -> Response {
        guard case .finished(let status, let body, let payment) = record.state else { throw atWork }
        var headers = HTTPFields()
        headers[.contentType] = "application/json"
        if replayed { headers[.idempotentReplayed] = "true" }
        if status == 201, let payment { headers[.location] = "/v1/payments/\(payment)" }
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
