import ArgumentParser
import TillCheckout
import TillCore
import TillCounter

/// Parses an amount in the payment's currency.
func money(_ text: String?, _ payment: Payment) throws -> Money? {
    do {
        return try text.map { try Money(parsing: $0, currency: payment.currency) }
    } catch {
        throw CommandError(code: "invalid_amount", what: "\(error)", next: "Correct it and try again.")
    }
}

/// The requested change of a held or captured payment.
enum PaymentWish {
    case capture, void, refund

    /// Returns a sentence about a provider's refusal and the resulting state of the money; `nil` without a refusal.
    fileprivate func refusal(in payment: Payment) -> String? {
        switch self {
        case .capture:
            guard let capture = payment.captures.last, case .refused(let decline) = capture.state else { return nil }
            return "The provider refused to capture \(capture.amount) (\(decline.code ?? decline.reason.rawValue)). "
                + "It was not captured."
        case .void:
            guard case .refused(let decline)? = payment.currentAttempt?.void?.state else { return nil }
            let code = decline.code ?? decline.reason.rawValue
            guard payment.held.isPositive || payment.captured.isZero else {
                return "The provider refused to void it (\(code)): somebody else captured it, and "
                    + "\(payment.captured) is captured now. Refund what is not wanted."
            }
            guard payment.held.isPositive else {
                return "The provider refused to void it (\(code)). It may hold the money, or collect it again: "
                    + "check the provider's dashboard, then try again."
            }
            return "The provider refused to void \(payment.held) (\(code)). "
                + "It is still held, or somebody else captured it: check the provider's dashboard, then try again."
        case .refund:
            return payment.refunds.last.flatMap { PaymentJSON.message(of: $0) }
        }
    }

    /// Returns a sentence about a deferred request that was certainly not executed, because the provider rejects the
    /// shop's own credentials.
    fileprivate func wait(in payment: Payment) -> String? {
        guard payment.attention.contains(.keyRejected) else { return nil }
        let (what, state): (String, OperationState?) =
            switch self {
            case .capture:
                ("\(payment.captures.last?.amount ?? payment.held) was not captured", payment.captures.last?.state)
            case .void:
                (
                    payment.held.isPositive ? "\(payment.held) is still held" : "it was not voided",
                    payment.currentAttempt?.void?.state
                )
            case .refund:
                ("\(payment.refunds.last?.amount ?? payment.refunded) was not refunded", payment.refunds.last?.state)
            }
        guard case .deferred? = state else { return nil }
        return "The provider rejects our own credentials: \(what). Correct them; it resumes by itself. Do not ask for "
            + "it again."
    }

    /// Returns a sentence about an unknown outcome, with the action to avoid meanwhile. A pending release of a hold is
    /// reported for every request.
    fileprivate func doubt(in payment: Payment) -> String? {
        switch self {
        case .capture:
            guard let capture = payment.captures.last, capture.state.isOpen else { return nil }
            return "whether \(capture.amount) was captured. Do not capture it again"
        case .refund:
            guard let refund = payment.refunds.last, refund.state.isOpen else { return nil }
            return "whether \(refund.amount) was refunded. Do not refund it again"
        case .void: return nil
        }
    }
}

/// Changes a payment and reports the outcome. Ends with 2 if the provider refused, with 3 if the outcome is open.
func change(
    _ common: CommonOptions, _ provider: ProviderOptions, _ id: String, wish: PaymentWish? = nil,
    _ body: (Counter, Payment) async throws -> Payment
) async throws {
    try await withCounter(common, provider, creates: false) { counter in
        let found = try await counter.checkout.payment(PaymentID(rawValue: id), account: counter.options.account)
        let done = try await body(counter, found)
        if common.json {
            Output.line(PaymentLine.json(done))
        } else {
            Output.line("\(done.id) is \(done.status.rawValue):")
            Output.line("  captured \(done.captured), refunded \(done.refunded).")
            if done.released.isPositive { Output.line("  released \(done.released).") }
            if done.isLettingGo {
                let what = done.held.isPositive ? "\(done.held)" : "it"
                Output.note("till: It is not known yet whether \(what) was voided; it is being checked.")
            }
            if done.moneyMoved == .unknown { Output.note("till: \(PaymentJSON.message(of: done))") }
            done.customersWay.forEach { Output.note($0) }
        }
        if let refusal = wish?.refusal(in: done) {
            if !common.json { Output.note("till: \(refusal)") }
            throw ExitCode(2)
        }
        if let wait = wish?.wait(in: done) {
            if !common.json { Output.note("till: \(wait)") }
            throw ExitCode(3)
        }
        if let doubt = wish?.doubt(in: done) {
            if !common.json {
                Output.note("till: It is not known yet \(doubt); it is being checked: till payments show \(done.id)")
            }
            throw ExitCode(3)
        }
        if done.moneyMoved == .unknown || done.isLettingGo { throw ExitCode(3) }
    }
}

extension Payment {
    /// `true` if the release of a hold, or of its remainder, is not confirmed by the provider.
    fileprivate var isLettingGo: Bool {
        (held.isPositive || status == .captureFailed) && currentAttempt?.void?.state.isOpen == true
    }
}
