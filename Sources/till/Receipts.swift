import ArgumentParser
import Foundation
import TillCanvas
import TillCheckout
import TillCore
import TillJournal
import TillPrinting
import TillReceipts
import TillServer

/// `till receipts …`
struct Receipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows, prints and shares receipts.",
        subcommands: [Show.self, Print.self, Queue.self, Cancel.self, Link.self])

    /// How a receipt is written.
    enum Format: String, ExpressibleByArgument { case text, html, json, pdf, png, escpos }

    /// What a receipt says beyond its payment.
    struct ContentOptions: ParsableArguments {
        @Option(name: .long, help: ArgumentHelp("The shop's name. Also TILL_STORE.", valueName: "name"))
        var store: String?
        @Option(name: .long, help: "The shop's address; \\n parts its lines. Also TILL_STORE_ADDRESS.")
        var address: String?
        @Option(name: .long, help: "The shop's tax number. Also TILL_STORE_TAX_ID.") var taxID: String?
        @Option(name: .long, help: "The shop's time zone, as Europe/Berlin. Also TILL_TIME_ZONE.") var timeZone: String?
        @Option(name: .long, help: "Language and region, as de_DE, fr_CA, ja_JP. Also TILL_LOCALE.") var locale: String?
        @Option(name: .long, help: "customer or merchant.") var copy = "customer"

        func store(_ counter: Counter) throws -> StoreDetails {
            func setting(_ given: String?, _ key: String) -> String? {
                given ?? ProcessInfo.processInfo.environment[key]
            }
            var zone = TimeZone.gmt
            if let name = setting(timeZone, "TILL_TIME_ZONE") {
                guard let known = TimeZone(identifier: name) else {
                    throw CommandError(
                        code: "unknown_time_zone", what: "There is no time zone \(name).",
                        next: "Use a name such as Europe/Berlin.")
                }
                zone = known
            }
            let address = setting(address, "TILL_STORE_ADDRESS")?.replacing("\\n", with: "\n")
            return StoreDetails(
                name: store ?? counter.options.storeName, address: address,
                taxID: setting(taxID, "TILL_STORE_TAX_ID"), timeZone: zone,
                region: chosenLocale.region?.identifier)
        }

        var chosenLocale: Locale {
            Locale(identifier: locale ?? ProcessInfo.processInfo.environment["TILL_LOCALE"] ?? "en_US")
        }

        func chosenCopy() throws -> ReceiptCopy {
            guard let known = ReceiptCopy(rawValue: copy) else {
                throw CommandError(
                    code: "unknown_copy", what: "There is no copy \(copy).", next: "It is customer or merchant.")
            }
            return known
        }

        func content(_ payment: Payment, _ counter: Counter) throws -> ReceiptContent {
            var content = ReceiptContent(payment: payment, store: try store(counter), locale: chosenLocale)
            content.copy = try chosenCopy()
            return content
        }

        /// A desk that prints such receipts.
        func desk(_ counter: Counter) throws -> ReceiptDesk {
            let (store, locale) = (try store(counter), chosenLocale)
            return ReceiptDesk(journal: counter.journal, clock: counter.clock) { payment, copy in
                var content = ReceiptContent(payment: payment, store: store, locale: locale)
                content.copy = copy
                if let sentence = content.missingFieldsSentence { Output.note("Note: \(sentence)") }
                return content
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the receipt of a payment.",
            discussion: "pdf, png and escpos are bytes: add --output FILE or > FILE.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var options: ContentOptions
        @Argument(help: "The payment.") var payment: String
        @Option(name: .long, help: "text, html, json, pdf, png or escpos.") var format = Format.text
        @Option(name: .long, help: "58, 80, A4 or Letter; for text a number of columns.") var width = "80"
        @Option(name: .long, help: "A printer's profile for escpos: 80, 58, tm-t88v, plain.") var profile: String?
        @Option(name: [.long, .customShort("o")], help: "Write to this file.") var output: String?
        @Option(name: .long, help: "Base address of the shop: adds a code that leads to the receipt online.")
        var link: String?

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                var content = try options.content(found, counter)
                if let link { content.link = try Receipts.code(link, found.id, counter) }
                if let sentence = content.missingFieldsSentence { Output.note("Note: \(sentence)") }
                let bytes = try bytes(content)
                if let output { return try save(bytes, output) }
                if common.json, format != .json { return Output.line(wrapped(bytes, found)) }
                Output.bytes(bytes)
            }
        }

        private func bytes(_ content: ReceiptContent) throws -> [UInt8] {
            let document = ReceiptDocument(content)
            guard let paper = Paper.named(width) ?? (format == .text && Int(width) != nil ? Paper.roll80 : nil) else {
                throw CommandError(
                    code: "unknown_width", what: "There is no paper \(width).", next: "Use 58, 80, A4 or Letter.")
            }
            switch format {
            case .text:
                let columns = Paper.named(width) == nil ? Int(width) ?? 48 : width == "58" ? 32 : 48
                return Array((ReceiptRenderer.text(content, columns: columns) + "\n").utf8)
            case .html: return ReceiptRenderer.htmlBytes(document)
            case .json: return content.jsonValue.bytes() + [0x0A]
            case .pdf: return try Canvas().pdf(document, paper: paper)
            case .png: return try Canvas().png(document, paper: paper)
            case .escpos:
                guard let known = ESCPOSProfile.named(profile ?? (width == "58" ? "58" : "80")) else {
                    throw CommandError(
                        code: "unknown_profile", what: "There is no printer profile \(profile ?? "").",
                        next: "Use \(ESCPOSProfile.all.map(\.name).joined(separator: ", ")).")
                }
                let lines = (try? Canvas()).map { CanvasLines($0) }
                let receipt = ReceiptRenderer.escpos(document, profile: known, rasterizer: lines)
                if receipt.damagedLines > 0 {
                    Output.note("Note: \(receipt.damagedLines) lines carry ? where the printer has no character.")
                }
                return receipt.bytes
            }
        }

        private func wrapped(_ bytes: [UInt8], _ payment: Payment) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("payment_id", payment.id.rawValue)
            writer.field("format", format.rawValue)
            switch format {
            case .text, .html, .json: writer.field("receipt", String(decoding: bytes, as: UTF8.self))
            case .pdf, .png, .escpos: writer.field("receipt_base64", Data(bytes).base64EncodedString())
            }
            writer.endObject()
            return writer.text
        }

        private func save(_ bytes: [UInt8], _ path: String) throws {
            do { try Data(bytes).write(to: URL(fileURLWithPath: path)) } catch {
                throw CommandError(
                    code: "not_written", what: "\(path) can not be written.", next: "Check the path and its rights.")
            }
        }
    }

    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the receipt of a payment, or with --waiting all that wait.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var options: ContentOptions
        @Argument(help: "The payment.") var payment: String?
        @Option(name: .long, help: "ipp://…, ipps://…, socket://HOST:9100, /dev/usb/lp0 or a printer's name.")
        var printer: String?
        @Option(name: .long, help: "How many, 1 to 10.") var copies = 1
        @Option(
            name: .long,
            help: "How many seconds it is followed, 1 to 3600; what the printer has not begun by then is called off.")
        var deadline: Int64 = 60
        @Flag(name: .long, help: "Print what waits, and find out about what was being sent.") var waiting = false

        func run() async throws {
            try await withCounter(common, provider) { counter in
                guard (1...3_600).contains(deadline) else {
                    throw CommandError(
                        code: "invalid_deadline", what: "--deadline is \(deadline).", next: "Use 1 to 3600 seconds.")
                }
                let desk = try options.desk(counter)
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
                    jobs = [try await print(found, printer, desk)]
                }
                Output.line(common.json ? Receipts.list(jobs).text : Receipts.lines(jobs))
                if jobs.contains(where: { ![.printed, .sent].contains($0.state) }) { throw ExitCode(1) }
            }
        }

        /// Prints and tells on the way.
        private func print(_ payment: Payment, _ printer: String, _ desk: ReceiptDesk) async throws -> PrintJob {
            let isQuiet = common.json
            return try await desk.print(
                payment, on: printer, copy: options.chosenCopy(), copies: copies, deadline: .seconds(deadline)
            ) { step in
                if !isQuiet, let words = step.words { Output.note(words) }
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

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Calls off a receipt that waits for its printer.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var options: ContentOptions
        @Argument(help: "The print, as the queue lists it: print_….") var print: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                guard let job = try await options.desk(counter).cancel(print) else {
                    throw CommandError(
                        code: "unknown_print", what: "There is no print \(print).",
                        next: "See till receipts queue, or till receipts queue PAYMENT.")
                }
                Output.line(common.json ? Receipts.list([job]).text : Receipts.lines([job]))
                if job.state != .canceled { throw ExitCode(1) }
            }
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an address under which a customer reads the receipt for a time.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String
        @Option(name: .long, help: "Where the counter is seen from outside, as https://shop.example.")
        var base = "http://127.0.0.1:8080"
        @Option(name: .long, help: "How many days it is good, 1 to 730.") var days: Int64 = 90

        func run() async throws {
            try await withCounter(common, provider) { counter in
                guard (1...730).contains(days) else {
                    throw CommandError(code: "invalid_days", what: "--days is \(days).", next: "Use 1 to 730.")
                }
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                let url = try Receipts.url(base, found.id, counter, life: .days(days))
                Output.line(common.json ? JSONValue.object([JSONMember(key: "url", value: .string(url))]).text : url)
            }
        }
    }

    static func url(_ base: String, _ payment: PaymentID, _ counter: Counter, life: Span) throws -> String {
        guard base.hasPrefix("https://") || base.hasPrefix("http://"), URL(string: base)?.host != nil else {
            throw CommandError(
                code: "invalid_address", what: "\(base) is no web address.",
                next: "Use one such as https://shop.example.")
        }
        let link = try ReceiptLink(besideJournal: counter.journal.path)
        let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
        return trimmed + link.path(payment, expires: counter.clock.now().adding(life))
    }

    static func code(_ base: String, _ payment: PaymentID, _ counter: Counter) throws -> CodeText? {
        CodeText(try url(base, payment, counter, life: ReceiptLink.usualLife))
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
                JSONMember(key: "tries", value: .number("\(job.tries)")),
                JSONMember(key: "message", value: .string(job.note)),
            ])
        }
        return .object([JSONMember(key: "prints", value: .array(all))])
    }

    static func lines(_ jobs: [PrintJob]) -> String {
        if jobs.isEmpty { return "No receipts wait." }
        return jobs.map { job in
            let state = job.state.rawValue.replacing("_", with: " ")
            let first = "\(job.payment)  \(job.printer)  \(state)\n  \(job.id)"
            return job.note.isEmpty ? first : first + "\n" + Output.wrapped("  " + job.note, to: 80)
        }.joined(separator: "\n")
    }
}
