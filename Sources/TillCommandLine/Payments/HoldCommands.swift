import ArgumentParser
import TillCheckout
import TillCore
import TillCounter

/// `till payments capture` and `till authorizations capture`.
struct CaptureHold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Captures held money; by default all that is left.")
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The payment.") var payment: String
    @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("How much, such as 5.00.", valueName: "amount"))
    var amount: String?
    @Flag(name: .long, help: "More may be captured later.") var partial = false

    func run() async throws {
        try await change(common, provider, payment, wish: .capture) { counter, found in
            try await counter.checkout.capture(
                found.id, account: found.account, amount: try money(amount, found), isFinal: !partial)
        }
    }
}

/// The arguments of a void.
struct VoidHold: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The payment.") var payment: String
    @Option(name: .long, help: "Why.") var reason = "requested_by_customer"

    func callAsFunction() async throws {
        try await change(common, provider, payment, wish: .void) { counter, found in
            try await counter.checkout.cancel(found.id, account: found.account, reason: reason)
        }
    }
}

extension Payments {
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Voids a hold. Where a part was captured the rest is released, and that part stays.")
        @OptionGroup var hold: VoidHold

        func run() async throws { try await hold() }
    }
}

extension Authorizations {
    struct Void: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "void",
            abstract: "Voids a hold. Where a part was captured the rest is released, and that part stays.")
        @OptionGroup var hold: VoidHold

        func run() async throws { try await hold() }
    }
}
