import TillClient
import TillCore

extension CounterSale {
    /// The number of times that a payment is read after it was settled, and the pause between.
    private static let readings = (most: 50, pause: Duration.milliseconds(200))

    /// Sells on a device that collects the card with the provider's own SDK, and returns the exit code.
    ///
    /// The SDK is no part of this program: it prints the intent, and reads a line when the SDK has ended in whatever
    /// way. The same order finds the same intent.
    static func sell(
        _ draft: CounterPaymentDraft, on device: String, _ counter: CounterClient
    ) async throws(CounterError) -> Int32 {
        let intent = try await counter.deviceIntent(draft, device: device)
        say("intent: \(intent.reference)")
        _ = readLine()
        var payment = try await counter.settle(intent.payment)
        for _ in 0..<readings.most where payment.captured != draft.amount {
            do { try await Task.sleep(for: readings.pause) } catch { break }
            payment = try await counter.payment(payment.id)
        }
        say("\(payment.id): \(payment.status), \(payment.captured)")
        return payment.captured == draft.amount ? 0 : 3
    }
}
