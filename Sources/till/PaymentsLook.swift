import ArgumentParser
import TillCheckout
import TillCore
import TillServer

extension Payments {
    struct Look: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Asks the provider now what became of a payment, such as after the bank's challenge.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await change(common, provider, payment) { counter, found in
                try await counter.checkout.look(at: found.id)
                return try await counter.checkout.payment(found.id, account: found.account)
            }
        }
    }
}
