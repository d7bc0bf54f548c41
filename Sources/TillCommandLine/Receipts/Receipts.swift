import ArgumentParser
import Foundation
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillReceipts

/// `till receipts …`: shows, prints and sends receipts.
struct Receipts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts",
        abstract: "Shows, prints, sends and shares receipts.",
        subcommands: [Show.self, Sample.self, Print.self, Queue.self, Cancel.self, Link.self, Send.self, Sent.self])

    /// The form of a receipt: format, width and destination.
    struct FormOptions: ParsableArguments {
        @Option(name: .long, help: "text, html, json, pdf, png or escpos.") var format = ReceiptForm.Format.text
        @Option(name: .long, help: "58, 80, A4 or Letter; for text also a number of columns.") var width = "80"
        @Option(name: .long, help: "A printer's profile for escpos: 80, 58, tm-t88v, plain.") var profile: String?
        @Option(name: [.long, .customShort("o")], help: "Write to this file.") var output: String?

        /// Writes a receipt to the file or to standard output.
        func write(_ content: ReceiptContent, _ common: CommonOptions) throws {
            if let sentence = content.missingFieldsSentence { Output.note("Note: \(sentence)") }
            let written = try ReceiptForm(format, width: width, profile: profile).write(content)
            if written.damagedLines > 0 {
                Output.note("Note: \(written.damagedLines) lines carry ? where the printer has no character.")
            }
            if let output { return try save(written.bytes, output) }
            if common.json, format != .json { return Output.line(wrapped(written.bytes, content.paymentID)) }
            Output.bytes(written.bytes)
        }

        private func wrapped(_ bytes: [UInt8], _ payment: PaymentID) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("payment_id", payment.rawValue)
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
                    code: "not_written", what: "\(path) cannot be written.", next: "Check the path and its rights.")
            }
        }
    }

    /// The selection of a payment's receipt.
    struct PartOptions: ParsableArguments {
        @OptionGroup var copy: CopyOption
        @Option(name: .long, help: ArgumentHelp("The receipt of one refund, by its id.", valueName: "id"))
        var refund: String?

        func content(_ payment: String, _ counter: Counter) async throws -> ReceiptContent {
            let found = try await counter.checkout.payment(
                PaymentID(rawValue: payment), account: counter.options.account)
            let setup = counter.options.receipts
            return try setup.content(
                found, copy: copy.copy, refund: refund.map { RefundID(rawValue: $0) },
                links: setup.url == nil ? nil : try ReceiptLink(besideJournal: counter.journal.path))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Writes the receipt of a payment.",
            discussion: "pdf, png and escpos are bytes: add --output FILE or > FILE.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var store: StoreOptions
        @OptionGroup var part: PartOptions
        @OptionGroup var form: FormOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await withCounter(common, provider, store.given, creates: false) { counter in
                try form.write(try await part.content(payment, counter), common)
            }
        }
    }

    struct Sample: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sample",
            abstract: "Writes a sample receipt, to see what those of the shop will be like.",
            discussion: """
                Without a name it lists the samples. With --own the shop's settings stand at its head, else those of a
                made-up shop. Every sample says that it is none.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var store: StoreOptions
        @OptionGroup var copy: CopyOption
        @OptionGroup var form: FormOptions
        @Argument(help: "The sample.") var name: String?
        @Flag(name: .long, help: "With the shop's own head and language.") var own = false

        func run() async throws {
            do {
                guard let name else {
                    let names = ReceiptSample.allCases.map(\.rawValue)
                    let list = JSONValue.object([
                        JSONMember(key: "samples", value: .array(names.map { .string($0) }))
                    ])
                    return Output.line(common.json ? list.text : names.joined(separator: "\n"))
                }
                guard let sample = ReceiptSample(rawValue: name) else {
                    throw CommandError(
                        code: "unknown_sample", what: "There is no sample \(name.prefix(40)).",
                        next: "`till receipts sample` lists them.")
                }
                let setup = try ReceiptSetup(try common.settings(store.given))
                var content = sample.content(
                    store: own ? setup.store : nil,
                    locale: own || store.locale != nil ? setup.locale : nil)
                if copy.copy == .merchant { content.copy = .merchant }
                try form.write(content, common)
            } catch let error as any ExplainedError {
                throw Output.fail(error, json: common.json)
            }
        }
    }
}
