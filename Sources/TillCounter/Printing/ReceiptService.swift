import TillCanvas
public import TillCore
public import TillJournal
public import TillPrinting
public import TillReceipts

/// Prints the receipts of a journal's payments, and the reports of its days: recorded first, then printed, never twice
/// automatically. A printer failure never affects its payment; the receipt is queued and retried for ``patience``, or
/// fails at once if no retry can print it.
public struct ReceiptService: Sendable {
    /// The time for which a receipt is retried before it fails.
    public static let patience = Span.hours(24)
    /// The first and the longest pause between retries.
    static let pauses = (first: Span.seconds(5), longest: Span.minutes(5))
    /// The time for which a printer is polled about a dead process's job before the job, if not begun, is canceled.
    static let recoveryTime = Span.seconds(4)

    private let journal: any Journal
    private let jobs: PrintJobs
    private let clock: any TillClock
    private let printers: PrinterRegistry
    /// Returns the receipt of a payment or of one refund, for a copy, verified to add up.
    public typealias Content = @Sendable (Payment, ReceiptCopy, RefundID?) throws -> ReceiptContent
    private let content: Content
    /// Returns a closed report of an account as it is printed, marked as a reprint if it is one.
    package typealias Reports =
        @Sendable (_ account: AccountID, _ report: PrintJob.Report, _ isReprint: Bool) async throws -> ReceiptDocument
    private var reports: Reports?

    public init(
        journal: any Journal & RecordStore, clock: any TillClock = SystemClock(), content: @escaping Content
    ) {
        self.journal = journal
        jobs = PrintJobs(journal)
        self.clock = clock
        self.content = content
        printers = PrinterRegistry(journal, clock: clock)
    }

    /// Returns a service that prints reports, too. Without them they wait for a process that has them.
    package func with(_ reports: @escaping Reports) -> ReceiptService {
        var service = self
        service.reports = reports
        return service
    }

    /// Records a receipt and prints it. It is marked as a reprint if this copy is or may be on paper already.
    /// - Parameters:
    ///   - refund: The refund for a refund receipt; `nil` for the receipt of the whole payment.
    ///   - width: The paper: `58`, `80`, `A4` or `Letter`; `nil` for the printer's own.
    ///   - deadline: The time for which the job is followed; a printer that has not begun by then is asked to cancel
    ///     it.
    /// - Returns: The final state. Printer failures are not thrown.
    public func print(
        _ payment: Payment, on name: String, copy: ReceiptCopy = .customer, refund: RefundID? = nil, copies: Int = 1,
        width: String? = nil, deadline: Span = ReceiptPrinter.defaultDeadline,
        progress: @escaping @Sendable (PrintProgress) -> Void = { _ in }
    ) async throws -> PrintJob {
        // Unknown names, addresses and papers, and a receipt that does not add up, are refused before anything is
        // recorded.
        try await check(name, width)
        _ = try content(payment, copy, refund)
        let earlier = try await jobs.jobs(of: payment.id)
        let isReprint = earlier.contains { $0.copy == copy.rawValue && $0.refund == refund && $0.mayBeOnPaper }
        let now = clock.now()
        var job = PrintJob(
            id: ReceiptService.id(at: now), payment: payment.id, printer: name, copy: copy.rawValue,
            copies: min(max(1, copies), 10), isReprint: isReprint, at: now)
        job.account = payment.account
        job.width = width
        job.refund = refund
        try await jobs.add(job)
        return try await run(job, deadline, progress) { [job] in try receipt(of: payment, job) }
    }

    /// Records a closed report and prints it. It is marked as a reprint if it is or may be on paper already.
    /// - Parameter width: The paper: `58`, `80`, `A4` or `Letter`; `nil` for the printer's own.
    /// - Returns: The final state. Printer failures are not thrown.
    package func print(
        _ report: PrintJob.Report, of account: AccountID, on name: String, width: String? = nil
    ) async throws -> PrintJob {
        try await check(name, width)
        let earlier = try await jobs.jobs(of: PrintJob.place(of: report, account))
        let now = clock.now()
        var job = PrintJob(
            id: ReceiptService.id(at: now), report: report, of: account, printer: name,
            isReprint: earlier.contains { $0.mayBeOnPaper }, at: now)
        job.width = width
        try await jobs.add(job)
        return try await again(job, ReceiptPrinter.defaultDeadline) ?? job
    }

