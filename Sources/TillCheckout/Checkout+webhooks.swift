public import TillCore
public import TillJournal

/// The content of a provider's webhook, as far as the engine needs it.
public struct WebhookReport: Sendable {
    /// The receipt under which the webhook is recorded, once.
    public var receipt: WebhookReceipt
    /// The payment concerned; `nil` if there is none, or the provider does not name it.
    public var payment: PaymentID?
    /// The attempt concerned, if the provider names it: an abandoned one is queried even if another followed.
    public var attempt: AttemptID?
    /// The owner of the order, if the webhook names it: the order is held if the journal does not know the payment.
    public var owner: Incident.Owner?
    /// `true` if the webhook may concern money that has already moved, so that a settled payment is queried too.
    public var isAfterSale: Bool
    /// `true` if the webhook reports money of the attempt that it names: without such an attempt in the journal, it
    /// becomes an incident.
    public var isCharge: Bool
    /// The delivered document, kept if no payment accounts for it.
    public var document: [UInt8]

    public init(
        receipt: WebhookReceipt, payment: PaymentID?, attempt: AttemptID? = nil, owner: Incident.Owner? = nil,
        isAfterSale: Bool, isCharge: Bool = false, document: [UInt8]
    ) {
        self.receipt = receipt
        self.payment = payment
        self.attempt = attempt
        self.owner = owner
        self.isAfterSale = isAfterSale
        self.isCharge = isCharge
        self.document = document
    }
}

/// What recording a webhook came to.
package enum RecordedWebhook: Sendable {
    /// It was recorded before; nothing was written.
    case before
    /// It is recorded now.
    /// - Parameter payment: The payment as this left it; `nil` if it was not read, or cannot be.
    case now(payment: Payment?)
}

extension Checkout {
    /// Records a provider's webhook and its consequences, once and in one commit:
    /// - A payment with something open becomes due immediately.
    /// - A settled payment (after the sale), one that holds money, or one with an abandoned attempt is queried until
    ///   the provider has answered. So is an earlier abandoned attempt that the webhook names, once no other operation
    ///   is open.
    /// - For a payment that the journal does not know, an incident is opened, which holds the order that the webhook
    ///   names. So it is for money of an attempt that the payment does not have, as after a restore: the payment's own
    ///   order is held.
    ///
    /// A payment with unreadable events counts as known.
    /// - Returns: `false` if the webhook was recorded before.
    public func receiveWebhook(_ report: WebhookReport) async throws(CheckoutError) -> Bool {
        switch try await recordWebhook(report) {
        case .before: return false
        case .now: return true
        }
    }

    /// Records a webhook as ``receiveWebhook(_:)`` does, and returns the payment for the query that follows; see
    /// ``query(_:ifNotWithin:seen:)``.
    package func recordWebhook(_ report: WebhookReport) async throws(CheckoutError) -> RecordedWebhook {
        guard let id = report.payment else { return try await recorded(JournalWrite(webhook: report.receipt)) }
        for _ in 0..<Checkout.maximumConflicts {
            let now = clock.now()
            let woken = JournalWrite(webhook: report.receipt, wake: (id, now))
            var payment: Payment
            do throws(CheckoutError) {
                guard let found = try await stored(id) else {
                    return try await recorded(
                        JournalWrite(webhook: report.receipt, records: incident(report, id, now)))
                }
                payment = found
                if report.isCharge, let attempt = report.attempt, !found.attempts.contains(where: { $0.id == attempt })
                {
                    return try await recorded(
                        JournalWrite(webhook: report.receipt, records: charge(report, of: found, now)), found)
                }
            } catch .journal(.corrupted) {
                return try await recorded(woken)
            } catch .journal(.recordConflict) {
                // The order's hold has changed in the meantime.
                continue
            }
            // A hold can be captured and released in dashboards, and an abandoned attempt approved after all. No other
            // open operation would trigger a query.
            let mayHold = payment.isAtRest && (payment.held.isPositive || payment.mayBeApprovedLate)
            var events = report.attempt.map { payment.requestQuery(aboutAbandoned: $0, at: now) } ?? []
            if report.isAfterSale || mayHold {
                events += payment.requestQuery(at: now).filter { !events.contains($0) }
            }
            if events.isEmpty { return try await recorded(woken, payment) }
            do throws(CheckoutError) {
                // A process with a call under way keeps the payment; otherwise it is queried immediately, whatever else
                // is open. This process must not take it over: the payment may belong to another account, and would
                // then be held without ever being worked on.
                let isKept = payment.isInFlight || payment.hasUndecidedAttempt
                if try await append(
                    events, to: &payment, at: now, holder: isKept ? .unchanged : .nobody, webhook: report.receipt,
                    wakes: !payment.isInFlight)
                {
                    return .now(payment: payment)
                }
            } catch .journal(.webhookSeen) { return .before }
        }
        throw .tooManyConflicts(id)
    }

    /// Records an after-sale webhook about a payment; see ``receiveWebhook(_:)``.
    public func receiveWebhook(about id: PaymentID, in webhook: WebhookReceipt) async throws(CheckoutError) -> Bool {
        try await receiveWebhook(WebhookReport(receipt: webhook, payment: id, isAfterSale: true, document: []))
    }

    /// Returns the changes that keep an unaccounted webhook as an incident and hold its order.
    private func incident(
        _ report: WebhookReport, _ payment: PaymentID, _ now: Timestamp
    ) async throws(CheckoutError) -> [RecordChange] {
        let incident = Incident(
            webhook: report.receipt.id, of: report.receipt.provider, about: payment, for: report.owner,
            body: report.document, at: now)
        return try await changes(keeping: incident)
    }

    /// Returns the changes that keep money of an attempt which the payment does not have, and hold its order.
    private func charge(
        _ report: WebhookReport, of payment: Payment, _ now: Timestamp
    ) async throws(CheckoutError) -> [RecordChange] {
        try await changes(
            keeping: Incident(
                listed: .unknownCharge, report.receipt.id, of: report.receipt.provider, about: payment.id,
                for: Incident.Owner(account: payment.account, order: payment.order.id), document: report.document,
                at: now))
    }

    private func changes(keeping incident: Incident) async throws(CheckoutError) -> [RecordChange] {
        guard let store = journal as? any RecordStore else { return [.insertIfAbsent(incident.record)] }
        do throws(JournalError) { return try await IncidentLog(store).changes(keeping: incident) } catch {
            throw .journal(error)
        }
    }

    /// Writes a webhook that changes nothing in the events of its payment.
    private func recorded(
        _ write: JournalWrite, _ payment: Payment? = nil
    ) async throws(CheckoutError) -> RecordedWebhook {
        do throws(JournalError) {
            try await journal.write(write)
            return .now(payment: payment)
        } catch .webhookSeen { return .before } catch { throw .journal(error) }
    }
}
