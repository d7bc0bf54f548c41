import Foundation
import TillCore
import TillJournal
import TillJournalSQLite
import TillPostgres

/// Measures a large journal: durable payments a second, then every list, an idle stream's look and what is due, each
/// asked at places chosen at random, and the whole check.
///
///     journal-benchmark FOLDER|ADDRESS [PAYMENTS [fill]]
///
/// With `fill` the journal is written, and nothing is asked of it.
@main
enum JournalBenchmark {
    static let clock = SystemClock()
    /// Payments that are written at the same time.
    static let writers = 256
    /// Of so many payments one waits for something.
    static let pendingOf = 1_000
    static let questions = 2_000
    static let nobody = AccountID(rawValue: "nobody")

    static func main() async throws {
        let arguments = CommandLine.arguments
        let folder = arguments.count > 1 ? arguments[1] : NSTemporaryDirectory() + "till-journal-benchmark"
        let payments = arguments.count > 2 ? Int(arguments[2]) ?? 500_000 : 500_000
        let journal: any CounterStore
        switch try JournalAddress(folder) {
        case .file:
            try? FileManager.default.removeItem(atPath: folder)
            journal = try SQLiteJournal.open(at: folder + "/journal.sqlite")
        case .postgres(let address):
            journal = try PostgresJournal.open(at: address, files: NSTemporaryDirectory() + "till-journal-benchmark/pg")
        }
        try await fill(journal, payments)
        if arguments.count > 3, arguments[3] == "fill" { return try await journal.close() }
        for _ in 0..<3 { try await ask(journal, payments) }
        let began = ContinuousClock.now
        let report = try await journal.verify()
        print("verify: \(report.events) events, \(report.problems.count) problems, \(ContinuousClock.now - began)")
        try await journal.close()
    }

    static func id(_ number: Int) -> PaymentID {
        let digits = String(number)
        return PaymentID(rawValue: "pay_" + String(repeating: "0", count: 10 - digits.count) + digits)
    }

    /// A payment that is created, and every second one canceled, in one write; a few wait for their provider.
    static func write(_ number: Int) throws -> JournalWrite {
        let now = clock.now()
        let order = try Order(
            id: OrderID(rawValue: "order-\(number)"), amount: Money(minorUnits: 1_250, currency: .eur))
        let creation = PaymentEvent.Creation(
            payment: id(number), account: .main, order: order, captureMode: .automatic)
        var payment = Payment(creation, at: now)
        var events = [RecordedEvent(.created(creation), at: now)]
        if number.isMultiple(of: 2) {
            events.append(RecordedEvent(.canceled, at: now))
            payment.evolve(events[1])
        }
        let isPending = number % pendingOf == 1
        if isPending {
            let start = PaymentEvent.AttemptStart(
                attempt: AttemptID(rawValue: "\(payment.id)-a1"), provider: .sandbox,
                tender: TenderSummary(kind: .card), amount: payment.amount)
            events.append(RecordedEvent(.attemptStarted(start), at: now))
            payment.evolve(events[1])
        }
        return JournalWrite(
            append: JournalWrite.Append(
                payment: payment, expectedVersion: 0, events: events, nextDue: payment.nextDue,
                holder: isPending ? .thisProcess : .nobody))
    }

    static func fill(_ journal: any CounterStore, _ payments: Int) async throws {
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in stride(from: writer + 1, through: payments, by: writers) {
                        try await journal.write(try write(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        let seconds = Double((ContinuousClock.now - began).components.seconds) + 0.001
        print("fill: \(payments) payments, \(Int(Double(payments) / seconds)) a second, ")
        print("      \(journal.statistics.commits) commits, the largest of \(journal.statistics.largestBatch) writes")
    }

    static func ask(_ journal: any CounterStore, _ payments: Int) async throws {
        func place() -> Int { Int.random(in: 1...payments) }
        try await measure("newest page") { _ = try await journal.payments(PaymentFilter(account: .main, limit: 20)) }
        try await measure("page at a place") {
            _ = try await journal.payments(PaymentFilter(account: .main, before: id(place()), limit: 20))
        }
        try await measure("page of a status") {
            _ = try await journal.payments(
                PaymentFilter(account: .main, status: .canceled, before: id(place()), limit: 20))
        }
        try await measure("page of a status that nothing has") {
            _ = try await journal.payments(PaymentFilter(account: .main, status: .refunded, limit: 20))
        }
        try await measure("page of an account without payments") {
            _ = try await journal.payments(PaymentFilter(account: nobody, limit: 20))
        }
        try await measure("look of a stream without events") {
            _ = try await journal.events(after: Int64(place()), account: nobody, limit: 200)
        }
        try await measure("look of a stream at the end") {
            _ = try await journal.events(after: .max, account: .main, limit: 200)
        }
        let later = clock.now().adding(.days(1))
        try await measure("due") { _ = try await journal.due(at: later, limit: 256) }
        try await measure("metrics") { _ = try await journal.metrics(at: clock.now()) }
    }

    static func measure(_ name: String, _ question: () async throws -> Void) async throws {
        var times: [Duration] = []
        for _ in 0..<questions {
            let began = ContinuousClock.now
            try await question()
            times.append(ContinuousClock.now - began)
        }
        times.sort()
        print("\(name): p50 \(times[questions / 2]), p99 \(times[questions * 99 / 100])")
    }
}
