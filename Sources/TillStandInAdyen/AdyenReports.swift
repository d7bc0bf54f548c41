import TillCore

/// Settlement details reports generated from the stand-in's ledger, with planted faults.
///
/// `POST /_sandbox/statements` takes `{"do":"batch"}`, which closes a batch over everything unsettled and announces its
/// report by webhook unless `"announce":false`; `{"do":"omit","id":"…"}`, `{"do":"amount","id":"…","amount":1}` and
/// `{"do":"type","id":"…","type":"x"}`, which omit a row or change its amount or type, by Adyen's reference of the
/// capture or refund; `{"do":"foreign","amount":1,"currency":"EUR"}`, a charge that belongs to no payment;
/// `{"do":"fee","amount":30}`, a standalone fee, repeated `times` times; `{"do":"forbid"}` and `{"do":"allow"}`, which
/// set the report user's read permission; `{"do":"fail","status":503,"times":1}`, failing responses. Amounts are minor
/// units. All of it is kept in memory only.
struct AdyenReports {
    /// The largest amount that a request may invent, in minor units.
    static let maximumAmount: Int64 = 1_000_000_000_000
    /// The maximum number of rows that one request may invent.
    static let maximumTimes: Int64 = 100_000
    /// The maximum number of stored reports.
    static let maximumFiles = 1_000
    private static let columns = [
        "Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date",
        "TimeZone", "Type", "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)",
        "Exchange Rate", "Net Currency", "Net Debit (NC)", "Net Credit (NC)", "Commission (NC)", "Markup (NC)",
        "Scheme Fees (NC)", "Interchange (NC)", "Batch Number",
    ]

    struct Row {
        var payment: String?
        var reference: String
        var type: String
        /// Adyen's reference of the capture or refund; for other rows, their subject.
        var change: String
        /// Minor units; positive amounts credit the shop's balance.
        var amount: Int64
        var fee: Int64
        var currency: Currency
    }

    private var number = 0
    private var files: [String: String] = [:]
    private var settled: Set<String> = []
    private var omitted: Set<String> = []
    private var amounts: [String: Int64] = [:]
    private var types: [String: String] = [:]
    private var more: [Row] = []
    private var isForbidden = false
    private var failures: (status: Int, left: Int) = (503, 0)

    /// Returns Adyen's fee for a capture in this stand-in: 12 minor units plus 0.6 %, rounded down.
    private static func fee(of amount: Int64) -> Int64 { amount / 1_000 * 6 + amount % 1_000 * 6 / 1_000 + 12 }

    /// Returns a report, or the error status to respond with.
    mutating func report(_ name: String, authorization: String?) -> (status: Int, text: String) {
        if failures.left > 0 {
            failures.left -= 1
            return (failures.status, "")
        }
        guard authorization?.hasPrefix("Basic ") == true, !isForbidden else { return (isForbidden ? 403 : 401, "") }
        return files[name].map { (200, $0) } ?? (404, "")
    }

    /// Closes a batch.
    /// - Returns: the report's name; `nil` once the report limit is reached.
    mutating func close(_ payments: [AdyenLedger.Payment], account: String, at now: Timestamp) -> String? {
        guard files.count < AdyenReports.maximumFiles else { return nil }
        number += 1
        var rows = payments.flatMap(rows(of:)).filter { settled.insert($0.change).inserted } + more
        more = []
        rows = rows.filter { !omitted.contains($0.change) }.map { row in
            var row = row
            if let amount = amounts[row.change] { row.amount = amount }
            if let type = types[row.change] { row.type = type }
            return row
        }
        for (currency, some) in Dictionary(grouping: rows, by: \.currency).sorted(by: { $0.key.code < $1.key.code }) {
            let sum = some.reduce(0) { $0 + $1.amount - $1.fee }
            rows.append(
                Row(
                    payment: nil, reference: "", type: "MerchantPayout", change: "TX\(number)\(currency.code)",
                    amount: -sum, fee: 0, currency: currency))
        }
        let name = "settlement_detail_report_batch_\(number).csv"
        let cells = [AdyenReports.columns] + rows.map { self.cells(of: $0, account, now) }
        files[name] = cells.map { $0.joined(separator: ",") + "\n" }.joined()
        return name
    }

