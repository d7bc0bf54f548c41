import Testing
import TillCore
import TillHardware
import TillHardwareCombine

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

@Suite struct CardReaderPublishersTests {
    /// What a publisher sends until it ends or `enough` says so, as a sequence.
    private func values<P: Publisher>(
        _ publisher: P
    ) -> (AsyncStream<P.Output>, AnyCancellable) where P.Output: Sendable, P.Failure == Never {
        let (stream, continuation) = AsyncStream.makeStream(of: P.Output.self)
        let cancellable = publisher.sink { _ in
            continuation.finish()
        } receiveValue: { value in
            continuation.yield(value)
        }
        return (stream, cancellable)
    }

    private func result<Value: Sendable>(
        _ future: Future<Value, CardReaderServiceError>
    ) async -> Result<Value, CardReaderServiceError> {
        let (stream, continuation) = AsyncStream.makeStream(of: Result<Value, CardReaderServiceError>.self)
        let cancellable = future.sink { completion in
            if case .failure(let error) = completion { continuation.yield(.failure(error)) }
            continuation.finish()
        } receiveValue: { value in
            continuation.yield(.success(value))
        }
        defer { cancellable.cancel() }
        for await result in stream { return result }
        return .failure(CardReaderServiceError(.connection, .internalServiceError))
    }

    @Test func aWholePaymentWithPublishers() async throws {
        let reader = SimulatedCardReader(card: try SimulatedCard(parsing: "visa"))
        let publishers = CardReaderPublishers(reader)
        let (found, first) = values(publishers.discoveredReaders)
        defer { first.cancel() }
        _ = try await result(publishers.start(NoCardReaderConfig())).get()
        var device: CardReader?
        for await readers in found where !readers.isEmpty {
            device = readers.first
            break
        }
        let connected = try await result(publishers.connect(try #require(device))).get()
        #expect(connected.status == .connected)
        let (events, second) = values(publishers.readerEvents)
        defer { second.cancel() }
        let parameters = PaymentIntentParameters(
            amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1"))
        let payload = try await result(publishers.collectPaymentMethod(parameters)).get()
        #expect(payload.card?.lastFour == "4242")
        var seen: [CardReaderEventType] = []
        for await event in events {
            seen.append(event.type)
            if event.type == .processing { break }
        }
        #expect(seen == [.waitingForInput, .cardInserted, .cardDetailsCollected, .processing])
        _ = try await result(publishers.disconnect()).get()
        let again = await result(publishers.disconnect())
        #expect(throws: CardReaderServiceError(.disconnection, .notConnectedToReader)) { try again.get() }
    }

    @Test func everySubscriberGetsTheCurrentValueAndTheEnd() async {
        let broadcast = Broadcast(1)
        broadcast.send(2)
        let (first, one) = values(broadcast.values.publisher)
        broadcast.send(3)
        let (second, two) = values(broadcast.values.publisher)
        broadcast.finish()
        defer {
            one.cancel()
            two.cancel()
        }
        var (a, b): ([Int], [Int]) = ([], [])
        for await value in first { a.append(value) }
        for await value in second { b.append(value) }
        #expect(a == [2, 3])
        #expect(b == [3])
    }

    /// Takes one value at a time, when told. Its subscription is set before `subscribe` returns.
    private final class OneAtATime: Subscriber, @unchecked Sendable {
        typealias Input = Int
        typealias Failure = Never
        let continuation: AsyncStream<Int>.Continuation
        var subscription: (any Subscription)?

        init(_ continuation: AsyncStream<Int>.Continuation) { self.continuation = continuation }

        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ input: Int) -> Subscribers.Demand {
            continuation.yield(input)
            return .none
        }
        func receive(completion: Subscribers.Completion<Never>) { continuation.finish() }
        func ask() { subscription?.request(.max(1)) }
    }

    @Test func aSubscriberGetsNoMoreThanItAsksFor() async {
        let broadcast = Broadcast<Int>()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let subscriber = OneAtATime(continuation)
        broadcast.values.publisher.subscribe(subscriber)
        for value in 1...3 { broadcast.send(value) }
        var iterator = stream.makeAsyncIterator()
        subscriber.ask()
        #expect(await iterator.next() == 1)
        subscriber.ask()
        #expect(await iterator.next() == 2)
        subscriber.subscription?.cancel()
        subscriber.ask()
        broadcast.send(4)
        continuation.finish()
        #expect(await iterator.next() == nil)
    }
}
