import ArgumentParser
import TillFeatureOrders

extension OrdersCommand {
    struct Ready: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ready", abstract: "Marks the goods of an order as prepared.")
        @OptionGroup var order: OneOrder

        func run() async throws { try await order.move(to: .ready) }
    }

    struct Fulfil: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fulfil", abstract: "Marks the goods of a paid order as handed over or sent.")
        @OptionGroup var order: OneOrder
        @Flag(name: .long, help: "Hand them over although the order is not paid.") var acceptUnpaid = false

        func run() async throws { try await order.move(to: .fulfilled, acceptsUnpaid: acceptUnpaid) }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Cancels an order of which nothing is paid or asked for.")
        @OptionGroup var order: OneOrder

        func run() async throws { try await order.move(to: .canceled) }
    }

    struct Reopen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reopen", abstract: "Opens an order again that is ready, handed over or canceled.")
        @OptionGroup var order: OneOrder

        func run() async throws { try await order.move(to: .open) }
    }
}
