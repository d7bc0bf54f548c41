import TillCore
import Tracing

/// A provider with counted and traced calls. Calls and answers pass unchanged.
struct ObservedProvider: SendlessProvider {
    let provider: any PaymentServiceProvider
    let calls: ProviderCalls

    var name: ProviderName { provider.name }
    var capabilities: ProviderCapabilities { provider.capabilities }
    var amounts: AmountCodec { provider.amounts }
    var sendsNothing: Bool { (provider as? any SendlessProvider)?.sendsNothing == true }
    func identity() async -> ProviderIdentity { await provider.identity() }

    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        await observe(.prepare, request.context) { await provider.prepare(request) }
    }

    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        await observe(.authorize, request.context) { await provider.authorize(request, with: tender) }
    }

    func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        await observe(.continuation, request.context) { await provider.continueAuthorization(request) }
    }

    func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        await observe(.renewal, request.context) { await provider.renew(request) }
    }

    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        await observe(.capture, request.context) { await provider.capture(request) }
    }

    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        await observe(.void, request.context) { await provider.void(request) }
    }

    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        await observe(.refund, request.context) { await provider.refund(request) }
    }

    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        await observe(.query, request.context) { await provider.query(request) }
    }

    private func observe<Success>(
        _ step: ProviderCalls.Step, _ context: AttemptContext, _ call: () async -> ProviderAnswer<Success>
    ) async -> ProviderAnswer<Success> {
        guard Spans.areRecorded else { return await count(step, call) }
        return await withSpan("provider \(step.rawValue)", ofKind: .client) { span in
            if span.isRecording {
                span.attributes["till.provider"] = name.rawValue
                span.attributes["till.payment_id"] = context.payment.rawValue
                span.attributes["till.attempt_id"] = context.attempt.rawValue
                if let request = ServiceContext.current?.requestID { span.attributes["till.request_id"] = request }
            }
            let answer = await count(step, call)
            if span.isRecording {
                span.attributes["till.outcome"] = ObservedProvider.word(for: answer)
                if case .unknown = answer { span.setStatus(SpanStatus(code: .error, message: "outcome unknown")) }
            }
            return answer
        }
    }

    private func count<Success>(
        _ step: ProviderCalls.Step, _ call: () async -> ProviderAnswer<Success>
    ) async -> ProviderAnswer<Success> {
        let began = ContinuousClock.now
        let answer = await call()
        calls.ended(
            step, of: name, outcome: ObservedProvider.word(for: answer), after: ContinuousClock.now - began)
        return answer
    }

    private static func word<Success>(for answer: ProviderAnswer<Success>) -> String {
        switch answer {
        case .approved: "approved"
        case .declined: "declined"
        case .requiresAction: "requires_action"
        case .stored: "stored"
        case .notSent: "not_sent"
        case .keyRejected: "key_rejected"
        case .unknown: "unknown"
        }
    }
}