    /// Refuses an unknown printer or paper.
    private func check(_ printer: String, _ width: String?) async throws {
        _ = try await printers.place(of: printer)
        guard width == nil || width.flatMap({ Paper.named($0) }) != nil else {
            throw ReceiptFormError.unknownPaper(width ?? "")
        }
    }

    private static func id(at now: Timestamp) -> String {
        let id = PaymentID.make(at: now, random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        return "print_" + id.rawValue.dropFirst(4)
    }

    /// Prints queued jobs, recovers jobs left by dead processes, and queries uncertain ones.
    /// - Parameter isDue: `true` restricts it to jobs due by now.
    /// - Returns: The jobs handled, in their current state.
    public func printWaiting(onlyDue isDue: Bool = false) async throws -> [PrintJob] {
        var done: [PrintJob] = []
        for job in try await jobs.takeOver() {
            let found = try await recover(job)
            if found.state != .waiting { done.append(found) }
        }
        if !isDue { done += try await askAgain() }
        let now = clock.now()
        for job in try await jobs.waiting(dueBy: isDue ? now : nil) {
            guard job.createdAt.adding(ReceiptService.patience) > now else {
                try await expire(job, into: &done)
                continue
            }
            if let tried = try await again(job, ReceiptPrinter.defaultDeadline) { done.append(tried) }
        }
        return done
    }

    /// Cancels a queued job.
    /// - Returns: The current state: a job that is being sent or has ended is unchanged. `nil` if there is none.
    public func cancel(_ id: String) async throws -> PrintJob? {
        _ = try await jobs.endWaiting(id, as: .canceled, note: "It was canceled; nothing was printed.")
        return try await jobs.job(id)
    }

    private func expire(_ waiting: PrintJob, into done: inout [PrintJob]) async throws {
        var job = waiting
        job.state = .failed
        job.note = "No printer took it within 24 hours; nothing was printed. It can be printed again. \(waiting.note)"
        if try await jobs.endWaiting(job.id, as: job.state, note: job.note) { done.append(job) }
    }

    /// Recovers a job left by a process that died while sending.
    private func recover(_ left: PrintJob) async throws -> PrintJob {
        var job = left
        guard job.isBegun else {
            // Nothing of the receipt was sent; the printer may hold an empty job for it.
            if let printer = try? await printers.printer(job.printer) {
                await printer.discard(job: job.number, named: name(of: job))
            }
            job.state = .waiting
            job.note = "Till stopped before anything was sent."
            try await jobs.end(job.id, as: .waiting, note: job.note, nextTryAt: clock.now())
            return job
        }
        do {
            let outcome = try await printers.printer(job.printer).follow(
                job: job.number, named: name(of: job), deadline: ReceiptService.recoveryTime)
            if case .mayHavePrinted(let why) = outcome {
                try await end(&job, .mayHavePrinted("Till stopped while it was sent. \(why)"))
            } else {
                try await end(&job, outcome)
            }
        } catch IPPError.neverBegan {
            job.state = .waiting
            job.note = "Till stopped while it was sent; the printer had not begun, and canceled it."
            try await jobs.end(job.id, as: .waiting, note: job.note, nextTryAt: clock.now())
        } catch let error as any ExplainedError {
            try await end(&job, .mayHavePrinted("Till stopped while it was sent. \(error.what)"))
        }
        return job
    }

    /// Queries uncertain jobs with a printer job number once: they may have ended since.
    private func askAgain() async throws -> [PrintJob] {
        var done: [PrintJob] = []
        for uncertain in try await jobs.uncertain(since: clock.now().adding(.days(-1))) {
            var job = uncertain
            let answer: PrintOutcome?
            do {
                answer = try await printers.printer(job.printer).query(job: job.number, named: name(of: job))
            } catch {
                // An unreachable printer is queried again next time; the job stays uncertain.
                continue
            }
            guard let outcome = answer else { continue }
            switch outcome {
            case .printed, .failed:
                try await end(&job, outcome)
                done.append(job)
            case .handedOver, .mayHavePrinted: continue
            }
        }
        return done
    }

    /// Prints a queued job.
    /// - Returns: `nil` for one that waits on: its payment cannot be read, or this process has no reports.
    private func again(_ job: PrintJob, _ deadline: Span) async throws -> PrintJob? {
        if let report = job.report {
            guard let reports, let account = job.account else { return nil }
            return try await run(job, deadline, { _ in }) { try await reports(account, report, job.isReprint) }
        }
        guard case .success(let payment?) = try await journal.readable(job.payment) else { return nil }
        return try await run(job, deadline, { _ in }) { try receipt(of: payment, job) }
    }

    private func receipt(of payment: Payment, _ job: PrintJob) throws -> ReceiptDocument {
        var receipt = try content(payment, ReceiptCopy(rawValue: job.copy) ?? .customer, job.refund)
        receipt.isReprint = job.isReprint
        return ReceiptDocument(receipt)
    }

    private func run(
        _ waiting: PrintJob, _ deadline: Span, _ progress: @escaping @Sendable (PrintProgress) -> Void,
        _ make: () async throws -> ReceiptDocument
    ) async throws -> PrintJob {
        var job = waiting
        guard try await jobs.begin(job.id) else { return try await jobs.job(job.id) ?? job }
        job.tries += 1
        let (jobs, id) = (jobs, job.id)
        do {
            let document = try await make()
            let outcome = try await printers.printer(job.printer, deadline: deadline).print(
                document, name: name(of: job), copies: job.copies, on: job.width.flatMap { Paper.named($0) }
            ) { step in
                switch step {
                case .accepted(let number): try await jobs.note(number: number, of: id)
                case .sending: try await jobs.noteBegun(id)
                case .waiting, .state: break
                }
                progress(step)
            }
            try await end(&job, outcome)
        } catch let error as any ExplainedError {
            // An error means that not one byte of it went to paper.
            job.state = ReceiptService.isPermanent(error) ? .failed : .waiting
            job.note = words("\(error.what) \(error.next)", of: job)
            job.reason = error.code
            try await jobs.end(
                job.id, as: job.state, note: job.note, reason: job.reason,
                nextTryAt: clock.now().adding(ReceiptService.pause(after: job.tries)))
        }
        return job
    }

    /// Returns `true` for an error that every retry would meet: the receipt has no valid content, or is too long for
    /// its printer. A refund that is not confirmed may be later.
    private static func isPermanent(_ error: any ExplainedError) -> Bool {
        switch error {
        case let error as IPPError: error.isPermanent
        case let error as ReceiptError: if case .refundNotDone = error { false } else { true }
        default: false
        }
    }

    private func end(_ job: inout PrintJob, _ outcome: PrintOutcome) async throws {
        job.state =
            switch outcome {
            case .printed: .printed
            case .handedOver: .sent
            case .failed: .failed
            case .mayHavePrinted: .mayHavePrinted
            }
        job.note = words(outcome.sentence, of: job)
        job.reason = nil
        try await jobs.end(job.id, as: job.state, note: job.note)
    }

    /// Returns the unique job name in the printer's list, which finds a job with a lost number.
    private func name(of job: PrintJob) -> String {
        "\(job.report == nil ? "Receipt" : "Report") \(job.id)\(job.tries > 1 ? " (\(job.tries))" : "")"
    }

    /// Returns words about a receipt as words about what a job prints.
    private func words(_ text: String, of job: PrintJob) -> String {
        guard job.report != nil else { return text }
        return text.replacing("The receipt", with: "The report").replacing("text or HTML", with: "its CSV")
    }

    package static func pause(after tries: Int) -> Span {
        let doubled = pauses.first.milliseconds << Int64(min(max(0, tries - 1), 10))
        return min(pauses.longest, .milliseconds(doubled))
    }
}

extension PrintJob {
    /// `true` if it is or may be on paper.
    fileprivate var mayBeOnPaper: Bool {
        switch state {
        case .printed, .sent, .mayHavePrinted, .sending: true
        case .waiting, .failed, .canceled: false
        }
    }
}
