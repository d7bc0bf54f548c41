import TillCore
package import TillStatements

extension StripeProvider {
    /// The list of charges and refunds, of online cards and at readers.
    package var charges: any ChargeListing { StripeChargeListing(provider: self) }
}

/// Stripe's lists of payment intents and refunds, newest first ("List all PaymentIntents", "List all refunds"). Lists
/// include new objects immediately; only Stripe's search lags.
struct StripeChargeListing: ChargeListing {
    /// The page size, Stripe's maximum.
    static let pageSize = 100
    /// The list that a cursor continues in.
    private enum List: String {
        case intents
        case refunds

        var path: String {
            switch self {
            case .intents: StripePath.paymentIntents
            case .refunds: StripePath.refunds
            }
        }
    }

    let provider: StripeProvider

    var lag: Span { .seconds(0) }

    func charges(since: Timestamp, after cursor: String?) async -> ChargePage {
        let parts = cursor?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        let list = parts.first.flatMap { List(rawValue: String($0)) } ?? .intents
        var fields = [
            ("created[gte]", String(since.milliseconds / 1_000)), ("limit", String(StripeChargeListing.pageSize)),
        ]
        if parts.count == 2, !parts[1].isEmpty { fields.append(("starting_after", String(parts[1]))) }
        let json: JSONValue
        switch await provider.client.send(.get(list.path, fields), within: provider.deadline) {
        case .answered(let answer): json = answer
        case .failed(let error): return .failed("Stripe refused the list (HTTP \(error.status))")
        case .notSent(let reason), .unknown(let reason): return .failed(reason)
        }
        guard let data = json["data"]?.arrayValue, let hasMore = json["has_more"]?.boolValue else {
            return .failed(provider.unreadable)
        }
        let found = data.compactMap { list == .intents ? Self.charge($0) : Self.refund($0) }
        // An unreadable entry might be a charge, so a page with one is rejected as a whole.
        guard found.count == data.count else { return .failed(provider.unreadable) }
        guard !hasMore || !found.isEmpty else { return .failed(provider.unreadable) }
        if hasMore, let last = found.last { return .listed(found, next: "\(list.rawValue)/\(last.reference)") }
        return .listed(found, next: list == .intents ? "\(List.refunds.rawValue)/" : nil)
    }

    private static func charge(_ json: JSONValue) -> ListedCharge? {
        let metadata = json["metadata"]
        guard let intent = StripePaymentIntent(json) else {
            // A payment intent of another application, in a currency that Till does not know, must not block sales.
            guard metadata?["till_payment"] == nil else { return nil }
            return foreign(.charge, json)
        }
        func text(_ name: String) -> String? {
            metadata?[name]?.stringValue.flatMap { ProviderReference(ifValid: $0) }?.rawValue
        }
        return ListedCharge(
            .charge, intent.reference, payment: text("till_payment").map { PaymentID(rawValue: $0) },
            attempt: text("till_attempt").map { AttemptID(rawValue: $0) },
            account: text("till_account").map { AccountID(rawValue: $0) },
            order: text("till_order").map { OrderID(rawValue: $0) },
            mayHaveMoved: mayHaveMoved(intent.status) || isAtReader(json, intent.status),
            amount: intent.amount, status: intent.status)
    }

    /// Returns `true` unless the status proves that no money moved. Without a confirmation no money was requested, and
    /// only this system confirms the intent. An unknown status may be one with money.
    private static func mayHaveMoved(_ status: String) -> Bool {
        !["canceled", "requires_payment_method", "requires_confirmation"].contains(status)
    }

    /// Returns `true` if a reader may still present the intent and charge a card.
    private static func isAtReader(_ json: JSONValue, _ status: String) -> Bool {
        let types = json["payment_method_types"]?.arrayValue ?? []
        return status == "requires_payment_method" && types.contains(.string("card_present"))
    }

    private static func refund(_ json: JSONValue) -> ListedCharge? {
        guard let refund = StripeRefund(json) else {
            return json["metadata"]?["till_refund"] == nil ? foreign(.refund, json) : nil
        }
        let payment =
            json["metadata"]?["till_payment"]?.stringValue.flatMap { PaymentID(ifValid: $0) }
            ?? refund.refund.flatMap { PaymentID(ofStep: $0.rawValue) }
        return ListedCharge(
            .refund, refund.reference, payment: payment, mayHaveMoved: refund.mayHaveMoved, amount: refund.amount,
            status: json["status"]?.stringValue ?? "")
    }

    private static func foreign(_ kind: ListedCharge.Kind, _ json: JSONValue) -> ListedCharge? {
        json["id"]?.stringValue.flatMap { ProviderReference(ifValid: $0) }.map {
            ListedCharge(kind, $0, payment: nil, mayHaveMoved: true, amount: nil, status: "")
        }
    }
}
