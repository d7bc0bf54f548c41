import TillAdyen
import TillCore
import TillCounter
import TillProvider
import TillStandInAdyen
import TillStandInBraintree
import TillStandInPayPal

extension Sandbox {
    /// The providers with a card simulator.
    static let cardStandIns = ["paypal", "braintree", "adyen"]

    /// Runs the simulator of a card provider.
    func runCardStandIn(_ name: String, port: Int) async throws {
        let isJSON = json
        let tell: @Sendable (Int) async -> Void = { port in
            let url = "http://127.0.0.1:\(port)"
            if isJSON {
                Output.line("{\"\(name)\":\"\(url)\"}")
            } else {
                Output.line("\(name)  \(url)")
                Output.line("Try: till sale --amount 12.50 --currency EUR --card-number 4032036247327321 \\")
                Output.line("       --expiry 12/30 --cvc 123 --provider \(name) --\(name)-url \(url)")
            }
        }
        if name == "adyen" {
            let settings = try Settings(of: ProviderModules.all)
            let named = settings.text(.adyenTerminalKey).flatMap { AdyenTerminalSeal.named($0) }
            let key = settings.secret(.adyenTerminalPassphrase).flatMap { passphrase in
                named.map { AdyenTerminalStandInKey(passphrase: passphrase, identifier: $0.name, version: $0.version) }
            }
            try await SandboxAdyen(stall: .seconds(100), terminalKey: key).run(port: port, onReady: tell)
        } else if name == "braintree" {
            try await SandboxBraintree(stall: .seconds(100)).run(port: port, onReady: tell)
        } else {
            try await SandboxPayPalServer().run(port: port, onReady: tell)
        }
    }
}
