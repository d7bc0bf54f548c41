public import TillCore
public import TillJournal
public import TillPrinting
public import TillReceipts

/// Puts the receipts of a journal's payments on paper: written down first, printed then, never twice by itself.
/// A printer that fails changes no payment; its receipt waits.
public struct ReceiptDesk: Sendable {
    private let journal: SQLiteJournal
    private let clock: any TillClock
    /// The receipt of a payment, for a copy.
    private let content: @Sendable (Payment, ReceiptCopy) -> ReceiptContent

    /// A desk.
    public init(
        journal: SQLiteJournal, clock: any TillClock = SystemClock(),
        content: @escaping @Sendable (Payment, ReceiptCopy) -> ReceiptContent
    ) {
        self.journal = journal
        self.clock = clock
        self.content = content
    }

    /// The printer of a name or an address.
    public func printer(_ text: String) async throws -> ReceiptPrinter {
        if let known = try await journal.printers().first(where: { $0.name == text }) {
            return ReceiptPrinter(
                try PrinterAddress(parsing: known.address), profile: ESCPOSProfile.named(known.profile) ?? .wide,
                pin: known.certificate.map { PrinterConnection.Pin(certificate: $0) }, clock: clock)
        }
        return ReceiptPrinter(try PrinterAddress(parsing: text), clock: clock)
    }

    /// Writes a receipt down and prints it. It says that it is a reprint if this copy is or may be on paper already.
    /// - Returns: how it stands in the end. Nothing is thrown for what a printer does.
    public func print(
        _ payment: Payment, on name: String, copy: ReceiptCopy = .customer, copies: Int = 1,
        progress: @escaping @Sendable (PrintProgress) -> Void = { _ in }
    ) async throws -> PrintJob {
        _ = try await printer(name)
        let earlier = try await journal.printJobs(of: payment.id)
        let isReprint = earlier.contains {
            $0.copy == copy.rawValue && [.printed, .sent, .mayHavePrinted, .sending].contains($0.state)
        }
        let now = clock.now()
        let id = PaymentID.make(at: now, random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        let job = PrintJob(
            id: "print_" + id.rawValue.dropFirst(4), payment: payment.id, printer: name, copy: copy.rawValue,
            copies: min(max(1, copies), 10), isReprint: isReprint, at: now)
        try await journal.add(job)
        return try await run(job, payment, progress)
    }

    /// Prints what waits, and finds out about what was being sent when a process died.
    public func printWaiting() async throws -> [PrintJob] {
        var done: [PrintJob] = []
        for var job in try await journal.takeOverPrinting() {
            var outcome = PrintOutcome.mayHavePrinted("Till stopped while it was sent.")
            if let number = job.number, let printer = try? await printer(job.printer),
                let found = try? await printer.follow(job: number)
            {
                outcome = found
            }
            try await end(&job, outcome)
            done.append(job)
        }
        for job in try await journal.printJobs(of: nil) where job.state == .waiting {
            guard let payment = try await journal.payment(job.payment) else { continue }
            done.append(try await run(job, payment) { _ in })
        }
        return done
    }

    private func run(
        _ waiting: PrintJob, _ payment: Payment, _ progress: @escaping @Sendable (PrintProgress) -> Void
    ) async throws -> PrintJob {
        var job = waiting
        guard try await journal.beginPrinting(job.id) else { return job }
        var receipt = content(payment, ReceiptCopy(rawValue: job.copy) ?? .customer)
        receipt.isReprint = job.isReprint
        let (journal, id) = (journal, job.id)
        do {
            let printer = try await printer(job.printer)
            let outcome = try await printer.print(
                ReceiptDocument(receipt), name: "Receipt \(receipt.orderNumber.plain)", copies: job.copies
            ) { step in
                if case .accepted(let number) = step { try? await journal.notePrinterNumber(number, of: id) }
                progress(step)
            }
            try await end(&job, outcome)
        } catch let error as any ExplainedError {
            // Thrown means: not one byte of it went to paper.
            try await journal.endPrinting(job.id, as: .waiting, note: "\(error.what) \(error.next)")
            job.state = .waiting
            job.note = "\(error.what) \(error.next)"
        }
        return job
    }

    private func end(_ job: inout PrintJob, _ outcome: PrintOutcome) async throws {
        job.state =
            switch outcome {
            case .printed: .printed
            case .handedOver: .sent
            case .failed: .failed
            case .mayHavePrinted: .mayHavePrinted
            }
        job.note = outcome.sentence
        try await journal.endPrinting(job.id, as: job.state, note: job.note)
    }
}
