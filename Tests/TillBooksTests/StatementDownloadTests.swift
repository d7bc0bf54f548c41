import Foundation
import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillStatements

@Suite("A report that is fetched", .serialized)
struct StatementDownloadTests {
    private let request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/report.csv")

    /// An answer in pieces, and what ends it.
    private struct Pieces: HTTPTransport {
        let pieces: [[UInt8]]
        var failure: TransportFailure?

        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply { throw .notSent(reason: "not asked in one") }

        func receive(
            _ request: HTTPRequest, atMost limit: Int, deadline: Span,
            _ piece: @escaping @Sendable ([UInt8]) -> Bool
        ) async throws(TransportFailure) -> HTTPResponse {
            for part in pieces { guard piece(part) else { throw .unknown(reason: "ended") } }
            if let failure { throw failure }
            return HTTPResponse(status: .ok)
        }
    }

    private static let part = [UInt8](repeating: 0x78, count: 1 << 20)

    private static func left() throws -> Set<String> {
        let folder = FileManager.default.temporaryDirectory.path
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("till-statement-") })
    }

    @Test("comes whole, however many pieces it has, and says how far it is")
    func whole() async throws {
        let told = Mutex<[Int]>([])
        let (head, body) = try await StatementDownload(
            "batch 7", over: Pieces(pieces: [Self.part, [1, 2], Self.part])
        ) {
            (name, bytes) in
            #expect(name == "batch 7")
            told.withLock { $0.append(bytes) }
        }.fetch(request)
        #expect(head.status == .ok && body == Self.part + [1, 2] + Self.part)
        #expect(told.withLock { $0 } == [1 << 20, (1 << 20) + 2, (2 << 20) + 2])
        #expect(try Self.left().isEmpty)
    }

    @Test("of more than is taken is refused by its size, and nothing is left of it")
    func tooLong() async throws {
        let limit = 2 << 20
        let fits = StatementDownload("r", over: Pieces(pieces: [Self.part, Self.part]), atMost: limit, progress: nil)
        #expect(try await fits.fetch(request).body.count == limit)
        let long = StatementDownload(
            "r", over: Pieces(pieces: [Self.part, Self.part, [1]]), atMost: limit, progress: nil)
        let error = await #expect(throws: StatementError.self) { try await long.fetch(request) }
        #expect(error?.code == "statement_too_large" && error?.reason == "r has more than \(limit) bytes")
        #expect(try Self.left().isEmpty)
    }

    @Test("that breaks off is not fetched, and never a part")
    func brokenOff() async throws {
        for failure in [TransportFailure.unknown(reason: "cut"), .notSent(reason: "down")] {
            let wire = Pieces(pieces: [Self.part], failure: failure)
            let error = await #expect(throws: StatementError.self) {
                try await StatementDownload("batch 7", over: wire, progress: nil).fetch(request)
            }
            #expect(error?.code == "statement_not_fetched" && error?.moneyMoved == .no)
        }
        #expect(try Self.left().isEmpty)
    }
}
