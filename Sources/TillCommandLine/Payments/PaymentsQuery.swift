import ArgumentParser
import TillCheckout
import TillCore
import TillCounter

extension Payment {
    /// The customer's required action, described for the cashier; empty if there is none.
    var customersWay: [String] {
        guard case .requiresAction(let action) = attempts.last?.state else { return [] }
        return (action.url.map { ["Send the customer to \($0)"] } ?? [])
            + ["Afterwards: till payments query \(id)"]
    }
}

extension Payments {
    struct Query: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "query",
            abstract: "Queries the provider for the current state of a payment, for example after 3-D Secure.",
            aliases: ["look"])
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String
        @OptionGroup var customer: CustomerWait

        func run() async throws {
            try await change(common, provider, payment) { counter, found in
                try await counter.checkout.query(found.id)
                let seen = try await counter.checkout.payment(found.id, account: found.account)
                return try await customer.outcome(of: seen, in: counter, json: common.json)
            }
        }
    }
}
