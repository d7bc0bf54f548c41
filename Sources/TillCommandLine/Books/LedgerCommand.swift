public import ArgumentParser
public import TillBooks
import TillCore
import TillCounter
import TillFeatureBooks
import TillJournal

/// `till ledger …`: exports the ledger, or prints its balances.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Shows the double-entry ledger, and writes it for bookkeeping.",
        discussion: "It is made from the journal's events; docs/LEDGER.md says how.",
        subcommands: [Export.self, Balances.self])

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Writes the ledger to standard output.",
            discussion: """
                Days are those of UTC. The files check themselves: bean-check, hledger check -s ordereddates. If \
                the exit code is not 0, what was written is not whole.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "beancount, hledger or csv.") var format: LedgerExport.Format
        @Option(name: .long, help: "The first day, such as 2026-11-01; what was before is one opening entry.")
        var from: String?
        @Option(name: .long, help: "The last day, such as 2026-11-30.") var to: String?

        func run() async throws {
            let (first, last) = (try day(from, "--from"), try day(to, "--to"))
            if let first, let last, last < first { throw ValidationError("--to is before --from.") }
            try await withCounter(common, provider, creates: false) { counter in
                let ledger = Ledger(counter.journal, account: counter.options.account)
                // The result is progress enough where it goes to the terminal itself.
                let progress = WorkProgress("Writing the ledger", json: common.json || Output.isResultOnTerminal)
                defer { progress.end() }
                let position = try await LedgerExport(format, from: first, to: last).write(ledger) {
                    Output.bytes(Array($0.utf8))
                }
                progress.end()
                try LedgerCommand.name(position.unreadable)
            }
        }

        private func day(_ text: String?, _ option: String) throws -> LedgerDay? {
            try text.map { text in
                guard let day = LedgerDay(text) else {
                    throw ValidationError("\(option) is a day that there is, such as 2026-11-22.")
                }
                return day
            }
        }
    }

    /// Reports payments missing from the result, and ends the command with 2 if there are any.
    private static func name(_ unreadable: Set<PaymentID>) throws {
        guard !unreadable.isEmpty else { return }
        for payment in unreadable.map(\.rawValue).sorted() {
            Output.note("\(payment) is not whole in the ledger. \(PaymentJSON.unreadable)")
        }
        throw ExitCode(2)
    }

    struct Balances: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "balances", abstract: "Shows what stands in each account of the ledger.",
            discussion: "Debits are above zero. All accounts of a currency together are zero.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let progress = WorkProgress("Adding up the ledger", json: common.json)
                defer { progress.end() }
                let (balances, position, _) = try await Ledger(
                    counter.journal, account: counter.options.account
                ).balances()
                progress.end()
                if common.json {
                    let json = LedgerJSON.write(balances, at: position)
                    Output.line(String(decoding: json, as: UTF8.self))
                    return try LedgerCommand.name(position.unreadable)
                }
                if balances.all.isEmpty { return Output.line("Nothing was posted.") }
                let width = balances.all.map { $0.account.name.count }.max() ?? 0
                for balance in balances.all {
                    let name = balance.account.name
                    let space = String(repeating: " ", count: width - name.count + 2)
                    Output.line("\(name)\(space)\(balance.decimalString) \(balance.currency)")
                }
                try LedgerCommand.name(position.unreadable)
            }
        }
    }
}

extension LedgerExport.Format: ExpressibleByArgument {}
