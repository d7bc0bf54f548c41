import ArgumentParser

/// `till applepay …`: Apple Pay commands for diagnostics, tokens and received events.
struct ApplePay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "applepay",
        abstract: "Requests Apple's certificates; examines tokens, certificates and domains.",
        subcommands: [
            ApplePayRequest.self, ApplePayDoctorCommand.self, ApplePayDecrypt.self, ApplePaySynthesize.self,
            ApplePayEvents.self,
        ])
}
