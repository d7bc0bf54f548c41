import ArgumentParser
import Foundation
import TillCanvas
import TillCore
import TillCounter
import TillJournal
import TillPrinting
import TillReceipts

extension Printers {
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Asks a printer for its state, its paper and its formats. Ends with 1 if it needs help.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its name or address.") var printer: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let one = try await PrinterRegistry(counter.journal, clock: counter.clock).printer(printer)
                let facts = try await one.facts()
                Output.line(common.json ? json(facts).text : lines(facts))
                if facts.state.needsHelp { throw ExitCode(1) }
            }
        }

        private func lines(_ facts: PrinterFacts) -> String {
            var lines = [Output.wrapped(facts.state.sentence, to: 80)]
            if let can = facts.capabilities {
                let cut = can.trims ? ", cut behind the receipt" : ""
                let paper = can.paper.height == nil ? can.paper.words + cut : can.paper.name
                var rows = [
                    ["  Paper", paper], ["  Sent as", can.format?.word ?? "nothing: it takes none of our formats"],
                ]
                let model = String(ReceiptText(can.name).plain.prefix(60))
                if !model.isEmpty { rows.insert(["  Model", model], at: 0) }
                lines.append(Printers.table(rows))
            }
            return lines.joined(separator: "\n")
        }

        private func json(_ facts: PrinterFacts) -> JSONValue {
            let state = facts.state
            var members = [
                JSONMember(key: "state", value: .string(state.activity.rawValue)),
                JSONMember(key: "reasons", value: .array(state.reasons.map { .string($0.rawValue) })),
                JSONMember(key: "needs_help", value: .bool(state.needsHelp)),
                JSONMember(key: "message", value: .string(state.sentence)),
            ]
            if let can = facts.capabilities {
                members += [
                    JSONMember(key: "model", value: .string(can.name)),
                    JSONMember(key: "paper", value: .string(can.paper.name)),
                    JSONMember(key: "trims", value: .bool(can.trims)),
                    JSONMember(key: "format", value: can.format.map { .string($0.rawValue) } ?? .null),
                    JSONMember(key: "formats", value: .array(can.formats.map { .string($0) })),
                ]
            }
            return .object(members)
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Prints a page that is no receipt.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its name or address.") var printer: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let one = try await PrinterRegistry(counter.journal, clock: counter.clock).printer(printer)
                let isQuiet = common.json
                let outcome = try await one.print(
                    PrinterTestPage.document(store: counter.options.storeName, at: counter.clock.now()),
                    name: PrinterTestPage.name
                ) { step in
                    if !isQuiet, let words = step.words { Output.note(words) }
                }
                let words = PrinterTestPage.sentence(of: outcome)
                Output.line(
                    common.json
                        ? JSONValue.object([
                            JSONMember(key: "printed", value: .bool(outcome.isHandedOver)),
                            JSONMember(key: "outcome", value: .string(words)),
                        ]).text : Output.wrapped(words, to: 80))
                if !outcome.isHandedOver { throw ExitCode(1) }
            }
        }
    }

    struct Drawer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drawer",
            abstract: "Opens the cash drawer on a printer's plug. Needs --allow: no receipt ever opens it.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Name or address of an ESC/POS printer.") var printer: String
        @Flag(name: .long, help: "Say that the drawer may open.") var allow = false
        @Option(name: .long, help: "The plug's pin, 2 or 5.") var pin = DrawerKick.usualPin

        func run() async throws {
            try await withCounter(common, provider) { counter in
                guard allow else {
                    throw CommandError(
                        code: "drawer_not_allowed", what: "The drawer stays shut.", next: "Add --allow to open it.")
                }
                let outcome = try await DrawerKick(counter.journal, clock: counter.clock).open(
                    printer, pin: pin, of: counter.options.account)
                let words = outcome.drawerSentence
                Output.line(
                    common.json
                        ? JSONValue.object([
                            JSONMember(key: "told", value: .bool(outcome.isHandedOver)),
                            JSONMember(key: "outcome", value: .string(words)),
                        ]).text : Output.wrapped(words, to: 80))
                if !outcome.isHandedOver { throw ExitCode(1) }
            }
        }
    }

    /// Decodes an IPP message and encodes it again, so that tests can compare it with other implementations.
    struct Reencode: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reencode",
            abstract: "Reads an IPP message from standard input and writes it again.", shouldDisplay: false)
        @OptionGroup var common: CommonOptions

        func run() throws {
            let bytes = FileHandle.standardInput.readData(ofLength: IPPMessage.maximumBytes + 1)
            do {
                let message = try IPPMessage(parsing: [UInt8](bytes))
                if common.json {
                    let names = message.groups.flatMap(\.attributes).map { JSONValue.string($0.name) }
                    Output.line(JSONValue.object([JSONMember(key: "attributes", value: .array(names))]).text)
                } else {
                    Output.bytes(message.bytes)
                }
            } catch { throw Output.fail(error, json: common.json) }
        }
    }
}

extension PrintProgress {
    /// The progress message for display; `nil` for steps without one.
    var words: String? {
        switch self {
        case .accepted(let job): "The printer has it as job \(job)."
        case .sending: nil
        case .waiting(let why): why
        case .state(let state): state.sentence
        }
    }
}
