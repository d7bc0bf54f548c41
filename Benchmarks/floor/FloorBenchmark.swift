import Foundation
import GRDB
import Hummingbird
import NIOCore
import Synchronization

/// The least that a durable create can cost on this machine with the same HTTP server and database: a request is one
/// row, written by group commit, and nothing else. No accounts, keys, events, chain or idempotency.
///
/// `floor-benchmark --port N --store FILE` answers `POST /v1/payments` with 201 once the row is on the disk, and
/// `GET /healthz` with 200. `Benchmarks/run` measures it beside the counter.
@main
struct FloorBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        guard let port = value("--port").flatMap({ Int($0) }), let path = value("--store") else {
            FileHandle.standardError.write(Data("usage: floor-benchmark --port N --store FILE\n".utf8))
            exit(2)
        }
        let rows = try RowWriter(path: path)
        let router = Router()
        router.get("/healthz") { _, _ in "ok" }
        router.post("/v1/payments") { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let id = try await rows.write(Array(body.readableBytesView))
            return Response(
                status: .created, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"id\":\(id)}")))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}

/// The single writer: rows that arrive during a commit share the next one.
private final class RowWriter: Sendable {
    private struct Waiting {
        var rows: [(body: [UInt8], done: CheckedContinuation<Int64, any Error>)] = []
        var isBusy = false
    }

    /// The largest number of rows in a commit.
    private static let maximumRows = 256

    private let database: DatabaseQueue
    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "floor.writer")

    init(path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS payment(id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
        }
    }

    /// Writes a row and returns its number once it is durable.
    func write(_ body: [UInt8]) async throws -> Int64 {
        try await withCheckedThrowingContinuation { done in
            let begins = waiting.withLock { waiting in
                waiting.rows.append((body, done))
                defer { waiting.isBusy = true }
                return !waiting.isBusy
            }
            if begins { queue.async { self.run() } }
        }
    }

    private func run() {
        while true {
            let rows = waiting.withLock { waiting in
                let taken = Array(waiting.rows.prefix(RowWriter.maximumRows))
                waiting.rows.removeFirst(taken.count)
                if taken.isEmpty { waiting.isBusy = false }
                return taken
            }
            guard !rows.isEmpty else { return }
            let written = Result {
                try database.write { db in
                    let statement = try db.cachedStatement(sql: "INSERT INTO payment(body) VALUES (?)")
                    return try rows.map { row in
                        try statement.execute(arguments: [Data(row.body)])
                        return db.lastInsertedRowID
                    }
                }
            }
            switch written {
            case .success(let numbers): for (row, number) in zip(rows, numbers) { row.done.resume(returning: number) }
            case .failure(let error): for row in rows { row.done.resume(throwing: error) }
            }
        }
    }
}
