import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
package import TillCheckout
package import TillCore
import TillJournal
package import TillProvider
package import TillWeb

/// `POST /webhooks/{provider}`: the webhook endpoint of all providers. A delivery is verified by the provider's module;
/// each of its events is recorded once, with the payment's next query in the same commit; then waiting tasks are woken,
/// the delivery is acknowledged and the payment is queried. If that query fails, the engine repeats it. An event of a
/// payment unknown to the journal is recorded as an incident, which holds the order that it names, in the same commit.
package struct WebhookRoute: Sendable {
    private let receivers: [String: (provider: ProviderName, receiver: any WebhookReceiver)]
    private let checkout: Checkout
    private let clock: any TillClock
    private let logger: Logger

    package init(_ modules: [any ProviderModule], checkout: Checkout, clock: any TillClock, logger: Logger) {
        var receivers: [String: (provider: ProviderName, receiver: any WebhookReceiver)] = [:]
        for module in modules {
            let provider = type(of: module).name
            if let receiver = module.webhooks { receivers[provider.rawValue] = (provider, receiver) }
        }
        self.receivers = receivers
        self.checkout = checkout
        self.clock = clock
        self.logger = logger
    }

    /// Accepts any query: the endpoint registered with a provider may carry parameters of the shop.
    package func register(on router: CounterRouter) {
        router.open([.post], "/webhooks/{provider}", for: .provider, query: .any) { request, parameters in
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
        try await Attribution.ofRequest(by: .provider(provider)) {
            for event in events { try await record(event, of: provider, in: body, at: now) }
        }
        let acknowledgment = receiver.acknowledgment
        return Response(
            status: .ok, headers: [.contentType: acknowledgment.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: acknowledgment.body)))
    }

    /// Records an event once; repeated deliveries are acknowledged without effect.
    private func record(
        _ event: WebhookEvent, of provider: ProviderName, in body: [UInt8], at now: Timestamp
    ) async throws {
        let owner: Incident.Owner? =
            if let account = event.account, let order = event.order {
                Incident.Owner(account: account, order: order)
            } else { nil }
        let report = WebhookReport(
            receipt: WebhookReceipt(provider: provider, id: event.id, at: now), payment: event.payment,
            attempt: event.attempt, owner: owner, isAfterSale: event.isAfterSale, isCharge: event.isCharge,
            document: body)
        guard case .now(let seen) = try await checkout.recordWebhook(report) else { return }
        event.onRecorded()
        guard let payment = event.payment else { return }
        Task { [checkout, logger] in
            do throws(CheckoutError) { try await checkout.query(payment, seen: seen) } catch {
                logger.error("Payment \(payment) was not queried after a webhook; recovery will: \(error.what)")
            }
        }
    }
}
