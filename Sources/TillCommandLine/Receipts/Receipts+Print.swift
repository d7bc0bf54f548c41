import ArgumentParser
import TillCheckout
import TillCore
import TillCounter
import TillFeatureDay
import TillJournal
import TillPrinting
import TillReceipts

extension Receipts {
    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "print",
            abstract: "Prints the receipt of a payment, or with --waiting all that wait.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var store: StoreOptions
        @OptionGroup var copy: CopyOption
        @Option(name: .long, help: ArgumentHelp("The receipt of one refund, by its id.", valueName: "id"))
        var refund: String?
        @Argument(help: "The payment.") var payment: String?
        @Option(name: .long, help: "ipp://…, ipps://…, socket://HOST:9100, /dev/usb/lp0 or a printer's name.")
        var printer: String?
        @Option(name: .long, help: "58, 80, A4 or Letter, if it is not what the printer has.") var width: String?
        @Option(name: .long, help: "How many, 1 to 10.") var copies = 1
        @Option(
            name: .long,
            help: "How many seconds it is followed, 1 to 3600; what the printer has not begun by then is canceled.")
        var deadline: Int64 = 60
        @Flag(name: .long, help: "Print what waits, and find out about what was being sent.") var waiting = false

        func run() async throws {
            try await withCounter(common, provider, store.given) { counter in
                guard (1...3_600).contains(deadline) else {
                    throw CommandError(
                        code: "invalid_deadline", what: "--deadline is \(deadline).", next: "Use 1 to 3600 seconds.")
                }
                let receipts = counter.options.receipts
                let book = DayBook(
                    counter.journal, clock: counter.clock, differenceLimit: counter.options.dayDifferenceLimit,
                    zone: receipts.store.timeZone)
                let printing = receipts.printing(counter.journal, counter.clock) { Output.note("Note: \($0)") }
                    .with(DayPaper(receipts, mode: counter.mode).reports(of: book))
                let jobs: [PrintJob]
                if waiting {
                    jobs = try await printing.printWaiting()
                } else {
                    guard let payment, let printer else {
                        throw CommandError(
                            code: "nothing_to_print", what: "A payment and --printer are needed.",
                            next: "Give both, or --waiting.")
                    }
                    let found = try await counter.checkout.payment(
                        PaymentID(rawValue: payment), account: counter.options.account)
                    jobs = [try await print(found, printer, printing)]
                }
                Output.line(common.json ? Receipts.list(jobs).text : Receipts.lines(jobs))
                if jobs.contains(where: { ![.printed, .sent].contains($0.state) }) { throw ExitCode(1) }
            }
        }

        /// Prints a receipt and reports progress.
        private func print(_ payment: Payment, _ printer: String, _ printing: ReceiptService) async throws -> PrintJob {
            let isQuiet = common.json
            return try await printing.print(
                payment, on: printer, copy: copy.copy, refund: refund.map { RefundID(rawValue: $0) }, copies: copies,
                width: width, deadline: .seconds(deadline)
            ) { step in
                if !isQuiet, let words = step.words { Output.note(words) }
            }
        }
    }

    struct Queue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "queue",
            abstract: "Lists receipts that wait or failed in the last two days, or all prints of one payment.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String?

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let prints = PrintJobs(counter.journal)
                var jobs = try await prints.jobs(of: payment.map { PaymentID(rawValue: $0) })
                // What is retried for a day and then fails is seen for another.
                if payment == nil { jobs += try await prints.failed(since: counter.clock.now().adding(.days(-2))) }
                Output.line(common.json ? Receipts.list(jobs).text : Receipts.lines(jobs))
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Cancels a receipt that waits for its printer.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The print, as the queue lists it: print_….") var print: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let printing = counter.options.receipts.printing(counter.journal, counter.clock)
                guard let job = try await printing.cancel(print) else {
                    throw CommandError(
                        code: "unknown_print", what: "There is no print \(print).",
                        next: "See till receipts queue, or till receipts queue PAYMENT.")
                }
                Output.line(common.json ? Receipts.list([job]).text : Receipts.lines([job]))
                if job.state != .canceled { throw ExitCode(1) }
            }
        }
    }

    static func list(_ jobs: [PrintJob]) -> JSONValue {
        let all = jobs.map { job -> JSONValue in
            .object([
                JSONMember(key: "id", value: .string(job.id)),
                JSONMember(key: "payment_id", value: job.report == nil ? .string(job.payment.rawValue) : .null),
                JSONMember(key: "drawer", value: job.report.map { .string($0.drawer.rawValue) } ?? .null),
                JSONMember(key: "report", value: job.report.map { .number("\($0.number)") } ?? .null),
                JSONMember(key: "printer", value: .string(job.printer)),
                JSONMember(key: "copy", value: .string(job.copy)),
                JSONMember(key: "refund", value: job.refund.map { .string($0.rawValue) } ?? .null),
                JSONMember(key: "width", value: job.width.map { .string($0) } ?? .null),
                JSONMember(key: "reprint", value: .bool(job.isReprint)),
                JSONMember(key: "state", value: .string(job.state.rawValue)),
                JSONMember(key: "tries", value: .number("\(job.tries)")),
                JSONMember(key: "message", value: .string(job.note)),
                JSONMember(key: "reason", value: job.reason.map { .string($0) } ?? .null),
            ])
        }
        return .object([JSONMember(key: "prints", value: .array(all))])
    }

    static func lines(_ jobs: [PrintJob]) -> String {
        if jobs.isEmpty { return "No receipts wait." }
        return jobs.map { job in
            let state = job.state.rawValue.replacing("_", with: " ")
            let what = job.report.map { "Z \($0.number), drawer \($0.drawer)" } ?? job.payment.rawValue
            let first = "\(what)  \(job.printer)  \(state)\n  \(job.id)"
            return job.note.isEmpty ? first : first + "\n" + Output.wrapped("  " + job.note, to: 80)
        }.joined(separator: "\n")
    }
}
