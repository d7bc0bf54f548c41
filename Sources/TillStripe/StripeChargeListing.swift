import TillCore
package import TillProvider

extension StripeProvider {
    /// What it has charged and given back, as a list: of cards online and at readers.
    package var charges: any ChargeListing { StripeChargeListing(provider: self) }
}

/// Stripe's lists of payment intents and refunds, newest first ("List all PaymentIntents", "List all refunds"). Lists
/// show what was made at once; only its search is late.
struct StripeChargeListing: ChargeListing {
    /// Objects of one page, as many as Stripe gives.
    static let pageSize = 100
    /// Which list a cursor goes on in.
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
        // What cannot be read might be a charge: nothing is concluded from a page that has any.
        guard found.count == data.count else { return .failed(provider.unreadable) }
        guard !hasMore || !found.isEmpty else { return .failed(provider.unreadable) }
        if hasMore, let last = found.last { return .listed(found, next: "\(list.rawValue)/\(last.reference)") }
        return .listed(found, next: list == .intents ? "\(List.refunds.rawValue)/" : nil)
    }

    private static func charge(_ json: JSONValue) -> ListedCharge? {
        let metadata = json["metadata"]
        guard let intent = StripePaymentIntent(json) else {
            // Another program's, in a currency that Till does not know, keeps nobody from selling.
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

    /// Without a confirmation nothing was asked for, and nobody but us confirms it. A status that is not known may
    /// be one with money.
    private static func mayHaveMoved(_ status: String) -> Bool {
        !["canceled", "requires_payment_method", "requires_confirmation"].contains(status)
    }

    /// A reader may still show it, and charge whoever holds a card to it.
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
