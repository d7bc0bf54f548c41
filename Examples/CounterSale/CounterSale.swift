import TillClient
import TillCore
import TillHardware

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A sale of a running counter, as an app makes it:
///
/// - `CounterSale ORDER AMOUNT CURRENCY READER`: at a card reader of the counter.
/// - `CounterSale ORDER AMOUNT CURRENCY --device NAME`: on a device with the provider's own SDK.
/// - `CounterSale orders`, `CounterSale cash ORDER`: the open orders, and one of them in cash.
///
/// The counter's address is in `TILL_COUNTER`, its key in `TILL_API_KEY`. The same order finds the same payment, so the
/// program may be killed at any moment and started again.
@main
struct CounterSale {
    enum Usage: Error { case arguments, environment, readerNotFound(String) }

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let address = variable("TILL_COUNTER"), let key = variable("TILL_API_KEY") else {
            throw Usage.environment
        }
        let counter = try CounterClient(address: CounterAddress(address), key: Secret(key))
        if words == ["orders"] {
            await end { () async throws(CounterError) -> Int32 in try await listOrders(counter) }
        }
        if words.count == 2, words[0] == "cash" {
            let order = try OrderID(selling: words[1])
            await end { () async throws(CounterError) -> Int32 in try await takeCash(for: order, counter) }
        }
        let isDevice = words.count == 5 && words[3] == "--device"
        guard words.count == 4 || isDevice else { throw Usage.arguments }
        let amount = try Money(parsing: words[1], currency: try Currency(code: words[2]))
        let order = try OrderID(selling: words[0])
        if isDevice {
            let draft = CounterPaymentDraft(order: order, amount: amount)
            await end { () async throws(CounterError) -> Int32 in try await sell(draft, on: words[4], counter) }
        }
        var parameters = PaymentIntentParameters(amount: amount, order: order)
        parameters.captureMethod = .automatic

        // With another vendor's reader only the driver is another one.
        let service = StandardCardReaderService(driver: CounterReaderDriver(counter), limits: .counter)
        let events = service.readerEvents.subscribe()
        let screen = Task { for await event in events { say("reader: \(event.message ?? event.type.rawValue)") } }
        defer { screen.cancel() }
        try await service.start(CounterReaderConfig(counter))
        try await connect(words[3], service)

        do throws(CardReaderServiceError) {
            let paid = try await service.collectPayment(parameters) { intent, _ in say("payment: \(intent.id)") }
            say("\(paid.id): \(paid.status), \(paid.amount)")
        } catch {
            say("not paid (\(error.code)): \(error)")
            // 2: nothing was charged; 3: look it up, or start this again.
            exit(error.moneyMoved == .no ? 2 : 3)
        }
    }

    private static func connect(_ name: String, _ service: StandardCardReaderService) async throws {
        for await found in service.discoveredReaders where !found.isEmpty {
            guard let reader = found.first(where: { $0.label == name || $0.serial == name }) else {
                throw Usage.readerNotFound(name)
            }
            try await service.connect(reader)
            return
        }
    }

    /// Ends the program with the exit code of a sale. 2: nothing was charged; 3: look it up, or start this again.
    private static func end(_ sale: @Sendable () async throws(CounterError) -> Int32) async -> Never {
        do throws(CounterError) { exit(try await sale()) } catch {
            say("not paid (\(error.code)): \(error)")
            exit(error.moneyMoved == .no ? 2 : 3)
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Prints a line at once, also into a pipe.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}
