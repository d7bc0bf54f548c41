import TillCore

extension Checkout {
    /// The most abandoned calls to one provider that may still be running. Once this number is reached, no more calls
    /// are sent to the provider: they are `notSent` and sent later.
    public static let maximumAbandonedCalls = 32

    /// Makes one call to a provider and waits for its answer until `span` has passed or the caller is canceled.
    ///
    /// A call without an answer may have moved money: it is `unknown`. The call runs in an unstructured task, because a
    /// task group waits for every child, and a provider that never returns and ignores cancellation would block the
    /// engine forever. An abandoned call is canceled; any later answer goes to ``observeLate(_:of:)``. It does not keep
    /// the journal from closing or the process from exiting.
    func ask<Success>(
        _ provider: any PaymentServiceProvider, for payment: PaymentID, within span: Span = Checkout.providerDeadline,
        as answered: @escaping @Sendable (ProviderAnswer<Success>) -> PaymentAnswer,
        _ call: @escaping @Sendable () async -> ProviderAnswer<Success>
    ) async -> PaymentAnswer {
        let name = provider.name
        let kept = RecoveryWork.isOn ? Checkout.abandonedCallsKeptForSales : 0
        guard abandoned.count(of: name) < Checkout.maximumAbandonedCalls - kept else {
            return answered(.notSent(reason: "too many calls to \(name) were given up and have not ended"))
        }
        let outcome = FirstOutcome<ProviderAnswer<Success>>()
        let task = Task(executorPreference: executor) {
            let answer = await call()
            guard !outcome.end(with: answer) else { return }
            abandoned.end(name)
            // This task was canceled when the call was abandoned; follow-up work of an approval, such as the capture,
            // must not be.
            Task(executorPreference: executor) { await observeLate(answered(answer), of: payment) }
        }
        // Counted first, because the call may end at the same moment.
        let giveUp: @Sendable () -> Void = { [abandoned] in
            abandoned.begin(name)
            if outcome.end(with: nil) { task.cancel() } else { abandoned.end(name) }
        }
        let timer = Task(executorPreference: executor) { [clock] in
            do { try await clock.sleep(for: span) } catch { return }
            giveUp()
        }
        let answer = await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            giveUp()
        }
        timer.cancel()
        // Cancellation by the caller is no evidence about the provider.
        board.ended(name, isHeard: answer.map(\.isHeard) ?? (Task.isCancelled ? nil : false), at: clock.now())
        return answered(
            answer ?? .unknown(reason: "The provider did not answer within \(span.milliseconds / 1000) s."))
    }

    /// Records the late answer to an abandoned call.
    ///
    /// Only an approval counts: it stays true however late it arrives, and a second approval has no effect. A decline
    /// or an unknown outcome is dropped, because the same key may have been sent again since, and the answer to that
    /// call, or the next query, is newer. A preparation, which the payment has managed without, and a query are dropped
    /// as well. So is an approval that the journal rejects: the payment is `unknown` there and will be queried.
    private func observeLate(_ answer: PaymentAnswer, of id: PaymentID) async {
        guard answer.isYes else { return }
        atWork.begin(id)
        defer { atWork.end(id) }
        do throws(CheckoutError) {
            guard var payment = try await stored(id) else { return }
            let events = try await record(answer, in: &payment, moreToDo: false)
            _ = try await drive(payment, started: events)
        } catch {
            // The payment is unknown in the journal, or has pending work there: recovery finds it.
        }
    }
}

extension PaymentAnswer {
    /// `true` if the answer proves that money was moved or released.
    fileprivate var isYes: Bool {
        switch self {
        case .authorized(_, .approved), .continued(_, .approved), .captured(_, .approved), .voided(_, .approved),
            .renewed(_, .approved), .refunded(_, .approved):
            true
        case .authorized, .continued, .captured, .voided, .renewed, .refunded, .prepared, .snapshot, .holdEnds: false
        }
    }
}
