internal import TillCore

extension ReaderConversation {
    /// A refund to a card that is presented again, known in Stripe's list by its name.
    struct Refund: Sendable {
        let payment: ProviderReference
        let amount: Money
        let name: String
        /// Metadata stored with the refund beside the name.
        var metadata: [String: String] = [:]
        let key: IdempotencyKey
    }

    enum RefundEnd {
        /// As Stripe lists it.
        case listed(StripeRefund)
        /// Certainly not made.
        case notMade(Cause)
        /// The command was certainly not carried out.
        case notDone(StripeTerminalError)
        case open(UnknownReason)
    }

    /// Sends a refund command and waits for its end.
    /// - Parameter wire: the amount in wire units.
    func refund(_ refund: Refund, _ wire: Int64) async -> RefundEnd {
        var metadata = refund.metadata
        metadata[StripeTerminal.refundName] = refund.name
        let wish = TerminalRefund(
            paymentIntent: refund.payment, amount: wire, metadata: metadata, customerCancels: true)
        guard !Task.isCancelled else { return .notDone(StripeTerminalError(.notSent, "the refund was abandoned")) }
        await progress(.sending)
        var doubt: UnknownReason?
        do throws(StripeTerminalError) { _ = try await terminal.refund(wish, at: reader, key: refund.key) } catch {
            // The command may have left as late as now.
            await progress(.sending)
            switch error.certainty {
            case .notSent, .notNow, .keyRejected: return .notDone(error)
            case .refused where !error.mayHaveArrived:
                return await terminal.listed(refund) ?? .notMade(.refused(error))
            case .kept: doubt = .keySpent(error.what)
            case .refused, .unknown: doubt = .unclear("the command may still reach the reader")
            }
        }
        await progress(.asked)
        return await watch(refund, doubt)
    }

    /// Waits for the end of a refund. If the refund is not listed, the reader's report is a definite decline only once
    /// the action was canceled and the command cannot arrive later.
    /// - Parameter doubt: the reason that the command may still arrive; `nil` if it cannot.
    private func watch(_ refund: Refund, _ doubt: UnknownReason?) async -> RefundEnd {
        let began = terminal.clock.now()
        var polls = StripeTerminal.firstPolls[...]
        while terminal.clock.now().since(began) < StripeTerminal.collectionTime, !Task.isCancelled {
            let state = try? await terminal.reader(reader)
            guard !Task.isCancelled else { break }
            let action = state?.action.flatMap { isOurs($0, refund) ? $0 : nil }
            if let action, action.status != .inProgress {
                if let made = await terminal.listed(refund) { return made }
                if action.status == .failed, let end = await letGo(refund, .reported(action), doubt) { return end }
            } else if let state, action == nil, terminal.clock.now().since(began) >= StripeTerminal.grace {
                if let made = await terminal.listed(refund) { return made }
                // Another action is left alone; the end of ours cannot be established then.
                guard state.action?.status != .inProgress else {
                    return .open(.unclear("the reader is busy with something else"))
                }
                if let end = await letGo(refund, .dropped, doubt) { return end }
            }
            await pause(polls.popFirst() ?? StripeTerminal.pollInterval)
        }
        return await letGo(refund, .nobody, doubt) ?? .open(.unclear("the reader did not come to an end in time"))
    }

    private func isOurs(_ action: TerminalAction, _ refund: Refund) -> Bool {
        action.kind == .refundPayment && action.paymentIntent == refund.payment
    }

    /// Cancels at the reader and queries once more. Returns `nil` if the action cannot be canceled now.
    private func letGo(_ refund: Refund, _ cause: Cause, _ doubt: UnknownReason?) async -> RefundEnd? {
        let key = "\(refund.key)-calloff-\(terminal.clock.now().milliseconds)"
        guard !Task.isCancelled, await cancelAction(key) else { return nil }
        if let made = await terminal.listed(refund) { return made }
        return doubt.map { .open($0) } ?? .notMade(cause)
    }
}

extension StripeTerminal {
    /// The name of a refund in its metadata.
    static let refundName = "till_refund"

    /// Returns the refund with this name, if Stripe has it; `open` if the list cannot be read.
    func listed(_ refund: ReaderConversation.Refund) async -> ReaderConversation.RefundEnd? {
        let call = StripeRequest.get(
            StripePath.refunds, [("payment_intent", refund.payment.rawValue), ("limit", "100")])
        guard case .answered(let json) = await client.send(call, within: deadline), let all = json["data"]?.arrayValue
        else { return .open(.unclear("the refunds cannot be read")) }
        let ours = all.first { $0["metadata"]?[StripeTerminal.refundName]?.stringValue == refund.name }
        guard let ours else { return nil }
        guard let made = StripeRefund(ours) else { return .open(.unclear("the refunds cannot be read")) }
        guard made.amount == refund.amount else { return .open(.unclear("amount mismatch")) }
        return .listed(made)
    }
}
