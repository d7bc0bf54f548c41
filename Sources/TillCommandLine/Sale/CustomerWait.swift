import ArgumentParser
import TillCheckout
import TillCore
import TillCounter

/// The time that a command waits for a customer's action, such as authentication at the bank.
struct CustomerWait: ParsableArguments {
    /// The maximum wait, in seconds; after it the attempt is canceled anyway.
    static let longest = Int(CheckSchedule.actionLifetime.milliseconds / 1000)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How many seconds to wait for the customer to confirm at the bank while the provider is polled; up to "
                + "3600.",
            valueName: "seconds"))
    var wait = 0

    func validate() throws {
        guard (0...CustomerWait.longest).contains(wait) else {
            throw ValidationError("--wait is \(wait); it is 0 to \(CustomerWait.longest) seconds.")
        }
    }

    /// Watches a payment until the customer has acted, or until the wait is over.
    func outcome(of payment: Payment, in counter: Counter, json: Bool) async throws -> Payment {
        guard wait > 0, payment.status == .requiresAction else { return payment }
        if !json {
            payment.customersWay.prefix(1).forEach { Output.note($0) }
            Output.note("Waiting up to \(wait) s for the customer. Ctrl-C stops the waiting only.")
        }
        var payment = payment
        let end = counter.clock.now().adding(.seconds(Int64(wait)))
        while payment.status == .requiresAction, counter.clock.now() < end {
            try await counter.clock.sleep(for: .seconds(1))
            try await counter.checkout.queryWhileWatched(payment.id)
            payment = try await counter.checkout.payment(payment.id, account: payment.account)
        }
        return payment
    }
}
