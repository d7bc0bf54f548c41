internal import TillPayPalClient
internal import TillCore
internal import TillProvider

/// The relevant parts of a dispute. The initializer returns `nil` for one that is not reliable. Source: PayPal's
/// description of its Customer Disputes API, version 1.
struct PayPalDispute: Sendable {
    let dispute: ProviderSnapshot.Dispute
    /// The debits of the shop's account, one per movement. The order's refund list may report the same movement.
    let debits: [Debit]

    /// One debit for the dispute.
    struct Debit: Hashable, Sendable {
        let amount: Money
        /// The time; `nil` if PayPal does not report it.
        let at: Timestamp?
    }

    private let opened: Timestamp?
    /// The maximum time between a movement and the refund in the order's list that reports the same movement.
    private static let sameMoment = Span.hours(1)

    /// - Parameter isTold: `true` for a dispute reported by a webhook, which may omit the movements.
    init?(_ json: JSONValue, isTold: Bool = false) {
        guard let id = PayPalDispute.name(json), let reference = ProviderReference(ifValid: id),
            let amount = PayPalMoney.read(json["dispute_amount"]), !amount.isNegative,
            let status = PayPalWireText.word(json["status"])
        else { return nil }
        let facts = Dispute.Facts(
            reference: reference, reason: PayPalWireText.word(json["reason"]) ?? "unknown",
            stage: PayPalWireText.word(json["dispute_life_cycle_stage"]) ?? status, amount: amount,
            respondBy: json["seller_response_due_date"]?.stringValue.flatMap { Timestamp(internetTime: $0) })
        guard let moved = Movements(json["money_movements"], of: amount.currency) else { return nil }
        debits = moved.debits
        opened = json["create_time"]?.stringValue.flatMap { Timestamp(internetTime: $0) }
        let outcome = PayPalDispute.outcome(
            status, PayPalWireText.word(json.at("dispute_outcome", "outcome_code")))
        var withdrawn = moved.withdrawn(of: amount)
        if isTold, json["money_movements"] == nil, outcome == .lost {
            // Without other information the shop has lost the amount paid to the customer.
            let paid = PayPalMoney.read(json.at("dispute_outcome", "amount_refunded"))
            let units = paid?.currency == amount.currency ? paid?.minorUnits ?? 0 : amount.minorUnits
            withdrawn = Money(minorUnits: min(max(0, units), amount.minorUnits), currency: amount.currency)
        }
        dispute = ProviderSnapshot.Dispute(facts: facts, withdrawn: withdrawn, outcome: outcome, isTold: isTold)
    }

    /// Returns `true` if a refund made by Till and a movement are the same money: the refund was made while the dispute
    /// was open, and the movement did not precede it.
    func isEnded(by refund: Timestamp?, in debit: Debit) -> Bool {
        guard let opened, let refund, let moved = debit.at else { return false }
        return opened <= refund && refund <= moved.adding(PayPalDispute.sameMoment)
    }

    /// Returns `true` if a refund not made by Till and a movement are the same money.
    /// - Parameter isReversed: `true` if PayPal has reversed the capture.
    func isTold(by refund: Timestamp?, of debit: Debit, isReversed: Bool) -> Bool {
        guard let refund, let moved = debit.at else { return isReversed }
        return refund.since(moved).milliseconds.magnitude <= PayPalDispute.sameMoment.milliseconds
    }

    /// Returns the stored parts of a dispute, without customer data.
    static func facts(_ json: JSONValue) -> JSONValue? {
        let moved = json["money_movements"]?.arrayValue.map { movements in
            JSONValue.array(
                movements.compactMap { $0.only(["affected_party", "amount", "initiated_time", "reason", "type"]) })
        }
        return json.only([
            "dispute_id", "create_time", "dispute_amount", "dispute_life_cycle_stage", "reason",
            "seller_response_due_date", "status",
        ])?.with("dispute_outcome", json["dispute_outcome"]?.only(["amount_refunded", "outcome_code"]))
            .with("money_movements", moved)
    }

