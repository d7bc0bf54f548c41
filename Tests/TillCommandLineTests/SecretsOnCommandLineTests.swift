import Testing

@testable import TillCommandLine
import TillCounter

@Suite("Secrets on the command line") struct SecretsOnCommandLineTests {
    @Test("each is named with the variable that is better, by its option or else its setting, and never shown")
    func named() throws {
        let settings = try Settings(
            of: ProviderModules.all,
            commandLine: [
                "stripe.key": "sk_test_shown", "paypal.secret": "shown", "adyen.key": "shown", "provider": "sandbox",
            ],
            environment: ["TILL_STRIPE_WEBHOOK_SECRET": "whsec_fine"])
        let sentences = SecretsOnCommandLine.sentences(settings)
        #expect(sentences.count == 3)
        for (name, variable) in [
            ("--stripe-key", "TILL_STRIPE_KEY"), ("--paypal-secret", "TILL_PAYPAL_SECRET"),
            ("“adyen.key”", "TILL_ADYEN_KEY"),
        ] {
            let isNamed = sentences.contains { $0.hasPrefix(name + " stands") && $0.hasSuffix("set \(variable).") }
            #expect(isNamed, "\(name)")
        }
        #expect(!sentences.contains { $0.contains("shown") })
    }
}
