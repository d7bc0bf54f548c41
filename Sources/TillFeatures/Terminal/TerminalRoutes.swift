import HTTPTypes
import Hummingbird
import NIOCore
import TillCheckout
import TillCore
package import TillCounter
import TillHardware
import TillJournal
package import TillProvider
package import TillWeb

/// The routes under `/v1/terminal/`: readers for the page, and the endpoints for apps with a provider's SDK.
package struct TerminalRoutes: Sendable {
    /// The maximum number of waits for a concurrent request's preparation of the same order, and the length of each
    /// wait.
    static let maximumTurns = 40
    static let turn = Span.milliseconds(100)
    /// The maximum tip of a simulated card, in the wire format's units.
    static let maximumTip: Int64 = 99_999_999

    package let service: TerminalService?
    package let payments: PaymentRequests
    let registry: ReaderRegistry

    package init(service: TerminalService?, payments: PaymentRequests, registry: ReaderRegistry) {
        self.service = service
        self.payments = payments
        self.registry = registry
    }

    private var checkout: Checkout { payments.checkout }
    private var clock: any TillClock { payments.clock }

    package func register(on router: CounterRouter) {
        router.get("/v1/terminal/readers", for: .readers, of: .counter) { try await list($0) }
        registerAdministration(on: router)
        router.post("/v1/terminal/readers/{id}/cancel", for: .readers, of: .counter) {
            try await cancel(at: $0.parameters.literal(), $0)
        }
        router.post("/v1/terminal/readers/{id}/card", for: .readers, of: .counter) {
            try await present(at: $0.parameters.literal(), $0)
        }
        router.get("/v1/terminal/readers/{id}/inputs", for: .readers, of: .counter) {
            try await asked($0.parameters.literal())
        }
        router.post("/v1/terminal/readers/{id}/inputs", for: .readers, of: .counter) {
            try await ask($0.parameters.literal(), $0)
        }
        router.post("/v1/terminal/readers/{id}/answers", for: .readers, of: .counter) {
            try await pretend($0.parameters.literal(), $0)
        }
        router.post("/v1/terminal/connection_tokens", for: .readers, of: .counter) { try await token($0) }
        router.post("/v1/terminal/payments", for: .sell, of: .counter) { try await collect($0) }
        router.post("/v1/terminal/payments/{id}/settle", for: .sell, of: .counter) {
            try await settle($0.parameters.identifier(), $0)
        }
    }

    /// Returns the fleet of a reader.
    package func fleet(with reader: String) async throws -> any ReaderFleet {
        guard let fleet = await service?.fleet(with: reader) else { throw TerminalRoutes.noReaders }
        return fleet
    }

    private static let noReaders = Problem(
        .conflict, "no_readers", "This counter has no card readers.",
        next: "Start it with a provider that has some: till providers lists them.")

    private func requireDevices() throws -> any DeviceSales {
        guard let devices = service?.devices else { throw TerminalRoutes.noReaders }
        return devices
    }

    // MARK: Readers

    private func list(_ incoming: Incoming) async throws -> Response {
        var readers: [(CounterReader, any ReaderFleet)] = []
        var isComplete = true
        for fleet in service?.all ?? [] {
            do { readers += try await fleet.readers().map { ($0, fleet) } } catch { isComplete = false }
        }
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.key("readers")
        writer.beginArray()
        let preferred = preferred
        for (reader, fleet) in readers { write(reader, of: fleet, preferred, into: &writer) }
        writer.endArray()
        // The providers that take another reader here.
        writer.key("registers")
        writer.beginArray()
        for managed in service?.managed ?? [] { writer.string(managed.module.rawValue) }
        writer.endArray()
        // The page falls back to the simulated reader and shows that a provider did not answer.
        writer.field("complete", isComplete)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// The identifier of the default reader, which may have been chosen meanwhile; `nil` if there is none.
    private var preferred: String? { registry.chosen()?.id ?? service?.preferred }

    private func write(
        _ reader: CounterReader, of fleet: any ReaderFleet, _ preferred: String?, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("id", reader.id)
        writer.field("label", reader.label)
        writer.field("device_type", reader.deviceType)
        writer.field("status", reader.status?.rawValue)
        writer.field("location", reader.location)
        writer.field("simulated", reader.isSimulated)
        writer.field("preferred", reader.id == preferred)
        writer.field("managed", fleet.management != nil)
        writer.field("busy", reader.isBusy)
        writer.field("asks_tip", fleet.asksForTips)
        writer.field("asks_questions", fleet.questions != nil)
        writer.endObject()
    }

    /// Cancels a reader's current action.
    private func cancel(at id: String, _ incoming: Incoming) async throws -> Response {
        try (try await incoming.document()).allow([])
        let fleet = try await fleet(with: id)
        return answer(try await fleet.cancel(id), of: fleet)
    }

    /// Presents a test card to a simulated reader.
    private func present(at id: String, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["card", "tip"])
        let card = try body.text("card", atMost: 64) ?? "visa"
        var units: Int64?
        if let tip = body["tip"], !tip.isNull {
            guard let given = tip.int64Value, (1...TerminalRoutes.maximumTip).contains(given) else {
                throw Problem.field("tip", "It must be a whole number above zero.")
            }
            units = given
        }
        let fleet = try await fleet(with: id)
        guard let simulation = fleet.simulation else { throw ReaderError.isReal }
        return answer(try await simulation.present(card, tip: units, at: id), of: fleet)
    }

    func answer(
        _ reader: CounterReader, of fleet: any ReaderFleet, status: HTTPResponse.Status = .ok
    ) -> Response {
        var writer = JSONWriter()
        write(reader, of: fleet, preferred, into: &writer)
        return .json(writer.bytes, status: status)
    }

    // MARK: Apps with a provider's SDK

    private func token(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["location"])
        let token = try await requireDevices().connectionToken(location: try body.text("location", atMost: 128))
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("secret", token.secret.reveal())
        writer.field("location", token.location)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Creates or finds the order's payment and the provider object for which a device collects.
    private func collect(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        let (order, mode, device) = try wanted(body)
        if mode == .manual { try incoming.person?.require(.hold) }
        let devices = try requireDevices()
        for _ in 0..<TerminalRoutes.maximumTurns {
            let payment = try await payment(for: order, mode, incoming.account)
            let attempt = payment.currentAttempt ?? payment.attempts.last
            switch payment.status {
            case .requiresAction where attempt?.provider == devices.provider:
                guard let reference = attempt?.reference else { throw Problem.notFound }
                let secret = try await devices.clientSecret(of: reference)
                return answer(payment, reference, secret)
            case .requiresPaymentMethod, .declined:
                do throws(CheckoutError) {
                    let after = try await checkout.confirm(
                        payment.id, account: incoming.account, provider: devices.provider,
                        tender: devices.tender(device: device))
                    guard after.status == .requiresAction else { throw .refused(.outcomeOpen(after.status)) }
                } catch {
                    guard case .refused(.outcomeOpen(.processing)) = error else { throw error }
                }
            case .processing:
                // A concurrent request is preparing the same order.
                try await clock.sleep(for: TerminalRoutes.turn)
            default: throw CheckoutError.orderOccupied(order.id, by: payment.id, payment.status)
            }
        }
        throw Problem(
            .conflict, "request_in_progress", "The order is being worked on.", next: "Ask again in a moment."
        ).retrying()
    }

    private func wanted(_ body: JSONValue) throws -> (Order, CaptureMode, device: String) {
        try body.allow(["order_id", "amount", "currency", "description", "capture", "device"])
        guard let text = try body.text("order_id", atMost: 128) else {
            throw Problem.field("order_id", "It is missing: the order is what keeps it from being paid twice.")
        }
        let id: OrderID
        do { id = try OrderID(selling: text) } catch { throw Problem.field("order_id", "\(error)") }
        guard let code = try body.text("currency", atMost: 3) else { throw Problem.field("currency", "It is missing.") }
        let currency: Currency
        do { currency = try Currency(code: code) } catch { throw Problem.field("currency", "\(error)") }
        guard let amount = try body.amount("amount", currency) else {
            throw Problem.field("amount", "It is missing.", code: "invalid_amount")
        }
        let word = try body.text("capture", atMost: 20) ?? "automatic"
        guard let mode = CaptureMode(rawValue: word) else {
            throw Problem.field("capture", "It must be automatic or manual.")
        }
        let device = try body.text("device", atMost: 64) ?? "app"
        guard !device.isEmpty, device.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw Problem.field("device", "It must be printable ASCII.")
        }
        try checkout.checkAmount(amount, provider: service?.devices?.provider ?? .cash)
        return (
            try Order(id: id, amount: amount, description: try body.text("description"))
                .scoped(payments.options.orderScope), mode, device
        )
    }

    /// Returns the order's payment, creating it if necessary.
    private func payment(for order: Order, _ mode: CaptureMode, _ account: AccountID) async throws -> Payment {
        let draft = checkout.draft(account: account, order: order, captureMode: mode)
        let (payment, isNew) = try await checkout.open(draft, whenOccupied: .continueSameSale)
        if isNew { payments.metrics.created() }
        return payment
    }

    private func answer(_ payment: Payment, _ reference: ProviderReference, _ secret: Secret<String>) -> Response {
        var writer = JSONWriter(reserving: 2048)
        writer.beginObject()
        writer.field("payment_intent", reference.rawValue)
        writer.field("client_secret", secret.reveal())
        writer.key("payment")
        PaymentJSON.write(payment, into: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Settles a payment after the app has finished: queries the provider and captures authorized money.
    private func settle(_ payment: PaymentID, _ incoming: Incoming) async throws -> Response {
        try (try await incoming.document()).allow([])
        _ = try await checkout.payment(payment, account: incoming.account)
        try await checkout.query(payment)
        return .json(PaymentJSON.write(try await checkout.payment(payment, account: incoming.account)))
    }
}
