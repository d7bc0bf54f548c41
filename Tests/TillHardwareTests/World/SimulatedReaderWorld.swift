import Synchronization
import TillCore
import TillTestSupport

@testable import TillHardware

/// The service over the simulated reader, in a time of its own, with everything that both have said.
final class SimulatedReaderWorld: Sendable {
    let clock = SimulatedClock()
    let executor = SimulatedExecutor()
    let driver: SimulatedCardReaderDriver
    let service: StandardCardReaderService
    let said: Said

    /// What was said, in order: by the driver, and on each of the service's sequences.
    final class Said: Sendable {
        struct All {
            var driver: [CardReaderDriverEvent] = []
            var events: [CardReaderEvent] = []
            var discovery: [CardReaderServiceDiscoveryStatus] = []
            var status: [CardReaderServiceStatus] = []
            var updates: [CardReaderSoftwareUpdateState] = []
            var reconnections: [CardReaderReconnectionState] = []
            var states: [CardReaderServiceState] = []
            var payments: [CardReaderPaymentStatus] = []
        }
        private let state = Mutex(All())
        var all: All { state.withLock { $0 } }
        func add(_ change: (inout All) -> Void) { state.withLock { change(&$0) } }
    }

    init(
        _ card: String = "visa", createsIntents: CardReaderDriverCapabilities.IntentCreation = .onDevice
    ) throws {
        said = Said()
        driver = SimulatedCardReaderDriver(
            card: try SimulatedCard(parsing: card), createsIntents: createsIntents, clock: clock,
            pace: .milliseconds(300))
        service = StandardCardReaderService(driver: driver, clock: clock, executor: executor)
        let (said, driver) = (said, driver)
        listen(service.discoveryStatus) { value in said.add { $0.discovery.append(value) } }
        listen(service.serviceStatus) { value in said.add { $0.status.append(value) } }
        listen(service.softwareUpdateEvents) { value in said.add { $0.updates.append(value) } }
        listen(service.reconnectionEvents) { value in said.add { $0.reconnections.append(value) } }
        listen(service.states) { value in said.add { $0.states.append(value) } }
        listen(service.paymentStatus) { value in said.add { $0.payments.append(value) } }
        listen(service.readerEvents) { event in
            said.add { $0.events.append(event) }
            // The customer takes the card when asked to.
            if event.type == .removeCard { await driver.takeCard() }
        }
    }

    private func listen<Value: Sendable>(
        _ values: BroadcastValues<Value>, _ body: @escaping @Sendable (Value) async -> Void
    ) {
        let values = values.subscribe()
        Task(executorPreference: executor) { for await value in values { await body(value) } }
    }

    func run(_ body: @escaping @Sendable (SimulatedReaderWorld) async throws -> Void) throws {
        try runInTime(of: clock, on: executor) { try await body(self) }
    }

    @discardableResult
    func start<Value: Sendable>(
        _ body: @escaping @Sendable (SimulatedReaderWorld) async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: executor) { [self] in try await body(self) }
    }

    // MARK: Steps

    /// Starts the service, and hears its driver from then on.
    func begin() async throws {
        try await service.start(NoCardReaderConfig())
        let (service, said) = (service, said)
        await driver.observe { event in
            said.add { $0.driver.append(event) }
            await service.happened(event)
        }
    }

    func connect() async throws {
        try await begin()
        for await readers in service.discoveredReaders {
            guard let reader = readers.first else { continue }
            try await service.connect(reader)
            return
        }
    }

    func parameters(
        _ order: String, _ minorUnits: Int64 = 1250, captures: PaymentIntentParameters.CaptureMethod = .automatic
    ) -> PaymentIntentParameters {
        var parameters = PaymentIntentParameters(
            amount: Money(minorUnits: minorUnits, currency: .eur), order: OrderID(rawValue: order))
        parameters.captureMethod = captures
        return parameters
    }

    /// Takes a payment with a card, and lets the customer take the card.
    @discardableResult
    func pay(_ card: String, order: String) async throws -> PaymentIntent {
        await driver.present(try SimulatedCard(parsing: card))
        let paid = try await service.collectPayment(parameters(order)) { _, _ in }
        await service.waitForInsertedCardToBeRemoved()
        return paid
    }

    /// Waits until the service is in a state.
    func reaches(_ name: String) async {
        for await state in service.states where state.name == name { return }
    }
}
