import TillCore

extension Checkout {
    /// How many calls to one provider may run on after they were given up. While this many do, nothing more is sent to
    /// it: what is to be sent is `notSent`, and sent later.
    public static let maximumAbandonedCalls = 32

    /// Makes one call to a provider and waits for its answer, at most `span` and no longer than the caller is wanted.
    ///
    /// A call without an answer may have moved money: it is `unknown`. The call runs in a task of its own, because a
    /// task group waits for every child, and so a provider that never returns and ignores its cancellation would hold
    /// the engine for ever. A call that was given up is canceled; whatever it answers after that goes to
    /// ``observeLate(_:of:)``, and it keeps nobody from closing the journal and ending the process.
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
            // This task was canceled when it was given up; what follows from a yes, such as the capture, is not.
            Task(executorPreference: executor) { await observeLate(answered(answer), of: payment) }
        }
        // Counted before, since the call may end at the same moment.
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
        // A caller who is not wanted any more says nothing about the provider.
        board.ended(name, isHeard: answer.map(\.isHeard) ?? (Task.isCancelled ? nil : false), at: clock.now())
        return answered(
            answer ?? .unknown(reason: "The provider did not answer within \(span.milliseconds / 1000) s."))
    }

    /// Takes in what a provider answered to a call that was given up.
    ///
    /// Only a yes counts: what has happened stays true however late it is heard, and a second yes leads to nothing. A
    /// no and an unknown are dropped, since the same key may have been sent again after the call was given up, and the
    /// answer to that, or the next query, is newer. So are a preparation, which the payment has done without, and a
    /// query. A yes that the journal does not take is dropped too: the payment is `unknown` there and will be queried.
    private func observeLate(_ answer: PaymentAnswer, of id: PaymentID) async {
        guard answer.isYes else { return }
        atWork.begin(id)
        defer { atWork.end(id) }
        do throws(CheckoutError) {
            guard let payment = try await stored(id) else { return }
            let (current, events) = try await record(answer, for: payment, moreToDo: false)
            _ = try await drive(current, started: events, tender: nil)
        } catch {
            // The payment is unknown in the journal, or has work to do there: recovery finds it by itself.
        }
    }
}

extension PaymentAnswer {
    /// Something was moved or released for certain.
    fileprivate var isYes: Bool {
        switch self {
        case .authorized(_, .approved), .continued(_, .approved), .captured(_, .approved), .voided(_, .approved),
            .renewed(_, .approved), .refunded(_, .approved):
            true
        case .authorized, .continued, .captured, .voided, .renewed, .refunded, .prepared, .snapshot, .holdEnds: false
        }
    }
}
