import NIOCore
public import TillCore
import TillReceipts

/// An ESC/POS printer that accepts raw bytes: over TCP, port 9100 by default, or through a device file.
///
/// Its state is queried before the first byte of the receipt, so that no receipt is sent to a printer without paper,
/// and afterwards. No answer is `unknown`: some printers and print servers never send one. On a printer known to
/// support automatic status, it is enabled during printing only.
public struct RawPrinter: Sendable {
    /// The time limit for an answer about the state.
    public static let statusDeadline = Span.milliseconds(800)
    /// The time limit for writing a query. Longer than the limit for its answer: on a busy machine the bytes themselves
    /// are late, and a line closed for that reason is indistinguishable from one that the printer closed.
    static let questionDeadline = Span.seconds(5)
    /// The number of connection attempts, before anything of the receipt is sent.
    public static let connectTries = 3
    /// The time limit for the printer to accept all bytes.
    public static let writeDeadline = Span.seconds(30)

    /// The number of bytes sent between two checks for automatic status.
    static let piece = 4_096

    private let address: PrinterAddress
    private let reportsState: Bool
    private let writeDeadline: Span

    /// Creates a printer at an address of ``PrinterAddress/socket(host:port:)`` or ``PrinterAddress/device(_:)``.
    /// - Parameter reportsState: `true` if it supports `GS a`.
    public init(
        _ address: PrinterAddress, reportsState: Bool = false, writeDeadline: Span = RawPrinter.writeDeadline
    ) {
        self.address = address
        self.reportsState = reportsState
        self.writeDeadline = writeDeadline
    }

    /// Returns the printer's state, from one status query.
    public func state() async throws(IPPError) -> PrinterState {
        let (line, state) = try await open()
        await line.close()
        return state
    }

    /// Sends bytes over one connection, never a second time.
    /// - Parameter listener: notified before the first byte is sent.
    /// - Throws: ``IPPError`` if not a single byte of them was sent.
    public func send(_ bytes: [UInt8], listener: PrintListener = { _ in }) async throws(IPPError) -> PrintOutcome {
        let (line, before) = try await open()
        do throws(IPPError) {
            guard !before.needsHelp else { throw .needsHelp(before.sentence) }
            try await tell(listener, .sending)
        } catch {
            await line.close()
            throw error
        }
        let whole =
            reportsState
            ? ESCPOSCommand.automaticStatus(true) + bytes + ESCPOSCommand.automaticStatus(false) : bytes
        guard await write(whole, to: line, listener) else {
            let reported = await line.received().reported
            await line.close()
            return .mayHavePrinted(
                reported.flatMap { $0.needsHelp ? $0.sentence : nil }
                    ?? "The printer did not take all of it: the connection broke, or it stopped.")
        }
        let after = await line.state()
        await line.close()
        if reportsState, case .said(let state) = after { await report(.state(state), to: listener) }
        switch after {
        case .talk: return .failed("what answers at this address is no receipt printer.")
        case .said(let state) where state.needsHelp: return .mayHavePrinted(state.sentence)
        case .said(let state): return .handedOver(state)
        case .closed: return .handedOver(PrinterState(.unknown))
        }
    }

    /// Writes all bytes and reports automatic status on the way.
    private func write(_ bytes: [UInt8], to line: any RawLine, _ listener: PrintListener) async -> Bool {
        guard reportsState else { return await line.write(bytes, deadline: writeDeadline) }
        let end = ContinuousClock.now + writeDeadline.duration
        var rest = bytes[...]
        var last: PrinterState?
        while !rest.isEmpty {
            let left = Span.milliseconds(Int64((end - ContinuousClock.now) / .milliseconds(1)))
            guard left.milliseconds > 0, await line.write(Array(rest.prefix(RawPrinter.piece)), deadline: left) else {
                return false
            }
            rest = rest.dropFirst(RawPrinter.piece)
            if let reported = await line.received().reported, reported != last {
                last = reported
                await report(.state(reported), to: listener)
            }
        }
        return true
    }

