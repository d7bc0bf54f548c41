package import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization
package import TillCheckout
package import TillCore
import TillCounter
import TillHTTP
package import TillJournal

/// Executes each request under an idempotency key once, and replays its response.
///
/// A request that succeeded or was declined is never executed again. One that ended before any money was requested,
/// because nothing could be sent or the process died, resumes when it is retried with its key.
package final class IdempotentRequests: Sendable {
    /// The maximum number of cached responses, so that most retries do not read the journal.
    static let maximumRemembered = 256

    private struct State {
        var active: Set<IdempotencyScope> = []
        /// Requests answered with an unknown outcome, which must not be stored.
        var unsettled: Set<IdempotencyScope> = []
        var remembered: [IdempotencyScope: IdempotencyRecord] = [:]
        var order: [IdempotencyScope] = []
        var oldest = 0
    }

    private let state = Mutex(State())
    private let journal: any Journal
    private let checkout: Checkout
    private let clock: any TillClock

    package init(journal: any Journal, checkout: Checkout, clock: any TillClock) {
        self.journal = journal
        self.checkout = checkout
        self.clock = clock
    }

    /// Returns a record of this request with this state.
    package func record(_ scope: IdempotencyScope, _ request: JSONValue, _ state: IdempotencyRecord.State)
        -> IdempotencyRecord
    {
        let canonical = request.canonicalBytes()
        return IdempotencyRecord(
            scope: scope, fingerprint: digest(canonical), request: canonical, createdAt: clock.now(), state: state)
    }

    /// What is known of a request that may never have arrived.
    package enum Standing: String, Sendable {
        /// Nothing was recorded under the key, and nothing is executed under it in this process.
        case unknown
        /// It is being executed in this process, and nothing is recorded yet.
        case working
        /// It is recorded: the request again only reads its response.
        case recorded
    }

    /// Returns what is known of a key without executing anything.
    package func standing(_ scope: IdempotencyScope) async throws -> Standing {
        // In this order: what ends between the two is recorded.
        let isActive = state.withLock { $0.active.contains(scope) }
        if try await journal.idempotency(scope) != nil { return .recorded }
        return isActive ? .working : .unknown
    }

    /// Replays the known response of the key, or executes the request.
    /// - Parameters:
    ///   - status: The status of a successful response.
    ///   - queriesFirst: `false` where the journal itself refuses the write if the key is known, and nothing comes
    ///     before the write that must not be done twice: for a creation, and for the first attempt and capture of a
    ///     payment, which have no record yet. If the payment refuses the request, the key is read before the answer.
    ///   - work: Executes the request, storing the record passed, if any; returns the finished record.
    package func answer(
        _ request: IdempotencyRecord, status: HTTPResponse.Status, queriesFirst: Bool = true, work: @escaping Work
    ) async throws -> Response {
        let settled = try await settle(request, status: status, queriesFirst: queriesFirst, work: work)
        return try IdempotentRequests.response(settled.record, replayed: settled.isReplay)
    }

    /// The outcome of a request.
    package struct Settled: Sendable {
        /// The finished record.
        package let record: IdempotencyRecord
        /// `true` if the request was not executed now.
        package let isReplay: Bool
        /// The attempt that the request began, if its record is answered from a payment on which another one followed.
        package var attempt: AttemptID?
    }

    /// Returns the finished record of the key, or executes the request, as
    /// ``answer(_:status:queriesFirst:work:)`` does.
    package func settle(
        _ request: IdempotencyRecord, status: HTTPResponse.Status, queriesFirst: Bool = true, work: @escaping Work
    ) async throws -> Settled {
        let scope = request.scope
        // A finished request is no longer in progress, however many retries arrive at once.
        if let known = state.withLock({ $0.remembered[scope] }), !isExpired(known) {
            return try replay(known, for: request)
        }
        guard state.withLock({ $0.active.insert(scope).inserted }) else { throw IdempotentRequests.atWork }
        defer { _ = state.withLock { $0.active.remove(scope) } }
        let isCreation = !queriesFirst && request.payment == nil
        if queriesFirst, let known = try await journal.idempotency(scope) {
            return try await settle(request, known: known, status: status, work: work)
        }
        do {
            return try await perform(work, keeping: request, isOneWrite: isCreation)
        } catch CheckoutError.journal(.idempotencyExists(let known)) {
            return try await settle(request, known: known, status: status, work: work)
        } catch {
            // Another process may just have answered the same request, and a creation has not checked yet. A refusal
            // comes before the write that would have found the key.
            var mayBeKnown = isCreation
            if case CheckoutError.orderOccupied = error { mayBeKnown = true }
            if !queriesFirst, case CheckoutError.refused = error { mayBeKnown = true }
            if mayBeKnown, let known = try await journal.idempotency(scope) {
                return try await settle(request, known: known, status: status, work: work)
            }
            throw error
        }
    }

    /// Executes a request. It stores the record passed, if any, and returns the finished record.
    package typealias Work = @Sendable (IdempotencyRecord?) async throws -> IdempotencyRecord

    private func perform(
        _ work: @escaping Work, keeping record: IdempotencyRecord?, isOneWrite: Bool = false
    ) async throws -> Settled {
        // The work continues if the client disconnects: a started payment operation must complete. A single write is
        // not interrupted anyway.
        let finished =
            isOneWrite
            ? try await work(record)
            : try await Task(executorPreference: EventLoopExecutor.current) { try await work(record) }.value
        remember(finished)
        return Settled(record: finished, isReplay: false)
    }

    /// Records the response to a request in flight. The response holds even if this write fails: a retry is then
    /// answered from the payment.
    /// - Parameter keyedAnswer: the answer that the engine was to store with the last event.
    package func finish(
        _ record: IdempotencyRecord, status: Int, payment: Payment, keyedAnswer: KeyedAnswer? = nil
    ) async -> IdempotencyRecord {
        if let written = keyedAnswer?.written(for: payment) { return written }
        let finished = IdempotentRequests.finished(record, status: status, payment: payment)
        guard IdempotentRequests.isStorable(record, payment) else {
            _ = state.withLock { $0.unsettled.insert(record.scope) }
            return finished
        }
        try? await journal.write(JournalWrite(idempotency: finished))
        return finished
    }

    /// Returns the answer of a request for the engine to store.
    package func keyedAnswer(to record: IdempotencyRecord, status: Int) -> KeyedAnswer {
        KeyedAnswer { payment in
            guard IdempotentRequests.isStorable(record, payment) else { return nil }
            return IdempotentRequests.finished(record, status: status, payment: payment)
        }
    }

    private static func finished(_ record: IdempotencyRecord, status: Int, payment: Payment) -> IdempotencyRecord {
        var finished = record
        finished.state = .finished(status: status, body: PaymentJSON.write(payment), payment: payment.id)
        return finished
    }

    /// Returns `false` for an unknown or unfinished outcome, which must not become the stored response for 30 days: the
    /// next retry continues.
    private static func isStorable(_ record: IdempotencyRecord, _ payment: Payment) -> Bool {
        !isOpen(payment) && !isUndone(record, payment)
    }

    private func settle(
        _ request: IdempotencyRecord, known: IdempotencyRecord, status: HTTPResponse.Status, work: @escaping Work
    ) async throws -> Settled {
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
            // The key of a dead process is taken over. A living process keeps its own; of the two, the one that writes
            // an attempt first prevails, and the other is refused.
            return try await perform(work, keeping: known.isHeldByLivingProcess ? nil : request)
        }
        // A later attempt is not this request's: such an answer is given, but not kept.
        if let attempt = known.begun?.attempt, payment.attempts.last?.id != attempt {
            let finished = IdempotentRequests.finished(request, status: status.code, payment: payment)
            return Settled(record: finished, isReplay: true, attempt: attempt)
        }
        let finished = await finish(request, status: status.code, payment: payment)
        remember(finished)
        return Settled(record: finished, isReplay: true)
    }

    private func replay(_ known: IdempotencyRecord, for request: IdempotencyRecord) throws -> Settled {
        try check(known, isSameAs: request)
        return Settled(record: known, isReplay: true)
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

    /// Returns `true` if an operation of the payment has no outcome yet.
    private static func isOpen(_ payment: Payment) -> Bool {
        payment.attempts.contains { attempt in
            switch attempt.state {
            case .inFlight, .unknown: true
            default: attempt.void?.state.isOpen ?? false
            }
        } || payment.captures.contains { $0.state.isOpen } || payment.refunds.contains { $0.state.isOpen }
    }

    /// Returns `true` for a confirmation that certainly moved no money and was not declined: it is to be executed
    /// again.
    private static func isUndone(_ record: IdempotencyRecord, _ payment: Payment) -> Bool {
        guard let begun = record.begun, KeyedOperation(rawValue: begun.operation) == .confirm else { return false }
        guard let own = begun.attempt, payment.attempts.last?.id != own else {
            return payment.status == .requiresPaymentMethod
        }
        // Another attempt followed, and was declined or not sent, too.
        guard case .notSent? = payment.attempts.first(where: { $0.id == own })?.state else { return false }
        return payment.status == .requiresPaymentMethod || payment.status == .declined
    }

    private func isExpired(_ record: IdempotencyRecord) -> Bool {
        record.isExpired(by: clock)
    }

    private func remember(_ record: IdempotencyRecord) {
        state.withLock { state in
            // Usually empty: then the scope is not hashed for it.
            guard state.unsettled.isEmpty || state.unsettled.remove(record.scope) == nil else { return }
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
        headers.reserveCapacity(CounterResponder.usualFields)
        headers[.contentType] = "application/json"
        if replayed { headers[.idempotentReplayed] = "true" }
        if status == 201, let payment { headers[.location] = "/v1/payments/\(payment)" }
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
