import Foundation
import TillCards
import TillPayPalClient
import TillCore
import TillHTTP
import TillPayPal

/// Measures card entry per keystroke, and orders through our client against a server that speaks PayPal's wire.
///
///     cards-benchmark keystrokes [SECONDS]
///     cards-benchmark orders URL COUNT CLIENTS
@main
struct CardsBenchmark {
    static let clock = ContinuousClock()

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "keystrokes": keystrokes(seconds: arguments.count > 1 ? Double(arguments[1]) ?? 1 : 1)
        case "orders" where arguments.count == 4:
            try await orders(url: arguments[1], count: Int(arguments[2]) ?? 0, clients: Int(arguments[3]) ?? 1)
        default: print("cards-benchmark keystrokes [SECONDS] | orders URL COUNT CLIENTS")
        }
    }

    // MARK: Card entry

    static let numbers = [
        "4032036247327321", "371449635398431", "36259600000004", "2223000048400011", "6205500000000000004",
        "6304000000000000", "5063516945005047",
    ]

    /// Nanoseconds for one call of `body`, which is given the number of the keystroke; the best of five.
    static func measure(seconds: Double, _ body: (Int) -> Int) -> Double {
        var best = Double.infinity
        var sink = 0
        for _ in 0..<5 {
            var count = 0
            let began = clock.now
            let end = began.advanced(by: .seconds(seconds / 5))
            while clock.now < end {
                for _ in 0..<1000 {
                    sink &+= body(count)
                    count += 1
                }
            }
            let spent = (clock.now - began).components
            best = min(best, (Double(spent.seconds) * 1e9 + Double(spent.attoseconds) / 1e9) / Double(count))
        }
        // So that nothing measured is left out as unused.
        if sink == .min { print("") }
        return best
    }

    static func keystrokes(seconds: Double) {
        let prefixes = numbers.flatMap { number in (1...number.count).map { String(number.prefix($0)) } }
        let entries = numbers.flatMap { number -> [FormattedEntry] in
            var entry = FormattedEntry(text: "", caret: 0)
            return number.map { digit in
                defer { entry = CardNumberFormatter.edit(entry, removing: 0, typing: String(digit)) }
                return FormattedEntry(text: entry.text + String(digit), caret: entry.text.utf16.count + 1)
            }
        }
        let brand = measure(seconds: seconds) { CardBrandTable.candidates(for: prefixes[$0 % prefixes.count]).count }
        let likeliest = measure(seconds: seconds) {
            CardBrandTable.likeliest(for: prefixes[$0 % prefixes.count]) == nil ? 0 : 1
        }
        let format = measure(seconds: seconds) { CardNumberFormatter.format(entries[$0 % entries.count]).caret }
        print(
            "{\"candidates_ns\":\(Int(brand)),\"likeliest_ns\":\(Int(likeliest)),\"format_ns\":\(Int(format)),"
                + "\"keystrokes\":\(entries.count)}")
    }

    // MARK: Orders

    static func orders(url: String, count: Int, clients: Int) async throws {
        let transport = HTTPClientTransport()
        let config = try ServerConfig(
            clientID: "shop", secret: Secret("secret"), environment: PayPalEnvironment.custom(url))
        let client = CardClient(config, transport: transport, recorder: MemorySentRequests())
        let amount = try Amount(Money(minorUnits: 1000, currency: .usd))
        let request = try OrderRequest(intent: .capture, purchaseUnits: [PurchaseUnit(amount: amount)])
        let card = try PaymentCard(
            number: "4032036247327321", expiry: "2030-11", securityCode: "987", now: SystemClock().now())
        let run = UInt64.random(in: .min ... .max)
        // The token and the connections.
        for index in 0..<20 {
            _ = try await client.executeOrder(
                request, card: card, key: IdempotencyKey(rawValue: "\(run)-warm-\(index)"))
        }
        let each = count / clients
        var cpu = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu)
        let cpuBefore = Double(cpu.tv_sec) + Double(cpu.tv_nsec) / 1e9
        let began = clock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for lane in 0..<clients {
                group.addTask {
                    var times: [Double] = []
                    for index in 0..<each {
                        let start = clock.now
                        let key = IdempotencyKey(rawValue: "\(run)-\(lane)-\(index)")
                        let done = try await client.executeOrder(request, card: card, key: key)
                        guard case .paid = done.money else { throw Unpaid() }
                        let spent = (clock.now - start).components
                        times.append(Double(spent.seconds) * 1e3 + Double(spent.attoseconds) / 1e15)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }.sorted()
        let all = (clock.now - began).components
        let seconds = Double(all.seconds) + Double(all.attoseconds) / 1e18
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu)
        let spent = Double(cpu.tv_sec) + Double(cpu.tv_nsec) / 1e9 - cpuBefore
        await transport.shutdown()
        let made = Double(times.count)
        print(
            "{\"orders\":\(times.count),\"per_second\":\(Int(made / seconds)),"
                + "\"cpu_us\":\(Int(spent / made * 1e6)),\"p50_ms\":\(times[times.count / 2])}")
    }

    struct Unpaid: Error {}
}
