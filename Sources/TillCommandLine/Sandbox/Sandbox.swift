import ArgumentParser
import TillCore
import TillStandInStripe

/// `till sandbox`: runs the simulators of external parties as servers.
struct Sandbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Runs stand-ins for outside parties: till sandbox, or till sandbox stripe --port 12111.",
        discussion: """
            The stand-in speaks the provider's wire format and keeps a ledger of its own: GET /_sandbox/ledger.
            POST /_sandbox/faults {"operation":"capture","fault":"timeoutAfterCommit","times":1} makes it fail.
            POST /_sandbox/readers {"reader":"Front","do":"customer_cancel"} acts at a card reader; also offline, \
            online, reboot, remove_card, fault. POST /_sandbox/webhooks {"url":…,"secret":…} tells what happened.
            """)

    @Argument(help: "Which one: stripe, paypal, braintree, adyen, shop, card or printer. Without a name, stripe.")
    var name: String?
    @Option(name: .long, help: "The port; 0 takes a free one.")
    var port: Int?
    @Option(name: .long, help: "The file of its ledger; without one it ends with the process.")
    var ledger: String?
    @Flag(name: .long, help: "Print one JSON object with the addresses.")
    var json = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Taken as with every command, and not used: the stand-in's ledger is not the journal.", valueName: "file"))
    var journal: String?

    @OptionGroup var slot: SandboxCardOptions
    @OptionGroup var shop: SandboxShopOptions

    func run() async throws {
        if name == "card" { return try await slot.run(json: json) }
        if let name, !["stripe", "printer", "shop"].contains(name), !Sandbox.cardStandIns.contains(name) {
            throw Output.fail(
                CommandError(
                    code: "unknown_stand_in", what: "There is no stand-in \(name).",
                    next: "There are: stripe, paypal, braintree, adyen, shop, card, printer."),
                json: json)
        }
        let wanted = port ?? (name == nil ? 12_111 : 0)
        guard (0...65_535).contains(wanted) else {
            throw Output.fail(
                CommandError(
                    code: "invalid_setting", what: "--port is \(wanted) and must be a number from 0 to 65535.",
                    next: "Correct it."),
                json: json)
        }
        let isJSON = json
        do {
            if name == "shop" { return try await shop.run(port: wanted, json: isJSON) }
            if name == "printer" { return try await runPrinter(port: wanted) }
            if let name, Sandbox.cardStandIns.contains(name) { return try await runCardStandIn(name, port: wanted) }
            try await SandboxStripeServer.run(port: wanted, ledgerFile: ledger, cardTime: .milliseconds(400)) { port in
                if isJSON {
                    Output.line("{\"stripe\":\"http://127.0.0.1:\(port)\"}")
                } else {
                    Output.line("stripe  http://127.0.0.1:\(port)")
                    Output.line("Try: till sale --amount 12.50 --currency EUR --reader simulated \\")
                    Output.line("       --provider stripe --stripe-url http://127.0.0.1:\(port)")
                }
            }
        } catch {
            throw Output.fail(
                CommandError(
                    code: "sandbox_failed", what: "The stand-in could not run: \(error).",
                    next: "Check that the port is free."),
                json: json)
        }
    }
}