    /// Opens a connection and queries the state. A connection that the printer closes at once is opened again.
    private func open() async throws(IPPError) -> (any RawLine, PrinterState) {
        var tries = 0
        while true {
            let line = try await connect()
            switch await line.state(reportsState: reportsState) {
            case .said(let state): return (line, state)
            case .talk:
                await line.close()
                throw .notAPrinter("what answers there talks like another kind of server")
            case .closed:
                await line.close()
                tries += 1
                guard tries < RawPrinter.connectTries, await SystemClock().pause(for: .milliseconds(200 * Int64(tries)))
                else { throw .unreachable("it closes the connection", mayHaveArrived: false) }
            }
        }
    }

    private func connect() async throws(IPPError) -> any RawLine {
        switch address {
        case .ipp: throw .unreachable("this is an IPP printer", mayHaveArrived: false)
        case .device(let path): return try DeviceLine.open(path)
        case .socket(let host, let port): return try await SocketLine.open(host: host, port: port)
        }
    }
}

/// An open connection to a printer that accepts raw bytes.
protocol RawLine: Sendable {
    /// Writes all bytes; `false` if the printer did not accept them, or not in time.
    func write(_ bytes: [UInt8], deadline: Span) async -> Bool
    /// Returns the answers received since the last call.
    func received() async -> RawLineAnswers
    /// Discards received answers.
    func forget() async
    func close() async
}

struct RawLineAnswers: Sendable {
    var next: UInt8?
    /// The last automatic status.
    var reported: PrinterState?
    var isTalk = false
    var isClosed = false
}

/// The result of a status query.
enum RawLineState: Sendable {
    /// The reported state; `unknown` if there was no answer.
    case said(PrinterState)
    /// The other side is not a printer.
    case talk
    /// The other side closed the connection.
    case closed
}

extension RawLine {
    /// Sends all status queries; stops at the first one without an answer.
    /// - Parameter reportsState: `true` to enable automatic status on a silent printer, which makes it report at once.
    func state(reportsState: Bool = false) async -> RawLineState {
        var answers: [ESCPOSStatus] = []
        for question in ESCPOSStatus.questions {
            if !answers.isEmpty { await forget() }
            guard await write(question.bytes, deadline: RawPrinter.questionDeadline) else {
                // A web server responds to unexpected data and hangs up before it can be queried.
                return await received().isTalk ? .talk : .closed
            }
            let received = await answer()
            if received.isTalk { return .talk }
            if received.isClosed, received.next == nil { return .closed }
            guard let byte = received.next else { break }
            guard let status = ESCPOSStatus(question, byte) else { return .said(PrinterState(.unknown)) }
            answers.append(status)
        }
        guard answers.isEmpty else { return .said(ESCPOSStatus.state(answers)) }
        return .said(await reportedState(asking: reportsState) ?? PrinterState(.unknown))
    }

    /// Returns the automatic status.
    /// - Parameter isAsked: `true` to enable it for this query and disable it afterwards.
    private func reportedState(asking isAsked: Bool) async -> PrinterState? {
        let before = await received().reported
        guard isAsked, await write(ESCPOSCommand.automaticStatus(true), deadline: RawPrinter.questionDeadline) else {
            return before
        }
        let end = ContinuousClock.now + RawPrinter.statusDeadline.duration
        var reported = before
        while reported == nil, ContinuousClock.now < end, await SystemClock().pause(for: .milliseconds(5)) {
            reported = await received().reported
        }
        _ = await write(ESCPOSCommand.automaticStatus(false), deadline: RawPrinter.questionDeadline)
        return reported
    }

    private func answer() async -> RawLineAnswers {
        let end = ContinuousClock.now + RawPrinter.statusDeadline.duration
        while ContinuousClock.now < end {
            let received = await received()
            if received.next != nil || received.isTalk || received.isClosed { return received }
            guard await SystemClock().pause(for: .milliseconds(5)) else { break }
        }
        return await received()
    }
}