    private func rows(of payment: AdyenLedger.Payment) -> [Row] {
        guard let currency = Currency(ifValid: payment.currency) else { return [] }
        func row(_ type: String, _ change: String, _ amount: Int64) -> Row {
            Row(
                payment: payment.name, reference: payment.reference, type: type, change: change, amount: amount,
                fee: amount > 0 ? AdyenReports.fee(of: amount) : 0, currency: currency)
        }
        let done = payment.steps.filter { !$0.hasFailed }
        var rows = done.map { step in
            step.kind == "captures"
                ? row("Settled", step.name, step.value) : row("Refunded", step.name, -step.value)
        }
        // An immediate capture has no step of its own.
        if payment.captured > 0, !payment.steps.contains(where: { $0.kind == "captures" }) {
            rows.insert(row("Settled", payment.name, payment.captured), at: 0)
        }
        return rows
    }

    private func cells(of row: Row, _ account: String, _ now: Timestamp) -> [String] {
        func text(_ units: Int64) -> String { Money(minorUnits: abs(units), currency: row.currency).decimalString }
        let net = row.amount - row.fee
        let time = String(now.internetTime.prefix(19)).replacing("T", with: " ")
        let isOfPayment = row.payment != nil || row.type == "Settled"
        let code = row.currency.code
        return [
            "TillCompany", account, row.payment ?? "", row.reference, isOfPayment ? "visa" : "", time, "UTC", row.type,
            row.change, isOfPayment ? code : "", isOfPayment && row.amount < 0 ? text(row.amount) : "",
            isOfPayment && row.amount >= 0 ? text(row.amount) : "", "1", code, net < 0 ? text(net) : "",
            net >= 0 ? text(net) : "", row.fee == 0 ? "" : text(row.fee), "", "", "", "\(number)",
        ]
    }

    /// Applies any action except ``close(_:account:at:)``; returns `false` if the request is malformed.
    mutating func play(_ json: JSONValue, name: String) -> Bool {
        let id = json["id"]?.stringValue ?? ""
        let amount = json["amount"]?.int64Value.flatMap { $0.magnitude <= AdyenReports.maximumAmount ? $0 : nil }
        switch json["do"]?.stringValue {
        case "omit": omitted.insert(id)
        case "amount":
            guard let amount else { return false }
            amounts[id] = amount
        case "type":
            guard let type = json["type"]?.stringValue, !type.contains(where: { ",\"\r\n".contains($0) }) else {
                return false
            }
            types[id] = type
        case "foreign", "fee":
            let times = json["times"]?.int64Value ?? 1
            guard let amount, let currency = Currency(ifValid: json["currency"]?.stringValue ?? "EUR"),
                (1...AdyenReports.maximumTimes).contains(times)
            else { return false }
            let isFee = json["do"]?.stringValue == "fee"
            let row = Row(
                payment: isFee ? nil : name, reference: isFee ? "" : "elsewhere", type: isFee ? "Fee" : "Settled",
                change: isFee ? "Transaction Fees" : name, amount: isFee ? -amount : amount, fee: 0, currency: currency)
            more += Array(repeating: row, count: isFee ? Int(times) : 1)
        case "forbid": isForbidden = true
        case "allow": isForbidden = false
        case "fail":
            guard let status = json["status"]?.int64Value, (400...599).contains(status),
                let times = json["times"]?.int64Value, (0...1_000).contains(times)
            else { return false }
            failures = (Int(status), Int(times))
        default: return false
        }
        return true
    }
}

extension AdyenLedger {
    /// Handles `POST /_sandbox/statements`; see ``AdyenReports``.
    func playStatement(_ json: JSONValue, at now: Timestamp) -> Bool {
        guard json["do"]?.stringValue == "batch" else { return reports.play(json, name: newName()) }
        let account = json["merchant_account"]?.stringValue ?? payments.values.first?.account ?? "TillTest"
        guard let name = reports.close(order.compactMap { payments[$0] }, account: account, at: now) else {
            return false
        }
        if json["announce"]?.boolValue != false {
            tell(
                "REPORT_AVAILABLE", name: name, original: nil, reference: "", account: account, value: 0,
                currency: "EUR", refusal: nil, at: now)
        }
        return true
    }

    func report(_ name: String, authorization: String?) -> (status: Int, text: String) {
        reports.report(name, authorization: authorization)
    }
}
