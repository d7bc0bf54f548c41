import Foundation
import GRDB
import TillCore
import TillJournal
import TillOffline

/// Measures the log of stored cards: durable sealed records a second, syncs a record, recovery of a large log; and
/// SQLite with the same durability on the same disk in the same run.
///
///     offline-benchmark FOLDER [RECORDS] [LARGE]
@main
enum OfflineBenchmark {
    static let clock = SystemClock()

    static func main() async throws {
        let arguments = CommandLine.arguments
        let folder = arguments.count > 1 ? arguments[1] : NSTemporaryDirectory() + "till-offline-benchmark"
        let records = arguments.count > 2 ? Int(arguments[2]) ?? 20_000 : 20_000
        let large = arguments.count > 3 ? Int(arguments[3]) ?? 1_000_000 : 1_000_000
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await writers(1, records: max(1, records / 4), in: folder)
        try await writers(16, records: records, in: folder)
        try await writers(128, records: records, in: folder)
        try sqlite(records: max(1, records / 4), together: 1, in: folder)
        try sqlite(records: records, together: 128, in: folder)
        try await recovery(of: large, in: folder)
    }

    static func keys() throws -> (OfflineDevice, OfflineProviderKeys) {
        let secret = OfflineDevice.makeKey()
        guard let device = OfflineDevice(name: "bench", key: secret), let sealing = StoredCardSeal.publicKey(of: secret)
        else { throw CancellationError() }
        return (device, OfflineProviderKeys(issuer: "bench", sealing: sealing, signing: device.publicKey))
    }

    static func record(_ number: Int) -> StoredRecord {
        let now = clock.now()
        return StoredRecord(
            payment: PaymentID.make(at: now, random: (UInt64(number), 7)),
            attempt: AttemptID(rawValue: "pay_\(number)-a1"),
            account: .main, order: OrderID(rawValue: "order-\(number)"),
            amount: Money(minorUnits: 1_250, currency: .eur), at: now, expires: now.adding(.hours(24)), reader: "tap",
            card: CardSummary(brand: "visa", lastFour: "4242", entryMode: "contactless_emv"))
    }

    /// As long as an envelope with a card's data objects.
    static let card = Secret(String(repeating: "c", count: 600))

    static var policy: OfflinePolicy {
        var policy = OfflinePolicy()
        policy.perPayment = ["EUR": .max]
        policy.total = ["EUR": .max]
        policy.count = .max
        policy.perCard = .max
        return policy
    }

    /// Sealing, deciding, writing, syncing: all of it, as a sale does it.
    static func writers(_ writers: Int, records: Int, in folder: String) async throws {
        let (device, provider) = try keys()
        let log = try OfflineLog.open(
            in: DiskFolder(path: folder), named: "log-\(writers)", device: device, provider: provider, clock: clock)
        try await log.noteContact()
        let before = log.statistics
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for writer in 0..<writers {
                tasks.addTask {
                    for number in stride(from: writer, to: records, by: writers) {
                        _ = try await log.store(card, record(number), facts: nil, policy: policy)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let seconds = seconds(since: began)
        let syncs = log.statistics.syncs - before.syncs
        print(
            "log, \(writers) writers: \(Int(Double(records) / seconds)) durable sealed records/s, "
                + "\(String(format: "%.3f", Double(syncs) / Double(records))) syncs/record, \(records) records, "
                + "\(log.bytes / records) bytes/record, largest group \(log.statistics.largestGroup)")
    }

    /// The same bytes, sealed before, into a table: WAL and synchronous=FULL sync each commit.
    static func sqlite(records: Int, together: Int, in folder: String) throws {
        let (_, provider) = try keys()
        let sealed = Data(try StoredCardSeal.seal(card, into: record(1), log: "bench", for: provider).sealed)
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        let queue = try DatabaseQueue(path: folder + "/rival-\(together).sqlite", configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "CREATE TABLE stored (id INTEGER PRIMARY KEY, attempt TEXT, body BLOB)")
        }
        let began = ContinuousClock.now
        var number = 0
        while number < records {
            try queue.write { db in
                let statement = try db.cachedStatement(sql: "INSERT INTO stored (attempt, body) VALUES (?, ?)")
                for _ in 0..<min(together, records - number) {
                    try statement.execute(arguments: ["pay_\(number)-a1", sealed])
                    number += 1
                }
            }
        }
        print(
            "SQLite, FULL, WAL, \(together) a commit, no sealing, no chain: "
                + "\(Int(Double(records) / seconds(since: began))) durable records/s, \(records) records")
    }

    /// Opens a log of so many records: reads it all, checks every hash, the chain and the signatures, folds it.
    static func recovery(of count: Int, in folder: String) async throws {
        let (device, provider) = try keys()
        let disk = DiskFolder(path: folder)
        let log = try OfflineLog.open(in: disk, named: "large", device: device, provider: provider, clock: clock)
        var template = try StoredCardSeal.seal(card, into: record(0), log: "bench", for: provider)
        var number = 0
        let made = ContinuousClock.now
        while number < count {
            var events: [OfflineEvent] = []
            for _ in 0..<min(1_000, count - number) {
                template.attempt = AttemptID(rawValue: "pay_\(number)-a1")
                events.append(.stored(template))
                number += 1
            }
            let group = events
            _ = try await log.append { _ in group }
        }
        print(
            "made a log of \(count) records, \(log.bytes >> 20) MiB, in \(String(format: "%.1f", seconds(since: made))) s"
        )
        let began = ContinuousClock.now
        let again = try OfflineLog.open(
            in: disk, named: "large", device: device, provider: provider, clock: clock, marks: [try log.mark()])
        let seconds = seconds(since: began)
        let stored = try again.book().exposure.count
        print(
            "recovery: \(stored) records, every hash, the chain and the signatures checked, in "
                + "\(String(format: "%.2f", seconds)) s, \(Int(Double(again.bytes) / seconds / 1_048_576)) MiB/s")
    }

    static func seconds(since began: ContinuousClock.Instant) -> Double {
        let parts = (ContinuousClock.now - began).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
