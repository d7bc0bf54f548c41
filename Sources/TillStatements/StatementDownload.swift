public import HTTPTypes
import Synchronization
public import TillCore

/// Called while a statement is downloaded, with its display name and the number of bytes received.
public typealias FetchProgress = @Sendable (_ name: String, _ bytes: Int) -> Void

/// Downloads a provider's report file: it is streamed to disk and parsed once complete. An interrupted download leaves
/// nothing behind and imports nothing.
public struct StatementDownload: Sendable {
    /// Maximum size of a report, in bytes, the same as for a local file.
    public static let maximumBytes = StatementLimits.maximumBytes
    /// Timeout of one report.
    public static let deadline = Span.minutes(10)

    private let transport: any HTTPTransport
    private let name: String
    private let limit: Int
    private let progress: FetchProgress?

    /// - Parameter name: the display name.
    public init(_ name: String, over transport: any HTTPTransport, progress: FetchProgress?) {
        self.init(name, over: transport, atMost: StatementDownload.maximumBytes, progress: progress)
    }

    init(_ name: String, over transport: any HTTPTransport, atMost limit: Int, progress: FetchProgress?) {
        (self.name, self.transport, self.limit, self.progress) = (name, transport, limit, progress)
    }

    /// Downloads the statement into a temporary file.
    /// - Returns: the response head and the complete body.
    /// - Throws: ``StatementError`` if the report exceeds ``maximumBytes``, is not received, or cannot be written to
    ///   disk.
    public func fetch(_ request: HTTPRequest) async throws(StatementError) -> (head: HTTPResponse, body: [UInt8]) {
        let intake = Intake(name, try ScratchFile(), limit, progress)
        let head: HTTPResponse
        do throws(TransportFailure) {
            // One byte beyond the limit, to distinguish a body that is too long from one that ends early.
            head = try await transport.receive(request, atMost: limit + 1, deadline: StatementDownload.deadline) {
                intake.take($0)
            }
        } catch {
            if let failure = intake.failure { throw failure }
            switch error {
            case .notSent(let reason), .unknown(let reason):
                throw StatementError("\(name) did not come: \(reason)", remedy: .askAgain)
            }
        }
        return (head, try intake.file.contents())
    }
}

/// The part of a report received so far.
private final class Intake: Sendable {
    private struct State {
        var bytes = 0
        var failure: StatementError?
    }

    let file: ScratchFile
    private let name: String
    private let limit: Int
    private let progress: FetchProgress?
    private let state = Mutex(State())

    init(_ name: String, _ file: ScratchFile, _ limit: Int, _ progress: FetchProgress?) {
        (self.name, self.file, self.limit, self.progress) = (name, file, limit, progress)
    }

    /// The reason for which the download was aborted locally; `nil` if it was not.
    var failure: StatementError? { state.withLock { $0.failure } }

    /// Writes the next chunk. Returns `false` once no more is accepted.
    func take(_ piece: [UInt8]) -> Bool {
        let count = state.withLock { state -> Int? in
            do throws(StatementError) {
                guard state.bytes + piece.count <= limit else {
                    throw StatementError("\(name) has more than \(limit) bytes", remedy: .split)
                }
                try file.append(piece)
                state.bytes += piece.count
                return state.bytes
            } catch {
                state.failure = error
                return nil
            }
        }
        if let count { progress?(name, count) }
        return count != nil
    }
}
