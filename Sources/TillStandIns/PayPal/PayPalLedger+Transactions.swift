import TillCore

/// `GET /v1/reporting/transactions`, from PayPal's reference of it: required dates with seconds, at most 31 days, pages of
/// up to 500, one row for each authorization, capture and refund, and no authorizations unless they are asked for.
extension PayPalLedger {
    static let maximumSearchDays: Int64 = 31
    static let maximumPageSize = 500
    static let maximumRows = 10_000

    private struct Row {
        var id: String
        var code: String
        var status: String
        var amount: Money
        var created: Timestamp
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
        let size = query("page_size").isEmpty ? 100 : Int(query("page_size")) ?? 0
        let page = query("page").isEmpty ? 1 : Int(query("page")) ?? 0
        guard start <= end, end.since(start) <= .days(PayPalLedger.maximumSearchDays),
            (1...PayPalLedger.maximumPageSize).contains(size), page > 0
        else { return .badRequest([.init("INVALID_PARAMETER_VALUE", "end_date", location: "query")]) }
        let isAll = query("balance_affecting_records_only") == "N"
        let rows = transactions(withHolds: isAll)
            .filter { $0.created >= start && $0.created <= end && lateness.shows($0.created.milliseconds, at: now) }
            .sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        guard rows.count <= PayPalLedger.maximumRows else {
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

    private func transactions(withHolds: Bool) -> [Row] {
        var rows: [Row] = []
        for order in orderSequence.compactMap({ orders[$0] }) {
            for payment in order.payments {
                switch payment {
                case .authorization(let id):
                    guard withHolds, let hold = authorizations[id] else { continue }
                    rows.append(
                        Row(
                            id: id, code: hold.parent == nil ? "T1300" : "T1301",
                            status: hold.status == "DENIED" ? "D" : "S", amount: hold.amount, created: hold.created,
                            custom: order.units[hold.unit]["custom_id"], invoice: order.units[hold.unit]["invoice_id"]))
                case .capture(let id):
                    guard let capture = captures[id] else { continue }
                    let unit = order.units[capture.unit]
                    rows.append(
                        Row(
                            id: id, code: "T0006",
                            status: ["DECLINED", "FAILED"].contains(capture.status)
                                ? "D" : capture.status == "PENDING" ? "P" : "S",
                            amount: capture.amount, created: capture.created, custom: unit["custom_id"],
                            invoice: capture.invoice.map { .string($0) } ?? unit["invoice_id"]))
                case .refund(let id):
                    guard let refund = refunds[id] else { continue }
                    rows.append(
                        Row(
                            id: id, code: "T1107", status: refund.status == "COMPLETED" ? "S" : "P",
                            amount: refund.amount, created: refund.created, custom: refund.custom.map { .string($0) },
                            invoice: refund.invoice.map { .string($0) }))
                }
            }
        }
        return rows
    }

    private func render(_ row: Row) -> JSONValue {
        let sign = row.code == "T1107" ? "-" : ""
        return .members([
            "transaction_id": .string(row.id), "transaction_event_code": .string(row.code),
            "transaction_initiation_date": .string(row.created.internetTime),
            "transaction_updated_date": .string(row.created.internetTime),
            "transaction_amount": .members([
                "currency_code": .string(row.amount.currency.code),
                "value": .string(sign + PayPalWireAmount.text(row.amount)),
            ]),
            "transaction_status": .string(row.status), "custom_field": row.custom, "invoice_id": row.invoice,
        ])
    }
}
