import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillFeatureShops
import TillHTTP
import TillJournal
import TillShop

/// `till shop …`: connects shops whose orders are sold at the counter, and shows whether they are in step.
struct ShopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shop",
        abstract: "Connects a WooCommerce shop: its open orders are sold here, and it hears of their payments.",
        discussion: """
            A running counter takes in the shop's orders and tells it of payments and refunds; it hears of every \
            change of this command within a few seconds. docs/SHOPS.md says what is told, and when.
            """,
        subcommands: [List.self, Connect.self, Disconnect.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the connected shops, and the orders that are not in sync.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let shops = counter.connectedShops
                let all = try await shops.list(counter.options.account)
                guard common.json else {
                    if all.isEmpty { Output.line("No shops.") }
                    for shop in all {
                        let standing = try await shops.standing(of: shop)
                        Output.line("\(shop.url)  \(standing.orders) orders  key \(shop.keyEnding)")
                        Output.line("  \(shop.id)")
                        if let trouble = shop.trouble { show(trouble, of: "the shop") }
                        for (order, trouble) in standing.troubles { show(trouble, of: "order \(order)") }
                    }
                    return
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("shops")
                writer.beginArray()
                for shop in all {
                    let standing = try await shops.standing(of: shop)
                    ShopJSON.write(shop, orders: standing.orders, troubles: standing.troubles, into: &writer)
                }
                writer.endArray()
                writer.endObject()
                Output.line(writer.text)
            }
        }

        private func show(_ trouble: ShopTrouble, of what: String) {
            Output.line("  \(what), since \(trouble.since):")
            Output.line("    \(trouble.sentence)")
        }
    }

    struct Disconnect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disconnect",
            abstract: "Disconnects a shop. Its orders stay here, and it hears no more of them.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The shop's address, or its identifier as till shop list names it.") var shop: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let shops = counter.connectedShops
                let account = counter.options.account
                let address = (try? ShopURL(shop, allowsPlain: true))?.text
                guard
                    let known = try await shops.list(account).first(where: {
                        $0.id.rawValue == shop || $0.url.text == address
                    })
                else { throw ShopConnectError.unknownShop }
                try await shops.disconnect(known.id, of: account)
                guard common.json else { return Output.line("\(known.url) is disconnected.") }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("disconnected", known.id.rawValue)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }
}

extension Counter {
    /// The shops that a running counter on the same journal works with.
    var connectedShops: ConnectedShops {
        ConnectedShops(journal, pepper: Pepper(besideJournal: journal.path), clock: clock, mode: mode)
    }
}
