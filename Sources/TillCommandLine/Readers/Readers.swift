import ArgumentParser
import TillCore
import TillCounter
import TillOrders
import TillProvider

/// `till readers …`: finds and manages card readers.
struct Readers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "Finds, registers and drives card readers.",
        discussion: """
            Without an account, in two terminals:
              till sandbox stripe --port 12111
              export TILL_PROVIDER=stripe TILL_STRIPE_URL=http://127.0.0.1:12111
              till readers register simulated-wpe --label Front
              till sale --amount 12.50 --currency EUR --reader Front &
              till readers simulate-card Front --card visa
            """,
        subcommands: [
            Discover.self, Register.self, Connect.self, Status.self, Disconnect.self, Update.self, Display.self,
            CollectInputs.self, Cancel.self, SimulateCard.self, SimulateAnswers.self, Remove.self,
        ])

    struct Discover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discover", abstract: "Lists the readers of the account.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "Only at this location, tml_…") var location: String?

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let found = try await readers(of: try counter.readers())
                let chosen = ReaderChoice.read(counter)?.id
                if common.json {
                    return Output.line(
                        ReaderLine.list("readers", found.map { ReaderLine.json($0, isConnected: $0.id == chosen) }))
                }
                let rows = found.map { ReaderLine.cells($0, isConnected: $0.id == chosen) }
                TextTable.lines(rows, cuts: false).forEach { Output.line($0) }
                guard found.isEmpty else { return }
                Output.line(
                    location.map { "No readers at \($0)." }
                        ?? "No readers. Register one: till readers register CODE --label NAME")
            }
        }

        private func readers(of fleet: any ReaderFleet) async throws -> [CounterReader] {
            guard let management = fleet.management else {
                return try await fleet.readers().filter { location == nil || $0.location == location }
            }
            return try await management.readers(at: location)
        }
    }

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "register",
            abstract: "Makes a reader one of the account's, with the code that it shows.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The code on the reader's screen; simulated-wpe or simulated-s700 without a reader.")
        var code: String
        @Option(name: .long, help: "What to call it.") var label: String?
        @Option(name: .long, help: "Where it stands, tml_…") var location: String?

        func run() async throws {
            try await show(common, provider) { counter in
                try await ReaderRegistry(counter.journal).register(
                    code: code, label: label, location: location, with: try counter.readerManagement())
            }
        }
    }

    struct Connect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "connect",
            abstract: "Chooses the reader that this counter uses by default.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String
        @Option(name: .long, help: "Refuse it unless it stands at this location, tml_…") var location: String?

        func run() async throws {
            try await show(common, provider) { counter in
                let found = try await counter.reader(reader)
                if let location, found.location != location {
                    throw CommandError(
                        code: "reader_at_other_location",
                        what: "\(found.label) stands at \(found.location ?? "no location"), not at \(location).",
                        next: "Choose a reader of this location.")
                }
                try await ReaderRegistry(counter.journal).choose(found)
                if found.status == .offline, !common.json {
                    Output.note("Note: its provider has not heard of it lately. A sale is tried all the same.")
                }
                return found
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Shows a reader and what it does; the connected one if none is named.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String?

        func run() async throws {
            try await show(common, provider) { counter in try await counter.reader(reader) }
        }
    }

    struct Disconnect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disconnect", abstract: "Forgets the connected reader.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let choice = try await ReaderRegistry(counter.journal).forget()
                Output.line(
                    common.json
                        ? ReaderLine.list("disconnected", [.string(choice.id)])
                        : "\(choice.label) is not used any more.")
            }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Renames a reader, or sets the hours in which the readers of its location install software.",
            discussion: "Smart readers install their own software when they restart at night.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String
        @Option(name: .long, help: "The new name.") var label: String?
        @Option(name: .long, help: "From hour to hour by the reader's clock, such as 2-5.") var rebootWindow: String?

        func run() async throws {
            try await show(common, provider) { counter in
                guard label != nil || rebootWindow != nil else {
                    throw CommandError(
                        code: "nothing_to_change", what: "Nothing was given to change.",
                        next: "Give --label, --reboot-window, or both.")
                }
                let management = try counter.readerManagement()
                var found = try await management.anyReader(named: reader)
                if let rebootWindow { try await set(rebootWindow, for: found, management) }
                if let label {
                    found = try await ReaderRegistry(counter.journal).rename(found, to: label, with: management)
                }
                return found
            }
        }

        private func set(_ text: String, for reader: CounterReader, _ management: any ReaderManagement) async throws {
            let hours = text.split(separator: "-").map { Int64($0) }
            guard hours.count == 2, let start = hours[0], let end = hours[1],
                let window = RebootWindow(from: start, to: end)
            else {
                throw CommandError(
                    code: "invalid_hours", what: "\(text) are no hours.", next: "Give them as 2-5, each 0 to 23.")
            }
            guard let place = reader.location else {
                throw CommandError(
                    code: "reader_without_location", what: "\(reader.label) has no location to configure.",
                    next: "Register it with --location.")
            }
            try await management.setRebootWindow(window, at: place)
        }
    }

    struct Display: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "display",
            abstract: "Shows an order on a reader's screen; without one its default screen comes back.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String
        @Option(name: .long, help: "A WooCommerce order document.") var order: String?

        func run() async throws {
            try await show(common, provider) { counter in
                let management = try counter.readerManagement()
                let found = try await management.anyReader(named: reader)
                return try await management.display(try order.map(read), at: found.id)
            }
        }

        private func read(_ path: String) throws -> Order {
            do { return try Order(document: OrderFile.read(path)) } catch let error as any ExplainedError {
                throw error
            } catch {
                throw CommandError(code: "invalid_order", what: "\(path): \(error)", next: "Correct the order.")
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Cancels what a reader waits for. Refused once a card is being charged.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String?

        func run() async throws {
            try await show(common, provider) { counter in
                let found = try await counter.reader(reader)
                return try await counter.readers().cancel(found.id)
            }
        }
    }

    struct SimulateCard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "simulate-card",
            abstract: "Holds a test card to a simulated reader, as soon as it waits for one.",
            discussion: """
                Cards: visa, mastercard, amex, discover, diners, jcb, unionpay, interac, eftpos_au_debit and the rest \
                of Stripe's simulated cards; declined:insufficient_funds and the like; a published test number; or \
                physical, which the last two digits of the amount decide about.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String?
        @Option(name: .long, help: "Which card.") var card = "visa"
        @Option(name: .long, help: "A tip in the wire's units, if the reader asks for one.") var tip: Int64?
        @Option(name: .long, help: "The most seconds to wait for the reader to ask for a card.") var wait = 10

        func run() async throws {
            try await show(common, provider) { counter in
                let fleet = try counter.readers()
                var found = try await counter.reader(reader)
                guard found.isSimulated, let simulation = fleet.simulation else {
                    throw CommandError(
                        code: "reader_is_real", what: "\(found.label) is no simulated reader.", next: "Use a real card."
                    )
                }
                let end = counter.clock.now().adding(.seconds(Int64(min(max(wait, 0), 600))))
                while !found.isBusy, counter.clock.now() < end {
                    try await counter.clock.sleep(for: .milliseconds(200))
                    found = try await fleet.reader(named: found.id)
                }
                guard found.isBusy || found.status == .offline else {
                    throw CommandError(
                        code: "reader_not_waiting", what: "\(found.label) does not wait for a card.",
                        next: "Begin a sale at it: till sale --reader.")
                }
                return try await simulation.present(card, tip: tip, at: found.id)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a reader from the account.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let management = try counter.readerManagement()
                let found = try await management.anyReader(named: reader)
                try await ReaderRegistry(counter.journal).remove(found, with: management)
                Output.line(
                    common.json ? ReaderLine.list("removed", [.string(found.id)]) : "\(found.label) is removed.")
            }
        }
    }
}

/// Performs an operation on a reader and shows its resulting state.
private func show(
    _ common: CommonOptions, _ provider: ProviderOptions, _ body: (Counter) async throws -> CounterReader
) async throws {
    try await withCounter(common, provider) { counter in
        let reader = try await body(counter)
        let isConnected = ReaderChoice.read(counter)?.id == reader.id
        Output.line(
            common.json
                ? ReaderLine.json(reader, isConnected: isConnected).text
                : ReaderLine.details(reader, isConnected: isConnected))
    }
}
