public import TillCore
public import TillHardware

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A card-reader service for apps that are built on publishers.
///
/// ```swift
/// import TillHardware
///
/// let publishers = CardReaderPublishers(service)
/// let readers = publishers.discoveredReaders
/// let events = publishers.readerEvents
/// let started = publishers.start(NoCardReaderConfig())
/// ```
///
/// The service's state is published; its commands are futures, which run immediately and once, however many subscribe.
/// Canceling a subscription does not cancel the command: use the cancel commands for that.
public struct CardReaderPublishers: Sendable {
    private let service: any CardReaderService

    public init(_ service: any CardReaderService) { self.service = service }

    public var discoveredReaders: AnyPublisher<[CardReader], Never> {
        service.discoveredReaders.publisher.eraseToAnyPublisher()
    }
    /// The connected readers: one, or none.
    public var connectedReaders: AnyPublisher<[CardReader], Never> {
        service.connectedReaders.publisher.eraseToAnyPublisher()
    }
    /// The status of the discovery.
    public var discoveryStatus: AnyPublisher<CardReaderServiceDiscoveryStatus, Never> {
        service.discoveryStatus.publisher.eraseToAnyPublisher()
    }
    /// The events of the connected reader.
    public var readerEvents: AnyPublisher<CardReaderEvent, Never> {
        service.readerEvents.publisher.eraseToAnyPublisher()
    }
    /// The progress of software updates on the reader.
    public var softwareUpdateEvents: AnyPublisher<CardReaderSoftwareUpdateState, Never> {
        service.softwareUpdateEvents.publisher.eraseToAnyPublisher()
    }
    /// The state of a reconnection.
    public var reconnectionEvents: AnyPublisher<CardReaderReconnectionState, Never> {
        service.reconnectionEvents.publisher.eraseToAnyPublisher()
    }
    /// The service's state.
    public var states: AnyPublisher<CardReaderServiceState, Never> { service.states.publisher.eraseToAnyPublisher() }
    /// The service's health.
    public var serviceStatus: AnyPublisher<CardReaderServiceStatus, Never> {
        service.serviceStatus.publisher.eraseToAnyPublisher()
    }
    /// The reader's progress with a payment.
    public var paymentStatus: AnyPublisher<CardReaderPaymentStatus, Never> {
        service.paymentStatus.publisher.eraseToAnyPublisher()
    }

    /// Starts the service and a discovery.
    public func start(
        _ configProvider: any CardReaderConfigProvider, discoveryMethod: CardReaderDiscoveryMethod = .any
    ) -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in
            try await service.start(configProvider, discoveryMethod: discoveryMethod)
        }
    }

    public func cancelDiscovery() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.cancelDiscovery() }
    }

    /// Connects to a reader.
    public func connect(
        _ reader: CardReader, options: CardReaderConnectionOptions = CardReaderConnectionOptions()
    ) -> Future<CardReader, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.connect(reader, options: options) }
    }

    /// Releases the reader; fails with the service's error.
    public func disconnect() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.disconnect() }
    }

    public func clear() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.clear() }
    }

    public func collectPayment(
        _ parameters: PaymentIntentParameters, existing: ExistingPaymentIntent? = nil,
        beforeConfirmation: @escaping PreConfirmation
    ) -> Future<PaymentIntent, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in
            try await service.collectPayment(parameters, existing: existing, beforeConfirmation: beforeConfirmation)
        }
    }

    /// Retries the payment that failed last.
    public func retryActivePayment(
        beforeConfirmation: @escaping PreConfirmation
    ) -> Future<PaymentIntent, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in
            try await service.retryActivePayment(beforeConfirmation: beforeConfirmation)
        }
    }

    /// Cancels the payment; fails with the service's error.
    public func cancelPayment() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.cancelPayment() }
    }

    /// Waits for a card at a reader that returns sealed data.
    public func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) -> Future<CardPresentPayload, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.collectPaymentMethod(parameters) }
    }

    /// Completes with `true` once no card is in the reader, `false` if it stayed.
    public func waitForInsertedCardToBeRemoved() -> Future<Bool, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in await service.waitForInsertedCardToBeRemoved() }
    }

    public func refund(_ parameters: RefundParameters) -> Future<CardReaderRefund, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.refund(parameters) }
    }

    /// Cancels a refund while it waits for the card.
    public func cancelRefund() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.cancelRefund() }
    }

    /// Installs the available update.
    public func installUpdate() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.installUpdate() }
    }

    public func cancelUpdate() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.cancelUpdate() }
    }

    /// Stops reconnecting to a lost reader.
    public func cancelReconnection() -> Future<Void, CardReaderServiceError> {
        run { service throws(CardReaderServiceError) in try await service.cancelReconnection() }
    }

    private func run<Value: Sendable>(
        _ command: @escaping @Sendable (any CardReaderService) async throws(CardReaderServiceError) -> Value
    ) -> Future<Value, CardReaderServiceError> {
        let service = service
        return Future { promise in
            let promise = SentPromise(promise)
            Task {
                do throws(CardReaderServiceError) {
                    promise.keep(.success(try await command(service)))
                } catch {
                    promise.keep(.failure(error))
                }
            }
        }
    }
}

/// Carries a promise to the task that fulfills it. A future locks its own state, so fulfilling its promise is safe from
/// any thread; its type just does not declare it.
private struct SentPromise<Value, Failure: Error>: @unchecked Sendable {
    private let promise: (Result<Value, Failure>) -> Void

    init(_ promise: @escaping (Result<Value, Failure>) -> Void) { self.promise = promise }

    func keep(_ result: Result<Value, Failure>) { promise(result) }
}
