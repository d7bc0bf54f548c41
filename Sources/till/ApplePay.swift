import ArgumentParser

/// `till applepay …`: commands about Apple Pay: its doctor, its tokens and what was received.
struct ApplePay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "applepay", abstract: "Examines Apple Pay's tokens, certificates and domains.",
        subcommands: [
            ApplePayDecrypt.self, ApplePayDoctorCommand.self, ApplePaySynthesize.self, ApplePayEvents.self,
        ])
}
