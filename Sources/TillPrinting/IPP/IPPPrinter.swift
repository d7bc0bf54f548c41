public import TillCanvas
public import TillCore
public import TillReceipts

/// A printer that speaks IPP: the document in the form it likes best, at the exact length, followed until the printer
/// says that it is done.
public struct IPPPrinter: Sendable {
    /// Its operations.
    public let client: IPPClient
    private let canvas: Canvas
    private let clock: any TillClock

    /// A printer.
    public init(client: IPPClient, canvas: Canvas, clock: any TillClock = SystemClock()) {
        self.client = client
        self.canvas = canvas
        self.clock = clock
    }

    /// How it stands now.
    public func state() async throws(IPPError) -> PrinterState {
        PrinterState(
            try await client.printerAttributes([
                "printer-state", "printer-state-reasons", "printer-state-message",
            ]))
    }

    /// Prints a receipt and follows it.
    /// - Parameters:
    ///   - name: what the printer's list calls it.
    ///   - deadline: how long busy printers are asked again and the job is followed. After it the outcome is
    ///     ``PrintOutcome/mayHavePrinted(_:)``: the job stays with the printer.
    ///   - progress: told of everything on the way. `accepted` comes before the document is sent where the printer
    ///     allows it, and must be durable when it returns.
    /// - Throws: ``IPPError`` if nothing was printed and nothing will be.
    public func print(
        _ document: ReceiptDocument, name: String, copies: Int = 1, deadline: Span,
        progress: @Sendable (PrintProgress) async -> Void = { _ in }
    ) async throws(IPPError) -> PrintOutcome {
        let end = clock.now().adding(deadline)
        let abilities = PrinterCapabilities(try await client.printerAttributes())
        let (job, bytes) = try prepare(document, abilities, name: name, copies: copies)
        try await patiently(until: end, progress) { () async throws(IPPError) in try await client.validate(job) }
        let id: Int
        if abilities.createsJobs {
            id = try await patiently(until: end, progress) { () async throws(IPPError) in try await client.create(job) }
            await progress(.accepted(job: id))
            do {
                try await client.send(bytes, format: job.format, to: id)
            } catch {
                guard case .unreachable(_, let mayHaveArrived) = error, mayHaveArrived else {
                    try? await client.cancel(id)
                    throw error
                }
                return await follow(id, until: end, progress)
            }
        } else {
            do {
                id = try await patiently(until: end, progress) { () async throws(IPPError) in
                    try await client.print(job, document: bytes)
                }
            } catch {
                guard case .unreachable(let why, let mayHaveArrived) = error, mayHaveArrived else { throw error }
                return .mayHavePrinted("The printer's answer is missing (\(why)).")
            }
            await progress(.accepted(job: id))
        }
        return await follow(id, until: end, progress)
    }

    /// Follows a job to its end.
    public func follow(
        _ job: Int, until end: Timestamp, _ progress: @Sendable (PrintProgress) async -> Void = { _ in }
    ) async -> PrintOutcome {
        var last: PrinterState?
        var pause = Span.milliseconds(100)
        var silence = ""
        while clock.now() < end, !Task.isCancelled {
            do {
                let attributes = try await client.jobAttributes(job)
                let reasons = attributes.strings("job-state-reasons").filter { $0 != "none" }.joined(separator: ", ")
                let words = attributes.strings("job-state-message").first ?? ""
                let why = [words, reasons].filter { !$0.isEmpty }.joined(separator: " — ")
                switch attributes.int("job-state") {
                case 9: return .printed
                case 7: return .failed("It was called off at the printer\(why.isEmpty ? "." : ": \(why).")")
                case 8: return .failed("The printer gave up\(why.isEmpty ? "." : ": \(why).")")
                default: break
                }
                silence = ""
                let state = try await state()
                if state != last {
                    last = state
                    await progress(.state(state))
                }
            } catch {
                // A printer forgets jobs that are done.
                if case .refused(0x0406, _) = error {
                    return .mayHavePrinted("The printer does not know the job any more.")
                }
                silence = error.what
            }
            do { try await clock.sleep(for: pause) } catch { break }
            pause = min(.seconds(2), Span.milliseconds(pause.milliseconds * 3 / 2))
        }
        let why = silence.isEmpty ? last.map { $0.sentence } ?? "It is not done yet." : silence
        return .mayHavePrinted("The printer has it and has not finished. \(why)")
    }

    private func prepare(
        _ document: ReceiptDocument, _ abilities: PrinterCapabilities, name: String, copies: Int
    ) throws(IPPError) -> (IPPJob, [UInt8]) {
        guard let format = abilities.format else { throw .noFormat(abilities.formats) }
        let paper = abilities.paper
        var job = IPPJob(name: name, format: format)
        job.copies = min(max(1, copies), 10)
        job.trims = abilities.trims && paper.height == nil
        do throws(CanvasError) {
            let height = try canvas.height(document, paper: paper)
            guard let allowed = abilities.height(height, width: paper.width) else {
                throw .tooLarge
            }
            job.media = (paper.width, allowed)
            if format == "application/pdf" { return (job, try canvas.pdf(document, paper: paper)) }
            let picture = try canvas.gray(document, paper: paper, dotsPerInch: abilities.dotsPerInch)
            guard
                let page = PWGRaster.page(
                    width: picture.width, height: picture.height, rows: picture.rows,
                    dotsPerInch: abilities.dotsPerInch, isBlack: !abilities.takesGray)
            else { throw .tooLarge }
            return (job, page)
        } catch { throw .noMedia(error.what) }
    }

    /// Asks a busy printer again, with longer and longer pauses.
    private func patiently<Value: Sendable>(
        until end: Timestamp, _ progress: @Sendable (PrintProgress) async -> Void,
        _ body: () async throws(IPPError) -> Value
    ) async throws(IPPError) -> Value {
        var pause = Span.milliseconds(200)
        while true {
            do {
                return try await body()
            } catch {
                guard error.isBusy, clock.now().adding(pause) < end, !Task.isCancelled else { throw error }
                await progress(.waiting(error.what))
            }
            try? await clock.sleep(for: pause)
            pause = min(.seconds(3), Span.milliseconds(pause.milliseconds * 2))
        }
    }
}
