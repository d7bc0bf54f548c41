import ArgumentParser
import Foundation
import TillCheckout
import TillCore
import TillJournal
import TillPrinting
import TillReceipts
import TillServer

/// `till printers …`
struct Printers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds, names, asks and tests receipt printers.",
        subcommands: [Discover.self, Add.self, Remove.self, List.self, Status.self, Test.self, Drawer.self])

    struct Discover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists printers that announce themselves.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard let found = await PrinterDiscovery.find() else {
                throw Output.fail(
                    CommandError(
                        code: "discovery_not_available", what: "This machine can not look for printers.",
                        next: "Install avahi-daemon and avahi-utils, or give the printer's address."),
                    json: common.json)
            }
            if common.json {
                let all = found.map { one -> JSONValue in
                    .object([
                        JSONMember(key: "name", value: .string(one.name)),
                        JSONMember(key: "address", value: .string(one.address.description)),
                        JSONMember(key: "formats", value: one.facts["pdl"].map { .string($0) } ?? .null),
                    ])
                }
                return Output.line(JSONValue.object([JSONMember(key: "printers", value: .array(all))]).text)
            }
            for one in found { Output.line("\(one.address)  \(ReceiptText(one.name).plain)") }
            if found.isEmpty { Output.line("No printer announces itself.") }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Gives a printer a name.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The name.") var name: String
        @Argument(help: "ipp://…, ipps://…, socket://HOST:9100 or /dev/usb/lp0.") var address: String
        @Option(name: .long, help: "What an ESC/POS printer can do: 80, 58, tm-t88v, plain.") var profile = "80"
        @Flag(name: .long, help: "Trust the certificate that an ipps printer shows now, and no other later.")
        var trust = false

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let place = try PrinterAddress(parsing: address)
                guard let name = ReceiptText(name).plain.split(separator: " ").first.map(String.init),
                    !name.contains("/")
                else {
                    throw CommandError(code: "invalid_name", what: "The name is empty.", next: "Give a word.")
                }
                guard ESCPOSProfile.named(profile) != nil else {
                    throw CommandError(
                        code: "unknown_profile", what: "There is no printer profile \(profile).",
                        next: "Use \(ESCPOSProfile.all.map(\.name).joined(separator: ", ")).")
                }
                var printer = KnownPrinter(name: name, address: place.description, profile: profile)
                if trust, case .ipp(let ipp) = place, ipp.isSecure {
                    let pin = try await PrinterConnection.look(at: ipp)
                    printer.certificate = pin.certificate
                    Output.note(
                        "Its certificate has the SHA-256 \(pin.fingerprint). Compare it with the printer's own.")
                }
                try await counter.journal.keep(printer)
                Output.line(common.json ? Printers.list([printer]).text : "\(name) is \(place).")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Forgets a printer's name.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The name.") var name: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let was = try await counter.journal.forgetPrinter(name)
                Output.line(common.json ? "{\"removed\":\(was)}" : was ? "\(name) is forgotten." : "There was none.")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists printers with names.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let known = try await counter.journal.printers()
                if common.json { return Output.line(Printers.list(known).text) }
                for printer in known { Output.line("\(printer.name)  \(printer.address)  \(printer.profile)") }
                if known.isEmpty { Output.line("No printers. Add one: till printers add NAME ADDRESS") }
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Asks a printer how it stands, and about its paper.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its name or address.") var printer: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let state = try await Printers.desk(counter).printer(printer).state()
                if common.json {
                    let reasons = state.reasons.map { JSONValue.string($0.rawValue) }
                    let value = JSONValue.object([
                        JSONMember(key: "state", value: .string(state.activity.rawValue)),
                        JSONMember(key: "reasons", value: .array(reasons)),
                        JSONMember(key: "message", value: .string(state.sentence)),
                    ])
                    Output.line(value.text)
                } else {
                    Output.line(state.sentence)
                }
                if state.needsHelp { throw ExitCode(1) }
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints a page that is no receipt.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its name or address.") var printer: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let printer = try await Printers.desk(counter).printer(printer)
                let outcome = try await printer.print(
                    Printers.page(counter.options.storeName, counter.clock.now()), name: "Till test page")
                Output.line(common.json ? "{\"outcome\":\(JSONValue.string(outcome.sentence).text)}" : outcome.sentence)
                switch outcome {
                case .printed, .handedOver: return
                case .failed, .mayHavePrinted: throw ExitCode(1)
                }
            }
        }
    }

    struct Drawer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Opens the cash drawer on a printer's plug. Needs --allow: no receipt ever opens it.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Name or address of an ESC/POS printer.") var printer: String
        @Flag(name: .long, help: "Say that the drawer may open.") var allow = false
        @Option(name: .long, help: "The plug's pin, 2 or 5.") var pin = 2

        func run() async throws {
            try await withCounter(common, provider) { counter in
                guard allow else {
                    throw CommandError(
                        code: "drawer_not_allowed", what: "The drawer stays shut.", next: "Add --allow to open it.")
                }
                let outcome = try await Printers.desk(counter).printer(printer).openDrawer(pin: pin)
                let words =
                    if case .handedOver = outcome { "The drawer was told to open." } else { outcome.sentence }
                Output.line(common.json ? "{\"outcome\":\(JSONValue.string(words).text)}" : words)
            }
        }
    }

    static func desk(_ counter: Counter) -> ReceiptDesk {
        counter.options.receipts.desk(counter.journal, counter.clock)
    }

    /// A page that can not be taken for a receipt: nothing is paid on it.
    private static func page(_ store: String, _ now: Timestamp) -> ReceiptDocument {
        let zero = Money(minorUnits: 0, currency: .eur)
        var content = ReceiptContent(
            store: StoreDetails(name: store), locale: .init(identifier: "en_US"),
            paymentID: PaymentID(rawValue: "test"), orderNumber: "test", date: now, verdict: .notPaid,
            lineItems: [ReceiptLineItem(name: "äöü éèç łżó € 日本 العربية עברית", amount: zero)], summary: [],
            total: zero,
            transaction: ReceiptTransaction(.sale, .none), captured: zero, refunded: zero)
        content.explanation = ReceiptText("This is a test page.")
        content.link = CodeText("till:test")
        return ReceiptDocument(content)
    }

    private static func list(_ printers: [KnownPrinter]) -> JSONValue {
        let all = printers.map { printer -> JSONValue in
            .object([
                JSONMember(key: "name", value: .string(printer.name)),
                JSONMember(key: "address", value: .string(printer.address)),
                JSONMember(key: "profile", value: .string(printer.profile)),
                JSONMember(key: "pinned", value: .bool(printer.certificate != nil)),
            ])
        }
        return .object([JSONMember(key: "printers", value: .array(all))])
    }
}
