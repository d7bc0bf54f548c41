public import ArgumentParser
import TillCore
import TillProvider

/// The command line of the counter.
public struct Till: AsyncParsableCommand {
    /// The version of this program, recorded with each counter on a PostgreSQL journal.
    static let version = "0.1.0"

    public static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "Takes payments: at the counter, by card, in cash; one journal that loses nothing.",
        discussion: """
            Start:  till sale --amount 12.50 --currency EUR
                    till sale --order order.json
                    till serve

            Exit codes:
              0   done: paid, held, refunded, shown
              1   refused, with a reason; this command moved no money
              2   declined: the customer, the bank or the provider said no
              3   not known yet whether money moved: do not charge again,
                  `till payments recover` and a running counter find out
              64  wrong use of the command line; nothing was done
              78  others can have written the settings, or a key would be sent to
                  somebody else than its provider; nothing was done

            Settings come from the command line, then from TILL_… variables, then
            from a JSON file (--config, TILL_CONFIG or ./till.json). `till doctor`
            lists each one and says where it comes from; `till help providers` lists
            the options of providers.

            With --json there is exactly one JSON object on standard output, also
            for errors: {"error":{"code","what","money_moved","next"}}.
            """,
        version: Till.version,
        subcommands: [
            Sale.self, OrdersCommand.self, Payments.self, Receipts.self, Printers.self, Serve.self, SignIn.self,
            Sandbox.self, JournalCommand.self,
            Doctor.self, Keys.self, StaffCommand.self, RolesCommand.self, SessionsCommand.self, Failpoints.self,
            Readers.self, Locations.self,
            Tap.self, EMV.self, Cards.self,
            Authorizations.self, ApplePay.self, Offline.self, Providers.self, AttentionCommand.self,
            Clock.self, LedgerCommand.self, Restore.self, Reconcile.self, Codes.self, AuditCommand.self,
            WebhooksCommand.self, Trigger.self, Listen.self, ShopCommand.self, DayCommand.self, Completion.self,
        ])

    public init() {}

    /// Runs the command. With `--json`, errors of the command line itself are JSON too.
    public static func main() async {
        ProcessSeal.close()
        ProcessMemory.bound()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try await Attribution.$current.withValue(.ofCommand) { try await perform(arguments) }
        } catch {
            let error = explained(error, arguments)
            let code = exitCode(for: error)
            if code == .success, let help = ProviderHelp.help(fullMessage(for: error, columns: nil), arguments) {
                Output.line(help)
                exit()
            }
            guard arguments.contains("--json"), code != .success, !(error is ExitCode) else { exit(withError: error) }
            let isWrongUse = code == .validationFailure
            let wrong = CommandError(
                code: isWrongUse ? "wrong_use" : "internal_error", what: message(for: error),
                moneyMoved: isWrongUse ? .no : .unknown,
                next: isWrongUse ? "`till help` shows how it is used." : "Check the payment before you try again.")
            exit(withError: Output.fail(wrong, json: true, code: code.rawValue))
        }
    }

    /// Returns the error in the words of the command line as it was typed.
    private static func explained(_ error: any Error, _ arguments: [String]) -> any Error {
        if exitCode(for: error) == .validationFailure, let unknown = CommandWords.unknown(arguments) {
            return ValidationError(unknown.sentence)
        }
        return ProviderArguments.explained(error, message: message(for: error), arguments)
    }

    /// Parses the arguments of a command line.
    ///
    /// A counter is started without the tree of all commands, of which it needs no other. Whatever starts none is the
    /// tree's to answer, help and wrong use among it.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == Serve.configuration.commandName {
            let own = Array(arguments.dropFirst())
            if let serve = Serve(plain: own) { return serve }
            if let serve = (try? Serve.parseAsRoot(own)) as? Serve { return serve }
        }
        return try parseAsRoot(arguments)
    }

    private static func perform(_ arguments: [String]) async throws {
        var command = try parsed(try ProviderArguments.rewritten(arguments, for: ProviderModules.all))
        if var waiting = command as? any AsyncParsableCommand {
            try await waiting.run()
        } else {
            try command.run()
        }
    }
}
