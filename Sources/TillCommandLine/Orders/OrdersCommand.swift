import ArgumentParser
import TillCore
import TillCounter
import TillFeatureOrders
import TillWeb

/// `till orders …`: books, lists and shows orders, and moves them on.
struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "Books, lists and shows orders, and moves them on until they are handed over.",
        discussion: """
            Programs do the same over HTTP, as docs/ORDERS.md says. A running counter, its streams and the page at \
            /kitchen hear of every change within a second.
            """,
        subcommands: [
            List.self, Show.self, Add.self, Ready.self, Fulfil.self, Cancel.self, Reopen.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists orders, newest first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "Only in this state: open, ready, fulfilled or canceled.") var state: String?
        @Flag(name: .long, help: "Only those that are neither handed over nor canceled.") var open = false
        @Option(name: .long, help: ArgumentHelp("The most to list, up to 100.", valueName: "number")) var limit = 50

        func run() async throws {
            try await withOrders(common, provider, creates: false) { orders in
                guard (1...CounterOrders.maximumListed).contains(limit) else {
                    throw CommandError(
                        code: "invalid_limit", what: "--limit is \(limit).",
                        next: "It is 1 to \(CounterOrders.maximumListed).")
                }
                let listing = try await orders.list(try selection(), limit: limit)
                if common.json { return Output.line(CounterOrders.json(listing)) }
                if listing.entries.isEmpty, listing.unreadable.isEmpty { Output.line("No orders.") }
                BookedOrderLine.lines(of: listing.entries).forEach { Output.line($0) }
                for damage in listing.unreadable { Output.note("unreadable: \(damage.sentence)") }
                if listing.hasMore { Output.note("There are older ones.") }
            }
        }

        private func selection() throws(CommandError) -> CounterOrders.Selection {
            guard let state else { return open ? .current : .all }
            guard let known = BookedOrder.State(rawValue: state) else {
                throw CommandError(
                    code: "unknown_state", what: "There is no state \(ProviderText.word(state)).",
                    next: "Use one of \(BookedOrder.State.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            guard !open else {
                throw CommandError(
                    code: "choose_a_state", what: "--open does not go with --state.", next: "Give one of them.")
            }
            return .inState(known)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one order with its money and its payments.")
        @OptionGroup var order: OneOrder

        func run() async throws {
            try await withOrders(order.common, order.provider, creates: false) { orders in
                let found = try await orders.order(order.id)
                if order.common.json { return Output.line(CounterOrders.json(found)) }
                BookedOrderLine.full(found).forEach { Output.line($0) }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Books the order of a file; the same content again changes nothing.",
            discussion: """
                The file is the body of POST /v1/orders, or an order of WooCommerce or PayPal as it is. No money is \
                asked for.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The file, or - for standard input.") var file: String

        func run() async throws {
            try await withOrders(common, provider) { orders in
                let (entry, isNew) = try await orders.book(try OrderFile.read(file))
                if common.json { return Output.line(CounterOrders.json(entry)) }
                Output.line(entry.order.id.rawValue)
                Output.note(isNew ? "It is booked." : "It was booked before, with the same content.")
            }
        }
    }
}

/// The arguments of a command about one order.
struct OneOrder: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The order, as till orders list names it.") var id: String

    /// Moves the order to a state, and says so.
    func move(to state: BookedOrder.State, acceptsUnpaid: Bool = false) async throws {
        try await withOrders(common, provider, creates: false) { orders in
            let moved = try await orders.move(id, to: state, acceptsUnpaid: acceptsUnpaid)
            if common.json { return Output.line(CounterOrders.json(moved)) }
            Output.line("\(moved.order.id) is \(moved.order.state.rawValue).")
        }
    }
}

/// Opens the counter and runs a command on its orders; converts errors to sentences and exit codes.
func withOrders(
    _ common: CommonOptions, _ provider: ProviderOptions, creates: Bool = true,
    _ body: (CounterOrders) async throws -> Void
) async throws {
    try await withCounter(common, provider, creates: creates) { counter in
        do {
            try await body(CounterOrders(counter))
        } catch let problem as Problem {
            throw CommandError(problem)
        } catch let error as JSONError {
            throw CommandError(error.problem)
        }
    }
}

extension CommandError {
    /// Creates the error of a refusal that is worded for programs and people alike.
    fileprivate init(_ problem: Problem) {
        self.init(code: problem.code, what: problem.detail, moneyMoved: problem.moneyMoved, next: problem.next)
    }
}
