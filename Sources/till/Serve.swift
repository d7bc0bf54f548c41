import ArgumentParser
import Crypto
import Foundation
import Logging
import TillCheckout
import TillCore
import TillReceipts
import TillServer

/// `till serve`: the counter over HTTP.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts the counter: the page, the interface, webhooks. Ctrl-C finishes what is in flight and stops.")

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Option(name: .long, help: "Where to listen.") var host = "127.0.0.1"
    @Option(name: .long, help: "The port; 0 takes a free one.") var port = 8080
    @Option(name: .long, help: "A key for the account. Better: TILL_API_KEY, or till keys create.")
    var apiKey: String?
    @Option(name: .long, help: "Settings of Apple Pay, JSON. Without them the sandbox has a shop at /shop.")
    var applePay: String?
    @Option(name: .long, help: "The shop's name on receipts.") var store = "Till"

    func run() async throws {
        guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
        var logger = Logger(label: "till") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel =
            CommonOptions.environment("log.level").flatMap(Logger.Level.init(rawValue:)) ?? .warning
        let feed = EventFeed()
        do {
            let counter = try await Counter.open(provider.counterOptions(common), onCommit: feed.committed)
            try counter.checkProvider(provider.name)
            var options = ServerOptions()
            options.host = host
            options.port = port
            options.defaultProvider = provider.name
            options.store = StoreDetails(name: store)
            options.webhookSecrets = counter.options.stripeWebhookSecrets
            if let key = apiKey ?? CommonOptions.environment("api.key", isSecret: true) {
                options.keys[Serve.hash(key)] = common.accountID
            }
            options.onListening = announce(counter.options.journal)
            do {
                try await CounterServer(
                    journal: counter.journal, checkout: counter.checkout, feed: feed, options: options,
                    applePay: try ApplePayWeb.serving(applePay, provider.name, host: host, checkout: counter.checkout),
                    clock: counter.clock, logger: logger
                ).run()
            } catch {
                await counter.close()
                throw error
            }
            await counter.close()
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        } catch {
            throw Output.fail(
                CommandError(
                    code: "serve_failed", what: "The counter could not run: \(error).",
                    next: "Check that port \(port) is free, or give another with --port."),
                json: common.json)
        }
    }

    private func announce(_ journal: String) -> @Sendable (Int) -> Void {
        let (host, isJSON, isDefault) = (host, common.json, journal == CounterOptions.defaultJournal)
        return { port in
            if isJSON { return Output.line("{\"url\":\"http://\(host):\(port)\"}") }
            Output.line("The counter is open: http://\(host):\(port)")
            Output.line("Journal: \(journal). The sandbox moves no real money.")
            Output.line("Try, in another terminal:")
            let file = isDefault ? "" : " --journal \(journal)"
            Output.line("  .build/debug/till sale --amount 12.50 --currency EUR --reader simulated\(file)")
        }
    }

    private static func hash(_ key: String) -> String {
        SHA256.hash(data: Array(key.utf8)).map { byte in
            let hex = String(byte, radix: 16)
            return hex.utf8.count == 1 ? "0" + hex : hex
        }.joined()
    }
}

extension Counter {
    /// Refuses to start with a provider that is not configured.
    fileprivate func checkProvider(_ name: ProviderName) throws {
        guard !checkout.providerNames.contains(name) else { return }
        throw CommandError(
            code: "unknown_provider", what: "The provider \(name) is not configured.",
            next: name.rawValue == "stripe" ? "Set TILL_STRIPE_KEY." : "Choose sandbox or stripe.")
    }
}
