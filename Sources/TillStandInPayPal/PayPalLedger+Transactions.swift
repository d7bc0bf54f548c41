import TillCore
import TillStandInServing

/// `GET /v1/reporting/transactions`, implemented from PayPal's reference: required dates with seconds, at most 31 days,
/// pages of up to 500, one row for each authorization, capture, refund and dispute movement, and no authorizations
/// unless requested.
extension PayPalLedger {
    static let maximumSearchDays: Int64 = 31
    static let maximumPageSize = 500
    static let maximumRows = 10_000

    struct Row {
        var id: String
        var code: String
        var status: String
        /// Positive amounts credit the shop's balance.
        var amount: Money
        var created: Timestamp
        /// PayPal's fee.
        var fee: Money?
        var reference: String?
        var custom: JSONValue?
        var invoice: JSONValue?
    }

    func listTransactions(_ query: (String) -> String) -> PayPalAnswer {
        guard let start = Timestamp(internetTime: query("start_date")) else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "start_date", location: "query")])
        }
        guard let end = Timestamp(internetTime: query("end_date")) else {
            return .badRequest([.init("MISSING_REQUIRED_PARAMETER", "end_date", location: "query")])
        }
        if let refusal = reporting.refusal() { return refusal }
        let size = query("page_size").isEmpty ? 100 : Int(query("page_size")) ?? 0
        let page = query("page").isEmpty ? 1 : Int(query("page")) ?? 0
        guard start <= end, end.since(start) <= .days(PayPalLedger.maximumSearchDays),
            (1...PayPalLedger.maximumPageSize).contains(size), page > 0
        else { return .badRequest([.init("INVALID_PARAMETER_VALUE", "end_date", location: "query")]) }
        let isAll = query("balance_affecting_records_only") == "N"
        let rows = transactions(withHolds: isAll)
            .filter { $0.created >= start && $0.created <= end && lateness.shows($0.created.milliseconds, at: now) }
            .sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        guard rows.count <= reporting.maximumRows else {
            return .badRequest([.init("RESULTSET_TOO_LARGE", location: "query")])
        }
        let shown = rows.dropFirst((page - 1) * size).prefix(size)
        return PayPalAnswer(
            200,
            .members([
                "transaction_details": .array(shown.map { .members(["transaction_info": render($0)]) }),
                "start_date": .string(start.internetTime), "end_date": .string(end.internetTime),
                "last_refreshed_datetime": .string(now.internetTime), "page": .number(String(page)),
                "total_items": .number(String(rows.count)),
                "total_pages": .number(String((rows.count + size - 1) / size)),
            ]))
    }

    func transactions(withHolds: Bool) -> [Row] {
        var rows: [Row] = []
        for order in orderSequence.compactMap({ orders[$0] }) {
            rows += order.payments.compactMap { row(of: $0, in: order, withHolds: withHolds) }
        }
        for dispute in disputes { rows += self.rows(of: dispute) }
        return reporting.changed(rows)
    }

    private func row(of payment: Payment, in order: Order, withHolds: Bool) -> Row? {
        switch payment {
        case .authorization(let id):
            guard withHolds, let hold = authorizations[id] else { return nil }
            let unit = order.units[hold.unit]
            return Row(
                id: id, code: hold.parent == nil ? "T1300" : "T1301", status: hold.status == "DENIED" ? "D" : "S",
                amount: hold.amount, created: hold.created, custom: unit["custom_id"], invoice: unit["invoice_id"])
        case .capture(let id):
            guard let capture = captures[id] else { return nil }
            let unit = order.units[capture.unit]
            let isTaken = !["DECLINED", "FAILED", "PENDING"].contains(capture.status)
            return Row(
                id: id, code: "T0006", status: isTaken ? "S" : capture.status == "PENDING" ? "P" : "D",
                amount: capture.amount, created: capture.created,
                fee: isTaken ? PayPalReporting.fee(of: capture.amount) : nil, custom: unit["custom_id"],
                invoice: capture.invoice.map { .string($0) } ?? unit["invoice_id"])
        case .refund(let id):
            guard let refund = refunds[id] else { return nil }
            return Row(
                id: id, code: "T1107", status: refund.status == "COMPLETED" ? "S" : "P",
                amount: Money(minorUnits: -refund.amount.minorUnits, currency: refund.amount.currency),
                created: refund.created, reference: refund.capture, custom: refund.custom.map { .string($0) },
                invoice: refund.invoice.map { .string($0) })
        }
    }

    /// Returns the rows for a dispute's withdrawals and reinstatements. Rows of dispute fees are not simulated.
    private func rows(of dispute: Dispute) -> [Row] {
        let capture = captures[dispute.capture]
        let unit = capture.flatMap { orders[$0.order]?.units[$0.unit] }
        return dispute.movements.enumerated().filter { $0.element.reason == Dispute.settlement }.map {
            number, movement in
            let isTaken = movement.type == "DEBIT"
            let units = isTaken ? -movement.amount.minorUnits : movement.amount.minorUnits
            return Row(
                id: dispute.id.filter { $0 != "-" } + "M\(number + 1)", code: isTaken ? "T1201" : "T1202", status: "S",
                amount: Money(minorUnits: units, currency: movement.amount.currency), created: movement.at,
                reference: dispute.capture, custom: unit?["custom_id"])
        }
    }

    private func render(_ row: Row) -> JSONValue {
        .members([
            "transaction_id": .string(row.id), "paypal_reference_id": row.reference.json,
            "paypal_reference_id_type": row.reference == nil ? nil : .string("TXN"),
            "transaction_event_code": .string(row.code),
            "transaction_initiation_date": .string(row.created.internetTime),
            "transaction_updated_date": .string(row.created.internetTime), "transaction_amount": signed(row.amount),
            "fee_amount": row.fee.map { signed(Money(minorUnits: -$0.minorUnits, currency: $0.currency)) },
            "transaction_status": .string(row.status), "custom_field": row.custom, "invoice_id": row.invoice,
        ])
    }

    private func signed(_ amount: Money) -> JSONValue {
        let size = amount.isNegative ? Money(minorUnits: -amount.minorUnits, currency: amount.currency) : amount
        return .members([
            "currency_code": .string(amount.currency.code),
            "value": .string((amount.isNegative ? "-" : "") + PayPalWireAmount.text(size)),
        ])
    }
}
