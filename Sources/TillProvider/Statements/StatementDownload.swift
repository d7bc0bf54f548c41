public import HTTPTypes
import Synchronization
public import TillCore

/// Called while a statement is fetched, with what it is called and how many bytes of it have come.
public typealias FetchProgress = @Sendable (_ name: String, _ bytes: Int) -> Void

/// A report that a provider gives as a file: it goes to the disk as it comes, and is read once it is whole. Whoever is
/// stopped meanwhile leaves nothing behind and has imported nothing of it.
public struct StatementDownload: Sendable {
    /// Bytes of one report: as many as of a file that is given.
    public static let maximumBytes = StatementLimits.maximumBytes
    /// How long one report may take.
    public static let deadline = Span.minutes(10)

    private let transport: any HTTPTransport
    private let name: String
    private let limit: Int
    private let progress: FetchProgress?

    /// - Parameter name: what people call it.
    public init(_ name: String, over transport: any HTTPTransport, progress: FetchProgress?) {
        self.init(name, over: transport, atMost: StatementDownload.maximumBytes, progress: progress)
    }

    init(_ name: String, over transport: any HTTPTransport, atMost limit: Int, progress: FetchProgress?) {
        (self.name, self.transport, self.limit, self.progress) = (name, transport, limit, progress)
    }

    /// Fetches the statement into a file of its own.
    /// - Returns: the head of the answer, and its whole body.
    /// - Throws: ``StatementError`` if it is longer than ``maximumBytes``, does not come, or the disk does not take it.
    public func fetch(_ request: HTTPRequest) async throws(StatementError) -> (head: HTTPResponse, body: [UInt8]) {
        let intake = Intake(name, try ScratchFile(), limit, progress)
        let head: HTTPResponse
        do throws(TransportFailure) {
            // One byte more than is taken, so that one that is too long is distinguished from one that breaks off.
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

/// What has come of a report so far.
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

    /// Why it was ended here; `nil`: it was not.
    var failure: StatementError? { state.withLock { $0.failure } }

    /// Writes the next piece. `false`: no more is taken.
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