    /// Returns the dispute id if it is safe in a path.
    static func name(_ json: JSONValue) -> String? {
        guard let id = json["dispute_id"]?.stringValue, (1...64).contains(id.utf8.count) else { return nil }
        let isName = id.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
        }
        return isName ? id : nil
    }

    /// The movements of the shop's money, without fees.
    private struct Movements {
        var (taken, returned, isInOwn): (Int64, Int64, Bool) = (0, 0, true)
        var debits: [Debit] = []

        /// Sums the movements; `nil` on overflow, or if a movement has no readable amount.
        init?(_ movements: JSONValue?, of currency: Currency) {
            for movement in movements?.arrayValue ?? [] {
                guard movement["affected_party"]?.stringValue == "SELLER",
                    movement["reason"]?.stringValue ?? "DISPUTE_SETTLEMENT" == "DISPUTE_SETTLEMENT"
                else { continue }
                guard let amount = PayPalMoney.read(movement["amount"]), !amount.isNegative else { return nil }
                isInOwn = isInOwn && amount.currency == currency
                var overflow = false
                switch movement["type"]?.stringValue {
                case "DEBIT":
                    (taken, overflow) = taken.addingReportingOverflow(amount.minorUnits)
                    let time = movement["initiated_time"]?.stringValue.flatMap { Timestamp(internetTime: $0) }
                    debits.append(Debit(amount: amount, at: time))
                case "CREDIT": (returned, overflow) = returned.addingReportingOverflow(amount.minorUnits)
                default: continue
                }
                if overflow { return nil }
            }
        }

        /// Returns the amount debited and not credited again.
        func withdrawn(of amount: Money) -> Money {
            guard isInOwn else { return ProviderSnapshot.Dispute.part(of: amount, taken: taken, returned: returned) }
            return Money(minorUnits: min(max(0, taken - returned), amount.minorUnits), currency: amount.currency)
        }
    }

    private static func outcome(_ status: String, _ code: String?) -> Dispute.Outcome? {
        guard status == "RESOLVED" else { return nil }
        return switch code {
        // A payout is PayPal's own money.
        case "RESOLVED_SELLER_FAVOUR", "RESOLVED_WITH_PAYOUT", "DENIED": .won
        case "RESOLVED_BUYER_FAVOUR", "ACCEPTED": .lost
        default: .closed
        }
    }
}

extension PayPalProvider {
    /// The failure to read the disputes.
    struct DisputesUnread: Error {
        let outcome: PayPalOutcome?

        func answer() -> ProviderAnswer<ProviderSnapshot> {
            switch outcome {
            case .failed(let error) where error.rejectsKey: .keyRejected(reason: "\(error)")
            case .failed(let error): .unknown(reason: "the disputes cannot be read: \(error)")
            case .notSent(let reason): .notSent(reason: reason)
            case .unknown(let reason): .unknown(reason: reason)
            case .answered, nil: .unknown(reason: "the disputes cannot be read")
            }
        }
    }

    /// The disputes about an order's captures.
    struct FoundDisputes: Sendable {
        var all: [(capture: PayPalCaptureID, dispute: PayPalDispute)] = []
        /// `true` if PayPal denied read access, so that the disputes are known only from webhooks.
        var areTold = false
    }

    /// The warning shown while the app has no permission to read disputes.
    static let disputesWithheld =
        "PayPal's app may not read disputes, so they are known only as far as webhooks tell. Turn on the feature "
        + "Customer disputes for the app at PayPal."

    /// Returns all disputes about captures, each fetched in full because the list omits the movements. If the app has
    /// no permission to read them, the disputes reported by webhooks are used.
    func disputes(
        of captures: [PayPalCaptureID], until end: Timestamp
    ) async -> Result<FoundDisputes, DisputesUnread> {
        var found = FoundDisputes()
        for capture in captures {
            let list = await connection.send(.get(PayPalPath.disputes(of: capture)), within: end.since(clock.now()))
            if case .failed(let error) = list, error.status == 403 { return await told(captures) }
            guard case .answered(_, let json, _) = list else { return .failure(DisputesUnread(outcome: list)) }
            let names = (json["items"]?.arrayValue ?? []).map { PayPalDispute.name($0) }
            guard names.count < PayPalPath.mostDisputes else { return .failure(DisputesUnread(outcome: nil)) }
            for name in names {
                guard let name else { return .failure(DisputesUnread(outcome: nil)) }
                let whole = await connection.send(.get(PayPalPath.dispute(name)), within: end.since(clock.now()))
                guard case .answered(_, let json, _) = whole, let dispute = PayPalDispute(json) else {
                    return .failure(DisputesUnread(outcome: whole))
                }
                found.all.append((capture, dispute))
            }
        }
        do throws(NotificationStoreError) { try await toldDisputes.granted() } catch {
            return .failure(DisputesUnread(outcome: nil))
        }
        return .success(found)
    }

    private func told(_ captures: [PayPalCaptureID]) async -> Result<FoundDisputes, DisputesUnread> {
        var found = FoundDisputes(areTold: true)
        do throws(NotificationStoreError) {
            try await toldDisputes.refused()
            for capture in captures {
                for facts in try await toldDisputes.newest(about: capture.rawValue) {
                    guard let dispute = PayPalDispute(facts, isTold: true) else { throw .unreadable }
                    found.all.append((capture, dispute))
                }
            }
        } catch { return .failure(DisputesUnread(outcome: nil)) }
        return .success(found)
    }

    /// Returns the payment of a capture according to the ids that Till wrote into its order: refunds and disputes of
    /// other origin do not contain them.
    /// - Throws: ``PayPalOwnerUnknown`` if PayPal did not answer.
    func payment(of capture: PayPalCaptureID) async throws(PayPalOwnerUnknown) -> PaymentID? {
        switch await connection.send(.get(PayPalPath.capture(capture)), within: deadline) {
        case .answered(_, let json, _): return json["custom_id"]?.stringValue.flatMap { PayPalWebhookEvent.payment($0) }
        case .failed(let error) where error.status == 404: return nil
        case .failed, .notSent, .unknown: throw PayPalOwnerUnknown()
        }
    }
}

/// The error for a webhook event that cannot currently be matched to a payment.
struct PayPalOwnerUnknown: Error {}
