package import HTTPTypes
import Synchronization
import TillCheckout
package import TillCore
import TillJournal

/// A call of the engine that a provider answers with a code.
package enum CodedCall: String, CaseIterable, Sendable {
    case authorize, capture, void, refund
}

/// A transport in front of a stand-in's, on which one call is answered with a code; the stand-in never sees that call.
package final class CodedWire: HTTPTransport, CustomReflectable {
    package struct Answer: Sendable {
        let status: Int
        let body: String
        package init(_ status: Int, _ body: String) { (self.status, self.body) = (status, body) }
    }
    private struct State {
        var answer: Answer?
        var matches: @Sendable (String) -> Bool = { _ in false }
        var isDead = false
        var dies = false
    }
    private let base: any HTTPTransport
    private let state = Mutex(State())

    package init(_ base: any HTTPTransport) { self.base = base }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// - Parameter dies: nothing is answered any more after it, so no query tells anything.
    func arm(_ answer: Answer, at matches: @escaping @Sendable (String) -> Bool, dies: Bool) {
        state.withLock { $0 = State(answer: answer, matches: matches, isDead: false, dies: dies) }
    }

    /// Whether the answer was given.
    func disarm() -> Bool {
        state.withLock { state in
            defer { state = State() }
            return state.answer == nil
        }
    }

    package func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let (answer, isDead) = state.withLock { state -> (Answer?, Bool) in
            guard let answer = state.answer, state.matches("\(request.method.rawValue) \(request.path ?? "")") else {
                return (nil, state.isDead)
            }
            (state.answer, state.isDead) = (nil, state.dies)
            return (answer, false)
        }
        if let answer {
            return HTTPReply(response: HTTPResponse(status: .init(code: answer.status)), body: Array(answer.body.utf8))
        }
        if isDead { throw .unknown(reason: "no answer in time") }
        return try await base.send(request, body: body, deadline: deadline)
    }
}

/// Takes every code of a provider's tables through the engine, in every call, and compares what is said of the money
/// with what the table allows.
package struct CodeWalk: Sendable {
    let provider: any PaymentServiceProvider
    let tender: Tender
    let wire: CodedWire
    let clock: any TillClock
    let path: @Sendable (CodedCall, String) -> Bool
    let settle: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - path: whether a method and a path are the step of a call that asks for the money.
    ///   - settle: lets time pass between a sale and its refund, where the provider wants that.
    package init(
        _ provider: any PaymentServiceProvider, _ tender: Tender, _ wire: CodedWire, _ clock: any TillClock,
        settle: @escaping @Sendable () async throws -> Void = {},
        path: @escaping @Sendable (CodedCall, String) -> Bool
    ) {
        (self.provider, self.tender, self.wire, self.clock) = (provider, tender, wire, clock)
        (self.path, self.settle) = (path, settle)
    }

    /// What was said too much, one line each; empty is right.
    package func tooMuch(
        _ codes: [ProviderCode], _ calls: [CodedCall] = CodedCall.allCases,
        answer: (ProviderCode) -> CodedWire.Answer
    ) async throws -> [String] {
        var found: [String] = []
        var number = 0
        for code in codes {
            for call in calls {
                for dies in [true, false] {
                    number += 1
                    let payment = try await run(call, answer(code), dies: dies, order: "o-\(number)")
                    let queries = dies ? "lost" : "answered"
                    found += judge(payment, code, call, dies: dies).map {
                        "\(code.rawValue) (\(code.money.rawValue)) to \(call), queries \(queries): \($0)"
                    }
                }
            }
        }
        return found
    }

    private func run(
        _ call: CodedCall, _ answer: CodedWire.Answer, dies: Bool, order name: String
    ) async throws -> Payment {
        let checkout = Checkout(journal: MemoryJournal(), providers: [provider], clock: clock)
        let amount = Moved.amount
        let order = try Order(id: OrderID(validating: name), amount: amount)
        let mode: CaptureMode = call == .refund ? .automatic : .manual
        let id = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: mode)).id
        func arm() { wire.arm(answer, at: { path(call, $0) }, dies: dies) }
        if call == .authorize { arm() }
        var payment = try await checkout.confirm(id, account: .main, provider: provider.name, tender: tender)
        if call == .refund { try await settle() }
        if call != .authorize { arm() }
        switch call {
        case .authorize: break
        case .capture: payment = try await checkout.capture(id, account: .main)
        case .void: payment = try await checkout.cancel(id, account: .main)
        case .refund: payment = try await checkout.refund(id, account: .main, amount: nil)
        }
        guard wire.disarm() else { throw CodeWalkError.neverAsked("\(call), \(answer.body)") }
        return payment
    }

    private func judge(_ payment: Payment, _ code: ProviderCode, _ call: CodedCall, dies: Bool) -> [String] {
        let said = sentences(payment)
        let isDone =
            switch call {
            case .authorize: payment.held.isPositive || payment.captured.isPositive
            case .capture: payment.captured.isPositive
            case .void: payment.isCanceled
            case .refund: payment.refunded.isPositive
            }
        // Where queries are answered the engine finds that it is not done, sends it again, and it is done.
        var wrong = isDone && dies ? ["it is taken for done: \(payment.status)"] : []
        let denials = ["Nothing was", "moved nothing", "No money", "nothing was done"]
        if code.money.needsQuery, dies {
            wrong += said.filter { sentence in denials.contains { sentence.contains($0) } }
        }
        if code.money == .movedAlready, [.alreadyRefunded, .nothingLeft, .disputed].contains(code.reason) {
            wrong += said.filter { $0.contains("another way") && !$0.contains("Do not") && !$0.contains("before you") }
        }
        return wrong
    }

    /// Everything that a person is told of the money.
    private func sentences(_ payment: Payment) -> [String] {
        var said = payment.openAttention.flatMap { [$0.attention.sentence, $0.attention.nextStep] }
        for attempt in payment.attempts {
            if case .declined(let decline) = attempt.state {
                said += [decline.reason.customerSentence, decline.reason.nextStep].compactMap { $0 }
            }
        }
        for refund in payment.refunds {
            if case .refused(let decline) = refund.state { said.append(decline.reason.refundSentence) }
        }
        return said
    }
}

/// A walk that did not walk.
package enum CodeWalkError: Error {
    /// The call was never made, so nothing was shown.
    case neverAsked(String)
}
