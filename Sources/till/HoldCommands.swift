import ArgumentParser
import TillCheckout
import TillCore
import TillServer

/// `till payments capture` and `till authorizations capture`.
struct CaptureHold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Takes held money; all that is left unless an amount is given.")
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The payment.") var payment: String
    @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("How much, as 5.00.", valueName: "amount"))
    var amount: String?
    @Flag(name: .long, help: "More may be captured later.") var partial = false

    func run() async throws {
        try await change(common, provider, payment, wish: .capture) { counter, found in
            try await counter.checkout.capture(
                found.id, account: found.account, amount: try money(amount, found), isFinal: !partial)
        }
    }
}

/// What letting go of a hold is asked with.
struct VoidHold: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The payment.") var payment: String
    @Option(name: .long, help: "Why.") var reason = "requested_by_customer"

    func callAsFunction() async throws {
        try await change(common, provider, payment, wish: .letGo) { counter, found in
            try await counter.checkout.cancel(found.id, account: found.account, reason: reason)
        }
    }
}

extension Payments {
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Lets held money go. Where a part was captured the rest goes, and that part stays.")
        @OptionGroup var letGo: VoidHold

        func run() async throws { try await letGo() }
    }
}

extension Authorizations {
    struct Void: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "void",
            abstract: "Lets held money go. Where a part was captured the rest goes, and that part stays.")
        @OptionGroup var letGo: VoidHold

        func run() async throws { try await letGo() }
    }
}
