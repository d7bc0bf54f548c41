import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillFeatureWebhooks

extension WebhooksCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Adds an endpoint and prints its secret, once; it is notified of what happens from then on.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The address of the program, such as https://shop.example/till.") var url: String
        @Option(
            name: .long,
            help: ArgumentHelp(
                "What it is notified of, separated by commas, such as payment.*,dispute.opened; by default all.",
                valueName: "types"))
        var types: String?
        @Flag(name: .long, help: "The program may be on this machine or in its network, also without TLS.")
        var allowPrivate = false

        func run() async throws {
            try await withCounter(common, provider) { counter in
                try refuseOthersInside(counter.options)
                let made = try await counter.webhookEndpoints.create(
                    account: counter.options.account, url: url, types: try types.map { try Add.words($0) },
                    allowsPrivate: allowPrivate, key: UUID().uuidString)
                show(made, at: counter.clock.now())
            }
        }

        /// Refuses `--allow-private` for an account that may not use the counter's hardware: its programs could later
        /// move the endpoint to any address of the owner's network.
        private func refuseOthersInside(_ options: CounterOptions) throws {
            var own = common
            own.account = nil
            let hardware = try provider.settings(own).accounts(.hardwareAccounts).union([try own.accountID])
            guard allowPrivate, !hardware.contains(options.account) else { return }
            throw CommandError(
                code: "account_not_own",
                what: "Only the counter's own account reaches its network. No endpoint was added.",
                next: "Leave out --allow-private, or --account.")
        }

        private static func words(_ text: String) throws(CommandError) -> [String] {
            let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard (1...WebhookLimits.typesPerEndpoint).contains(words.count) else {
                throw CommandError(
                    code: "invalid_types",
                    what: "--types has \(words.count) types. No endpoint was added.",
                    next: "Name 1 to \(WebhookLimits.typesPerEndpoint), or leave it out for all.")
            }
            return words
        }

        /// Prints the secret to standard output, and the rest to standard error.
        private func show(_ made: (endpoint: WebhookEndpoint, secret: WebhookSecret), at now: Timestamp) {
            if common.json {
                var writer = JSONWriter()
                WebhookJSON.write(made.endpoint, pending: 0, at: now, secret: made.secret, into: &writer)
                return Output.line(writer.text)
            }
            Output.line(made.endpoint.id.rawValue)
            Output.line(made.secret.text.reveal())
            let types = made.endpoint.types
            let told = types == .all ? "everything" : types.words.joined(separator: ", ")
            Output.note(
                "It is notified of \(told). The secret, with which it verifies the messages, is shown this once.")
        }
    }
}
