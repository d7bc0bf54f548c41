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
            payment, CardReaderEvent(CardReaderEventType(rawValue: type), message: json["message"]?.stringValue))
    }
}

extension CounterClient {
    /// Follows the counter's events, of one payment or of all, until the connection ends or the task is canceled.
    /// - Parameter handle: receives each event in turn; the next one waits for it.
    /// - Throws: ``CounterError/notAnswered(_:reason:)`` when the connection ends before the counter closed it.
    public func events(
        of payment: PaymentID?, _ handle: @escaping @Sendable (CounterEvent) async -> Void
    ) async throws(CounterError) {
        let query = payment.map { "?payment=\(CounterPath.segment($0.rawValue))" } ?? ""
        let call = CounterCall(
            operation: .events, path: "/v1/events" + query, payment: payment, deadline: limits.eventStream, tries: 1)
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let consumer = Task {
            var reader = ServerSentEvents()
            for await piece in pieces {
                for event in reader.read(piece) {
                    if let event = CounterEvent(event), !Task.isCancelled { await handle(event) }
                }
            }
        }
        defer { continuation.finish() }
        let result: Result<Void, CounterError> = await withTaskCancellationHandler {
            do throws(CounterError) {
                try await receive(call) { piece in
                    continuation.yield(piece)
                    return true
                }
                continuation.finish()
                await consumer.value
                return .success(())
            } catch { return .failure(error) }
        } onCancel: {
            consumer.cancel()
        }
        try result.get()
    }
}
