internal import TillPayPalClient
internal import TillCore

/// The parts of a dispute that we read. `nil` from the initializer means that it cannot be relied upon. Source:
/// PayPal's description of its Customer Disputes interface, version 1.
struct PayPalDispute: Sendable {
    let dispute: ProviderSnapshot.Dispute

    init?(_ json: JSONValue) {
        guard let id = PayPalDispute.name(json), let reference = ProviderReference(ifValid: id),
            let amount = PayPalMoney.read(json["dispute_amount"]), amount.isPositive,
            let status = PayPalWireText.word(json["status"])
        else { return nil }
        let facts = Dispute.Facts(
            reference: reference, reason: PayPalWireText.word(json["reason"]) ?? "unknown",
            stage: PayPalWireText.word(json["dispute_life_cycle_stage"]) ?? status, amount: amount,
            respondBy: json["seller_response_due_date"]?.stringValue.flatMap { Timestamp(internetTime: $0) })
        dispute = ProviderSnapshot.Dispute(
            facts: facts, withdrawn: PayPalDispute.withdrawn(json["money_movements"], of: amount),
            outcome: PayPalDispute.outcome(status, PayPalWireText.word(json.at("dispute_outcome", "outcome_code"))))
    }

    /// A dispute's name, fit for a path.
    static func name(_ json: JSONValue) -> String? {
        guard let id = json["dispute_id"]?.stringValue, (1...64).contains(id.utf8.count) else { return nil }
        let isName = id.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
        }
        return isName ? id : nil
    }

    /// What was taken from the shop for the dispute and not given back; fees are not the customer's money. Movements in
    /// another currency say only in which direction all of it went.
    private static func withdrawn(_ movements: JSONValue?, of amount: Money) -> Money {
        var sum: Int64 = 0
        for movement in movements?.arrayValue ?? [] {
            guard movement["affected_party"]?.stringValue == "SELLER",
                movement["reason"]?.stringValue ?? "DISPUTE_SETTLEMENT" == "DISPUTE_SETTLEMENT"
            else { continue }
            let read = PayPalMoney.read(movement["amount"])
            let units = read?.currency == amount.currency ? read?.minorUnits ?? 0 : amount.minorUnits
            switch movement["type"]?.stringValue {
            case "DEBIT": sum = sum.addingReportingOverflow(units).partialValue
            case "CREDIT": sum = sum.subtractingReportingOverflow(units).partialValue
            default: continue
            }
        }
        return Money(minorUnits: min(max(0, sum), amount.minorUnits), currency: amount.currency)
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
    /// Why the disputes could not be read.
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

    /// All disputes about captures, each read whole: the list has no movements of money. A client that may not read
    /// disputes has none; ``PayPalModule`` says which permission is missing.
    func disputes(
        of captures: [CompletedCapture], until end: Timestamp
    ) async -> Result<[ProviderSnapshot.Dispute], DisputesUnread> {
        var found: [ProviderSnapshot.Dispute] = []
        for capture in captures {
            let path = PayPalPath.disputes(of: capture.capture.id)
            let list = await connection.send(.get(path), within: end.since(clock.now()))
            if case .failed(let error) = list, error.status == 403 { return .success([]) }
            guard case .answered(_, let json, _) = list else { return .failure(DisputesUnread(outcome: list)) }
            let names = (json["items"]?.arrayValue ?? []).map { PayPalDispute.name($0) }
            guard names.count < PayPalPath.mostDisputes else { return .failure(DisputesUnread(outcome: nil)) }
            for name in names {
                guard let name else { return .failure(DisputesUnread(outcome: nil)) }
                let whole = await connection.send(.get(PayPalPath.dispute(name)), within: end.since(clock.now()))
                guard case .answered(_, let json, _) = whole, let dispute = PayPalDispute(json) else {
                    return .failure(DisputesUnread(outcome: whole))
                }
                found.append(dispute.dispute)
            }
        }
        return .success(found)
    }

    /// Which payment a capture is of, by what we wrote into its order: refunds and disputes by others do not say it.
    /// - Throws: ``PayPalOwnerUnknown`` if PayPal did not say.
    func payment(of capture: PayPalCaptureID) async throws(PayPalOwnerUnknown) -> PaymentID? {
        switch await connection.send(.get(PayPalPath.capture(capture)), within: deadline) {
        case .answered(_, let json, _): return json["custom_id"]?.stringValue.flatMap { PayPalWebhookEvent.payment($0) }
        case .failed(let error) where error.status == 404: return nil
        case .failed, .notSent, .unknown: throw PayPalOwnerUnknown()
        }
    }
}

/// Whose payment a webhook is about could not be found out now.
struct PayPalOwnerUnknown: Error {}
