import NIOCore
public import TillCore
import TillReceipts

/// An ESC/POS printer that takes bytes: over TCP, port 9100 by default, or through a device file.
///
/// It is asked how it stands before a byte of the receipt is sent, so that a receipt does not go into a printer
/// without paper, and after. No answer is `unknown`: some printers and print servers never give one. One that is known
/// to report its state by itself is asked to while it prints, and not to any more then.
public struct RawPrinter: Sendable {
    /// How long an answer about the state is waited for.
    public static let statusDeadline = Span.milliseconds(800)
    /// How long the printer may take to take a question. Longer than an answer is waited for: on a busy machine the
    /// bytes themselves are late, and a line that is closed for that looks like one that the printer has closed.
    static let questionDeadline = Span.seconds(5)
    /// How often a connection is tried, before anything of the receipt is sent.
    public static let connectTries = 3
    /// How long the printer may take to take all bytes.
    public static let writeDeadline = Span.seconds(30)

    /// Bytes between two queries of what the printer reports by itself.
    static let piece = 4_096

    private let address: PrinterAddress
    private let reportsState: Bool
    private let writeDeadline: Span

    /// A printer at an address of ``PrinterAddress/socket(host:port:)`` or ``PrinterAddress/device(_:)``.
    /// - Parameter reportsState: it knows `GS a`.
    public init(
        _ address: PrinterAddress, reportsState: Bool = false, writeDeadline: Span = RawPrinter.writeDeadline
    ) {
        self.address = address
        self.reportsState = reportsState
        self.writeDeadline = writeDeadline
    }

    /// Its state, from one status query.
    public func state() async throws(IPPError) -> PrinterState {
        let (line, state) = try await open()
        await line.close()
        return state
    }

    /// Sends bytes over one connection, never a second time.
    /// - Parameter listener: notified before the first byte is sent.
    /// - Throws: ``IPPError`` if not one byte of them was sent.
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
            let reported = await line.heard().reported
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

    /// Writes all, and passes on what the printer reports on the way.
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
            if let reported = await line.heard().reported, reported != last {
                last = reported
                await report(.state(reported), to: listener)
            }
        }
        return true
    }

    /// A connection, and how the printer stands. One that the printer closes at once is opened again.
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

/// One open way to a printer that takes bytes.
protocol RawLine: Sendable {
    /// Writes all; `false` if the printer did not take them, or not in time.
    func write(_ bytes: [UInt8], deadline: Span) async -> Bool
    /// What has come back since it was asked last.
    func heard() async -> RawLineAnswers
    /// Makes it forget what came.
    func forget() async
    func close() async
}

struct RawLineAnswers: Sendable {
    var next: UInt8?
    /// The last status that it sent unasked.
    var reported: PrinterState?
    var isTalk = false
    var isClosed = false
}

/// What asking for the state came to.
enum RawLineState: Sendable {
    /// What the printer said; `unknown` if it kept silent.
    case said(PrinterState)
    /// It is no printer.
    case talk
    /// The other side closed the connection.
    case closed
}

extension RawLine {
    /// Asks all that is known to be asked; stops at the first question without an answer.
    /// - Parameter reportsState: a printer that keeps silent is asked to report by itself, which it does at once.
    func state(reportsState: Bool = false) async -> RawLineState {
        var answers: [ESCPOSStatus] = []
        for question in ESCPOSStatus.questions {
            if !answers.isEmpty { await forget() }
            guard await write(question.bytes, deadline: RawPrinter.questionDeadline) else {
                // A web server says what it thinks of a receipt and hangs up before it can be asked.
                return await heard().isTalk ? .talk : .closed
            }
            let heard = await answer()
            if heard.isTalk { return .talk }
            if heard.isClosed, heard.next == nil { return .closed }
            guard let byte = heard.next else { break }
            guard let status = ESCPOSStatus(question, byte) else { return .said(PrinterState(.unknown)) }
            answers.append(status)
        }
        guard answers.isEmpty else { return .said(ESCPOSStatus.state(answers)) }
        return .said(await reportedState(asking: reportsState) ?? PrinterState(.unknown))
    }

    /// What the printer reports by itself.
    /// - Parameter isAsked: it is asked to, and then not to any more.
    private func reportedState(asking isAsked: Bool) async -> PrinterState? {
        let before = await heard().reported
        guard isAsked, await write(ESCPOSCommand.automaticStatus(true), deadline: RawPrinter.questionDeadline) else {
            return before
        }
        let end = ContinuousClock.now + RawPrinter.statusDeadline.duration
        var reported = before
        while reported == nil, ContinuousClock.now < end, await SystemClock().pause(for: .milliseconds(5)) {
            reported = await heard().reported
        }
        _ = await write(ESCPOSCommand.automaticStatus(false), deadline: RawPrinter.questionDeadline)
        return reported
    }

    private func answer() async -> RawLineAnswers {
        let end = ContinuousClock.now + RawPrinter.statusDeadline.duration
        while ContinuousClock.now < end {
            let heard = await heard()
            if heard.next != nil || heard.isTalk || heard.isClosed { return heard }
            guard await SystemClock().pause(for: .milliseconds(5)) else { break }
        }
        return await heard()
    }
}
