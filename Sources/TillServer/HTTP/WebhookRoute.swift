import HTTPTypes
import Hummingbird
import NIOCore
import TillCheckout
import TillCore
import TillJournal
import TillProvider

/// `POST /webhooks/{provider}`: one way for all providers. A delivery is received and verified by the provider's module;
/// each of its events is recorded once, with the payment's next query in the same commit; then who waits is woken, the
/// provider is answered and the payment is queried. If that query fails, the engine's own follows. What is about a payment
/// that the journal does not know is kept as an incident, in the same commit.
struct WebhookRoute: Sendable {
    private let receivers: [String: (provider: ProviderName, receiver: any WebhookReceiver)]
    private let journal: any Journal
    private let checkout: Checkout
    private let clock: any TillClock

    init(_ modules: [any ProviderModule], journal: any Journal, checkout: Checkout, clock: any TillClock) {
        var receivers: [String: (provider: ProviderName, receiver: any WebhookReceiver)] = [:]
        for module in modules {
            let provider = type(of: module).name
            if let receiver = module.webhooks { receivers[provider.rawValue] = (provider, receiver) }
        }
        self.receivers = receivers
        self.journal = journal
        self.checkout = checkout
        self.clock = clock
    }

    /// A provider's address may carry a query of the shop's own.
    func register(on router: CounterRouter) {
        router.open([.post], "/webhooks/{provider}", query: .any) { request, parameters in
            try await receive(request, from: parameters.text("provider"))
        }
    }

    private func receive(_ request: Request, from name: String) async throws -> Response {
        guard let (provider, receiver) = receivers[name] else { throw Problem.notFound }
        let incoming = Incoming(request: request, account: .main, maximumBodyBytes: receiver.maximumBytes)
        let body = Array(try await incoming.bytes().readableBytesView)
        let now = clock.now()
        let events: [WebhookEvent]
        do throws(WebhookRefusal) {
            events = try await receiver.events(
                in: WebhookDelivery(body: body, headers: request.headers, receivedAt: now))
        } catch {
            throw Problem(
                error.isTemporary ? .serviceUnavailable : .badRequest, error.code, error.what, next: error.next)
        }
        for event in events { try await record(event, of: provider, in: body, at: now) }
        let acknowledgment = receiver.acknowledgment
        return Response(
            status: .ok, headers: [.contentType: acknowledgment.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: acknowledgment.body)))
    }

    /// Records an event once; its repetitions are acknowledged and change nothing.
    private func record(
        _ event: WebhookEvent, of provider: ProviderName, in body: [UInt8], at now: Timestamp
    ) async throws {
        let receipt = WebhookReceipt(provider: provider, id: event.id, at: now)
        let isUnaccounted = if let payment = event.payment { try await isUnknown(payment) } else { false }
        if let payment = event.payment, event.isAfterSale, !isUnaccounted {
            guard try await checkout.heard(of: payment, in: receipt) else { return }
        } else {
            var write = JournalWrite(webhook: receipt, wake: event.payment.map { ($0, now) })
            if let payment = event.payment, isUnaccounted {
                let incident = Incident(webhook: event.id, of: provider, about: payment, body: body, at: now)
                write.records = [.insertIfAbsent(incident.record)]
            }
            do throws(JournalError) {
                try await journal.write(write)
            } catch {
                guard case .webhookSeen = error else { throw error }
                return
            }
        }
        event.onRecorded()
        guard let payment = event.payment else { return }
        let checkout = checkout
        Task { try? await checkout.query(payment) }
    }

    /// A payment that is there and cannot be read is known.
    private func isUnknown(_ payment: PaymentID) async throws(JournalError) -> Bool {
        do throws(JournalError) { return try await journal.events(of: payment).isEmpty } catch {
            guard case .corrupted = error else { throw error }
            return false
        }
    }
}
