import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillFeatureShops
import TillHTTP
import TillShop

extension ShopCommand {
    struct Connect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "connect",
            abstract: "Checks a shop's address and key, and connects it; again for another key.",
            discussion: """
                The key is made in the shop under WooCommerce, Settings, Advanced, REST API, with the permissions \
                Read/Write. The secret is better in TILL_SHOP_SECRET than on the command line.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The shop's address, such as https://shop.example.") var url: String
        @Option(name: .long, help: ArgumentHelp("The consumer key. Also TILL_SHOP_KEY.", valueName: "ck_…"))
        var key: String?
        @Option(name: .long, help: ArgumentHelp("The consumer secret. Also TILL_SHOP_SECRET.", valueName: "cs_…"))
        var secret: String?
        @Option(
            name: .long,
            help: ArgumentHelp(
                "Sell its orders under names in this scope; needed for a second shop.", valueName: "name"))
        var scope: String?
        @Option(
            name: .long,
            help: ArgumentHelp(
                "The counter's public address, to which the shop then sends notifications.", valueName: "url"))
        var notifyAt: String?
        @Flag(name: .long, help: "Allow an address without TLS, in the counter's own network.")
        var allowPlain = false
        @Flag(
            name: .long,
            help: "Reach the shop at any address from now on, though it was connected over HTTP, which checks them.")
        var anyAddress = false
        @Flag(name: .long, help: "The shop sells nothing real: a counter in test mode may tell it of payments.")
        var testShop = false

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let address = try ShopURL(url, allowsPlain: allowPlain)
                let pair = try keyPair()
                var request = ConnectedShops.Request(
                    url: address, key: pair, scope: try orderScope(), isTestShop: testShop)
                if anyAddress { request.isGuarded = false }
                let notified = try notifyAt.map { try NotificationAddress($0) }
                let transport = HTTPClientTransport()
                do {
                    if !common.json { Output.note("Asking \(address) whether it takes the key …") }
                    show(
                        try await counter.connectedShops.connect(
                            request, account: counter.options.account, over: transport, notifying: notified))
                } catch {
                    await transport.shutdown()
                    throw error
                }
                await transport.shutdown()
            }
        }

        private func keyPair() throws -> ShopKey {
            let environment = ProcessInfo.processInfo.environment
            if secret != nil {
                Output.note(
                    "--secret stands on the command line, where other users of this machine can see it: "
                        + "set TILL_SHOP_SECRET.")
            }
            guard let key = key ?? environment["TILL_SHOP_KEY"], let secret = secret ?? environment["TILL_SHOP_SECRET"]
            else {
                throw CommandError(
                    code: "shop_key", what: "The shop's key is missing. The shop was not connected.",
                    next: "Give --key and --secret, or set TILL_SHOP_KEY and TILL_SHOP_SECRET.")
            }
            return try ShopKey(key: key, secret: Secret(secret))
        }

        private func orderScope() throws -> OrderScope? {
            guard let scope else { return nil }
            guard let valid = OrderScope(scope) else { throw ShopConnectError.scope }
            return valid
        }

        private func show(_ made: ConnectedShops.Connection) {
            let (shop, standing) = (made.shop, made.standing)
            guard common.json else {
                Output.line(shop.id.rawValue)
                let version =
                    standing.version.map { "WooCommerce \($0)" } ?? "WooCommerce, of a version it does not say"
                let currency = standing.currency.map { ", in \($0.code)" } ?? ""
                Output.note("\(shop.url) is connected: \(version)\(currency).")
                Output.note(
                    made.isNotified
                        ? "It notifies the counter of changes."
                        : "A running counter asks it for changes every "
                            + "\(ShopSyncLimits.poll.milliseconds / 1_000) seconds.")
                Output.note(
                    shop.isGuarded
                        ? "It was connected over HTTP: the counter checks each address that it reaches it at. "
                            + "--any-address ends that."
                        : "The counter reaches it at any address that it has.")
                return
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("id", shop.id.rawValue)
            writer.field("url", shop.url.text)
            writer.field("version", standing.version)
            writer.field("currency", standing.currency?.code)
            writer.field("notifies", made.isNotified)
            writer.field("guarded", shop.isGuarded)
            writer.endObject()
            Output.line(writer.text)
        }
    }
}
