import ArgumentParser

/// The command line of the counter.
@main
struct Till: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "Takes payments: at the counter, by card, in cash; one journal that loses nothing.",
        discussion: """
            Exit codes: 0 done; 1 refused, nothing moved; 2 declined; 3 the outcome is not known yet, do not charge \
            again; 64 wrong use.
            """,
        version: "0.1.0",
        subcommands: [
            Sale.self, Payments.self, Receipts.self, Serve.self, Sandbox.self, JournalCommand.self, Doctor.self,
            Keys.self, Failpoints.self, ApplePay.self,
        ])
}
