public import TillCanvas
public import TillCore
public import TillReceipts

/// A printer that speaks IPP: the document in its preferred format, at the exact length, followed until the printer
/// reports that it is done.
public struct IPPPrinter: Sendable {
    /// Sends the printer's operations, one request each.
    public let client: IPPClient
    private let canvas: Canvas
    private let clock: any TillClock

    public init(client: IPPClient, canvas: Canvas, clock: any TillClock = SystemClock()) {
        self.client = client
        self.canvas = canvas
        self.clock = clock
    }

    /// Returns the printer's current state.
    public func state() async throws(IPPError) -> PrinterState {
        try await PrinterFollower(client: client, clock: clock).state()
    }

    /// Prints a receipt and follows it.
    /// - Parameters:
    ///   - name: the job's name in the printer's list; if unique there, it identifies the job again after a lost
    ///     answer.
    ///   - paper: the paper to print on; `nil`: the printer's own.
    ///   - deadline: the time for retrying a busy printer and following the job. After it, a job that the printer has
    ///     not started is canceled; a started one stays with the printer, and may print.
    ///   - listener: notified of each step.
    /// - Throws: ``IPPError`` if nothing was printed and nothing will be.
    public func print(
        _ document: ReceiptDocument, name: String, copies: Int = 1, on paper: Paper? = nil, deadline: Span,
        listener: PrintListener
    ) async throws(IPPError) -> PrintOutcome {
        let end = clock.now().adding(deadline)
        let abilities = PrinterCapabilities(try await client.printerAttributes())
        let (job, bytes) = try ReceiptPage.make(document, abilities, canvas, name: name, copies: copies, on: paper)
        try await patiently(until: end, listener) { () async throws(IPPError) in try await client.validate(job) }
        return abilities.createsJobs
            ? try await inTwoSteps(job, bytes, end, listener) : try await inOneStep(job, bytes, end, listener)
    }

    /// Create-Job, then Send-Document: the number is known before anything can print.
    private func inTwoSteps(
        _ job: IPPJob, _ bytes: [UInt8], _ end: Timestamp, _ listener: PrintListener
    ) async throws(IPPError) -> PrintOutcome {
        let follower = PrinterFollower(client: client, clock: clock)
        let id: Int
        do {
            id = try await patiently(until: end, listener) { () async throws(IPPError) in try await client.create(job) }
        } catch {
            // A job with a lost number blocks the printer, and prints nothing.
            if error.mayHaveArrived { await follower.discard(named: job.name) }
            guard case .unreachable(let why, _) = error else { throw error }
            throw .unreachable(why, mayHaveArrived: false)
        }
        do {
            try await tell(listener, .accepted(job: id))
            try await tell(listener, .sending)
        } catch {
            await follower.callOff(id)
            throw error
        }
        do {
            try await client.send(bytes, format: job.format, to: id)
        } catch {
            guard error.mayHaveArrived else {
                await follower.callOff(id)
                throw error
            }
        }
        return try await follower.follow(id, named: job.name, until: end, listener)
    }

    private func inOneStep(
        _ job: IPPJob, _ bytes: [UInt8], _ end: Timestamp, _ listener: PrintListener
    ) async throws(IPPError) -> PrintOutcome {
        let follower = PrinterFollower(client: client, clock: clock)
        try await tell(listener, .sending)
        let id: Int
        do {
            id = try await patiently(until: end, listener) { () async throws(IPPError) in
                try await client.print(job, document: bytes)
            }
        } catch {
            guard error.mayHaveArrived else { throw error }
            let missing = PrintOutcome.mayHavePrinted("The printer's answer is missing. \(error.what)")
            do throws(IPPError) {
                guard let found = try await follower.find(named: job.name) else { return missing }
                id = found
            } catch { return missing }
        }
        await report(.accepted(job: id), to: listener)
        return try await follower.follow(id, named: job.name, until: end, listener)
    }

    /// Retries while the printer is busy, with increasing pauses.
    private func patiently<Value: Sendable>(
        until end: Timestamp, _ listener: PrintListener, _ body: () async throws(IPPError) -> Value
    ) async throws(IPPError) -> Value {
        var pause = Span.milliseconds(200)
        while true {
            do {
                return try await body()
            } catch {
                guard error.isBusy, clock.now().adding(pause) < end, !Task.isCancelled else { throw error }
                await report(.waiting(error.what), to: listener)
                guard await clock.pause(for: pause) else { throw error }
            }
            pause = min(.seconds(3), Span.milliseconds(pause.milliseconds * 2))
        }
    }
}
