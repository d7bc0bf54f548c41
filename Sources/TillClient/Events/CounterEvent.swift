public import TillCore
public import TillHardware

/// An event of the counter.
public enum CounterEvent: Hashable, Sendable {
    /// A payment has changed: read it.
    case changed(PaymentID)
    /// The reader's progress with a payment.
    case reader(PaymentID, CardReaderEvent)

    init?(_ event: ServerSentEvents.Event) {
        guard let json = JSONValue(ifValid: event.data.utf8),
            let payment = json["payment"]?.stringValue.flatMap({ PaymentID(ifValid: $0) })
        else { return nil }
        guard event.name == "reader" else {
            self = .changed(payment)
            return
        }
        guard let type = json["type"]?.stringValue else { return nil }
        self = .reader(
            payment,
            CardReaderEvent(
                CardReaderEventType(rawValue: type), message: json["message"]?.stringValue,
                input: json["input"]?.arrayValue.map { CardReaderInput(names: $0.compactMap(\.stringValue)) },
                percent: json["percent"]?.int64Value.flatMap { Int(exactly: $0) }))
    }
}

extension CounterClient {
    /// Follows the counter's events, of one payment or of all, until the connection ends or the task is canceled.
    /// Every event is handled before it returns; after a cancellation no further one is.
    /// - Parameter handle: receives each event in turn; the next one waits for it.
    /// - Throws: ``CounterError/notAnswered(_:reason:)`` when the connection ends before the counter closed it, or an
    ///   event is too long.
    public func events(
        of payment: PaymentID?, _ handle: @escaping @Sendable (CounterEvent) async -> Void
    ) async throws(CounterError) {
        let query = payment.map { "?payment=\(CounterPath.segment($0.rawValue))" } ?? ""
        let call = CounterCall(
            operation: .events, path: "/v1/events" + query, payment: payment, deadline: limits.eventStream, tries: 1)
        let (events, continuation) = AsyncStream.makeStream(of: CounterEvent.self)
        let consumer = Task {
            for await event in events where !Task.isCancelled { await handle(event) }
        }
        let reader = Guarded(ServerSentEvents())
        let result: Result<Void, CounterError> = await withTaskCancellationHandler {
            let result: Result<Void, CounterError>
            do throws(CounterError) {
                try await receive(call) { piece in
                    let (read, isTooLong) = reader.withLock { ($0.read(piece), $0.isTooLong) }
                    for event in read {
                        if let event = CounterEvent(event) { continuation.yield(event) }
                    }
                    return !isTooLong
                }
                result = .success(())
            } catch { result = .failure(error) }
            continuation.finish()
            await consumer.value
            return result
        } onCancel: {
            consumer.cancel()
        }
        try result.get()
    }
}
