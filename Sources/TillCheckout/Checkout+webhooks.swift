public import TillCore
public import TillJournal

/// What a provider's webhook says, as far as the engine needs it.
public struct WebhookReport: Sendable {
    /// What it is recorded by, once.
    public var receipt: WebhookReceipt
    /// The payment that it is about; `nil`: it is about none, or the provider does not say.
    public var payment: PaymentID?
    /// Whose order that was for, where the webhook says so: it is held if the journal does not know the payment.
    public var owner: Incident.Owner?
    /// It may be about money that has moved already, so that a settled payment is to be queried, too.
    public var isAfterSale: Bool
    /// What was delivered: kept where no payment accounts for it.
    public var document: [UInt8]

    public init(
        receipt: WebhookReceipt, payment: PaymentID?, owner: Incident.Owner? = nil, isAfterSale: Bool,
        document: [UInt8]
    ) {
        self.receipt = receipt
        self.payment = payment
        self.owner = owner
        self.isAfterSale = isAfterSale
        self.document = document
    }
}

extension Checkout {
    /// Records, once and in one commit, that a provider has reported something, with what follows from it:
    /// - for a payment with something open: it is due at once;
    /// - for a settled one, after the sale, and for one that holds money: it is to be queried until the provider has
    ///   answered;
    /// - for a payment that the journal does not know: an incident, which holds the order that the webhook names.
    ///
    /// A payment whose events cannot be read is known.
    /// - Returns: `false` if the webhook was recorded before.
    public func heard(_ report: WebhookReport) async throws(CheckoutError) -> Bool {
        guard let id = report.payment else { return try await isFirst(JournalWrite(webhook: report.receipt)) }
        for _ in 0..<Checkout.maximumConflicts {
            let now = clock.now()
            let woken = JournalWrite(webhook: report.receipt, wake: (id, now))
            var payment: Payment
            do throws(CheckoutError) {
                guard let found = try await stored(id) else {
                    return try await isFirst(JournalWrite(webhook: report.receipt, records: incident(report, id, now)))
                }
                payment = found
            } catch .journal(.corrupted) {
                return try await isFirst(woken)
            } catch .journal(.recordConflict) {
                // The order's hold has changed meanwhile.
                continue
            }
            // A hold is captured and released in dashboards, too, and nothing else is open then that would ask.
            let isHold = payment.isAtRest && payment.held.isPositive
            let events = report.isAfterSale || isHold ? payment.requestQuery(at: now) : []
            if events.isEmpty { return try await isFirst(woken) }
            do throws(CheckoutError) {
                // Whoever has a call under way keeps the payment; else it is queried at once, whatever else is open.
                // This process must not take it over: it may be of another account, and would hold it and never work on
                // it.
                let isInFlight = payment.isInFlight
                if try await append(
                    events, to: &payment, at: now, holder: isInFlight ? .unchanged : .nobody, webhook: report.receipt,
                    wakes: !isInFlight)
                {
                    return true
                }
            } catch .journal(.webhookSeen) { return false }
        }
        throw .tooManyConflicts(id)
    }

    /// Records that a provider has reported something about a payment after the sale; see ``heard(_:)``.
    public func heard(of id: PaymentID, in webhook: WebhookReceipt) async throws(CheckoutError) -> Bool {
        try await heard(WebhookReport(receipt: webhook, payment: id, isAfterSale: true, document: []))
    }

    /// Keeps what nobody accounts for, and holds its order.
    private func incident(
        _ report: WebhookReport, _ payment: PaymentID, _ now: Timestamp
    ) async throws(CheckoutError) -> [RecordChange] {
        let incident = Incident(
            webhook: report.receipt.id, of: report.receipt.provider, about: payment, for: report.owner,
            body: report.document, at: now)
        guard let store = journal as? any RecordStore else { return [.insertIfAbsent(incident.record)] }
        do throws(JournalError) { return try await IncidentLog(store).changes(keeping: incident) } catch {
            throw .journal(error)
        }
    }

    private func isFirst(_ write: JournalWrite) async throws(CheckoutError) -> Bool {
        do throws(JournalError) {
            try await journal.write(write)
            return true
        } catch .webhookSeen { return false } catch { throw .journal(error) }
    }
}
