import ArgumentParser

/// `till applepay …`: Apple Pay commands for diagnostics, tokens and received events.
struct ApplePay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "applepay", abstract: "Examines Apple Pay's tokens, certificates and domains.",
        subcommands: [
            ApplePayDecrypt.self, ApplePayDoctorCommand.self, ApplePaySynthesize.self, ApplePayEvents.self,
        ])
}
