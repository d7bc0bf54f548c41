import ArgumentParser
import TillCheckout
import TillCore
import TillServer

/// An amount as typed, in the payment's currency.
func money(_ text: String?, _ payment: Payment) throws -> Money? {
    do {
        return try text.map { try Money(parsing: $0, currency: payment.currency) }
    } catch {
        throw CommandError(code: "invalid_amount", what: "\(error)", next: "Correct it and try again.")
    }
}

/// Changes a payment and tells what became of it. Ends with 2 if a refund was refused, with 3 if the outcome is open.
func change(
    _ common: CommonOptions, _ provider: ProviderOptions, _ id: String, isRefund: Bool = false,
    _ body: (Counter, Payment) async throws -> Payment
) async throws {
    try await withCounter(common, provider) { counter in
        let found = try await counter.checkout.payment(PaymentID(rawValue: id), account: counter.options.account)
        let done = try await body(counter, found)
        if common.json {
            Output.line(PaymentLine.json(done))
        } else {
            Output.line("\(done.id) is \(done.status.rawValue):")
            Output.line("  captured \(done.captured), refunded \(done.refunded).")
            if done.released.isPositive { Output.line("  let go \(done.released).") }
            if done.isLettingGo {
                Output.note("till: It is not known yet whether the rest was let go; it is being found out.")
            }
            if done.moneyMoved == .unknown { Output.note("till: \(PaymentJSON.message(of: done))") }
            done.customersWay.forEach { Output.note($0) }
        }
        if isRefund, let refund = done.refunds.last, !refund.state.isSucceeded {
            if case .refused = refund.state {
                if !common.json, let message = PaymentJSON.message(of: refund) { Output.note("till: \(message)") }
                throw ExitCode(2)
            }
            if !common.json {
                Output.note(
                    "till: It is not known yet whether \(refund.amount) went back. Do not give it back again; it is "
                        + "being found out: till payments show \(done.id)")
            }
            throw ExitCode(3)
        }
        if done.moneyMoved == .unknown || done.isLettingGo { throw ExitCode(3) }
    }
}

extension Payment {
    /// The rest of a hold of which a part was captured is being let go, and the provider has not confirmed it.
    fileprivate var isLettingGo: Bool {
        currentAttempt?.void.map { $0.rest != nil && $0.state.isOpen } ?? false
    }
}
