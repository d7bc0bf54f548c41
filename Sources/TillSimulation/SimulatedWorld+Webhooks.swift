import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

extension SimulatedWorld {
    /// Delivers a webhook, once or several times, late, out of order, and retried until a process accepts it; some are
    /// forged.
    /// - Parameter tries: the number of attempts to deliver a webhook that is not accepted.
    func sendWebhook(about context: AttemptContext, tries: Int = 8) {
        guard !isOver else { return }
        let number = state.withLock { state in
            state.webhooks += 1
            return state.webhooks
        }
        var copies: Int64 = 1
        if chance(150) {
            copies = chance(100) ? self.number(3...10) : 2
            count("duplicate webhook")
        }
        let isForged = chance(150)
        if isForged { count("forged webhook") }
        let isLate = chance(30)
        if isLate { count("webhook days late") }
        for _ in 0..<copies {
            spawn { [self] in
                await pause(isLate ? 3_600_000...259_200_000 : 0...5000)
                for _ in 0..<tries {
                    if await hear(number, context, isForged: isForged) { return }
                    count("webhook not taken")
                    await pause(5_000...7_200_000)
                }
            }
        }
    }

    /// Handles a webhook like the counter: receipt and query request in one write, followed by the query. `false` if
    /// the provider must retry.
    private func hear(_ number: Int, _ context: AttemptContext, isForged: Bool) async -> Bool {
        guard let (engine, incarnation) = process().map({ ($0.engine, $0.incarnation) }) else { return false }
        if plant == .webhookContentTrusted, isForged {
            let believing = Checkout(
                journal: incarnation.journal,
                providers: [PlantedProvider(base: accounts[0], plant: .webhookContentTrusted)],
                clock: incarnation.clock, executor: executor)
            try? await believing.query(context.payment)
            return true
        }
        let receipt = WebhookReceipt(provider: accounts[0].name, id: "evt_\(number)", at: incarnation.clock.now())
        do throws(CheckoutError) {
            if plant == .webhookNotKept { return true }
            let owner = Incident.Owner(account: context.account, order: context.order)
            let report = WebhookReport(
                receipt: receipt, payment: context.payment, attempt: context.attempt, owner: owner,
                isAfterSale: true, document: [])
            guard try await engine.receiveWebhook(report) else { return true }
        } catch { return false }
        try? await engine.query(context.payment)
        return true
    }
}
