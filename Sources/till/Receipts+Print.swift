import ArgumentParser
import TillCheckout
import TillCore
import TillJournal
import TillPrinting
import TillReceipts
import TillServer

extension Receipts {
    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the receipt of a payment, or with --waiting all that wait.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var store: StoreOptions
        @OptionGroup var copy: CopyOption
        @Argument(help: "The payment.") var payment: String?
        @Option(name: .long, help: "ipp://…, ipps://…, socket://HOST:9100, /dev/usb/lp0 or a printer's name.")
        var printer: String?
        @Option(name: .long, help: "How many, 1 to 10.") var copies = 1
        @Flag(name: .long, help: "Print what waits, and find out about what was being sent.") var waiting = false

        func run() async throws {
            try await withCounter(common, provider, store.given) { counter in
                let desk = counter.options.receipts.desk(counter.journal, counter.clock) { Output.note("Note: \($0)") }
                let jobs: [PrintJob]
                if waiting {
                    jobs = try await desk.printWaiting()
                } else {
                    guard let payment, let printer else {
                        throw CommandError(
                            code: "nothing_to_print", what: "A payment and --printer are needed.",
                            next: "Give both, or --waiting.")
                    }
                    let found = try await counter.checkout.payment(
                        PaymentID(rawValue: payment), account: counter.options.account)
                    jobs = [try await Receipts.print(found, printer, copy.copy, copies, desk, common)]
                }
                Output.line(common.json ? Receipts.list(jobs).text : Receipts.lines(jobs))
                if jobs.contains(where: { ![.printed, .sent].contains($0.state) }) { throw ExitCode(1) }
            }
        }
    }

    struct Queue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists receipts that wait for paper, or all prints of one payment.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String?

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let jobs = try await counter.journal.printJobs(of: payment.map { PaymentID(rawValue: $0) })
                Output.line(common.json ? Receipts.list(jobs).text : Receipts.lines(jobs))
            }
        }
    }

    /// Prints and tells on the way.
    static func print(
        _ payment: Payment, _ printer: String, _ copy: ReceiptCopy, _ copies: Int, _ desk: ReceiptDesk,
        _ common: CommonOptions
    ) async throws -> PrintJob {
        let isQuiet = common.json
        return try await desk.print(payment, on: printer, copy: copy, copies: copies) { step in
            guard !isQuiet else { return }
            switch step {
            case .accepted(job: let job): Output.note("The printer has it as job \(job).")
            case .waiting(let why): Output.note(why)
            case .state(let state): Output.note(state.sentence)
            }
        }
    }

    static func list(_ jobs: [PrintJob]) -> JSONValue {
        let all = jobs.map { job -> JSONValue in
            .object([
                JSONMember(key: "id", value: .string(job.id)),
                JSONMember(key: "payment_id", value: .string(job.payment.rawValue)),
                JSONMember(key: "printer", value: .string(job.printer)),
                JSONMember(key: "copy", value: .string(job.copy)),
                JSONMember(key: "reprint", value: .bool(job.isReprint)),
                JSONMember(key: "state", value: .string(job.state.rawValue)),
                JSONMember(key: "message", value: .string(job.note)),
            ])
        }
        return .object([JSONMember(key: "prints", value: .array(all))])
    }

    static func lines(_ jobs: [PrintJob]) -> String {
        if jobs.isEmpty { return "No receipts wait." }
        return jobs.map { "\($0.payment)  \($0.printer)  \($0.state.rawValue)  \($0.note)" }.joined(separator: "\n")
    }
}
