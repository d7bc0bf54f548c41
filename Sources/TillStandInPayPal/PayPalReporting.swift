import TillCore

/// Planted faults in the transaction search, set by `POST /_sandbox/statements`.
///
/// It takes `{"do":"omit","id":"…"}` and `{"do":"amount","id":"…","amount":1}`, which omit a row or change its amount;
/// `{"do":"foreign","amount":1,"currency":"EUR"}`, money that belongs to no order; `{"do":"code","id":"…",
/// "code":"T9900"}`, another event code; `{"do":"fee","amount":30}`, a standalone fee; `{"do":"payout","amount":1}`, a
/// withdrawal; `{"do":"most","rows":3}`, the number of rows beyond which the search refuses; `{"do":"forbid"}` and
/// `{"do":"allow"}`, which set the app's permission; `{"do":"fail","status":503,"times":1}`, failing responses. Amounts
/// are minor units. All of it is kept in memory only.
struct PayPalReporting {
    /// The largest amount that a request may invent, in minor units.
    static let maximumAmount: Int64 = 1_000_000_000_000
    /// The maximum number of rows that a request may invent.
    static let maximumMore = 10_000

    private(set) var maximumRows = PayPalLedger.maximumRows
    private var omitted: Set<String> = []
    private var amounts: [String: Int64] = [:]
    private var codes: [String: String] = [:]
    private var more: [PayPalLedger.Row] = []
    private var isForbidden = false
    private var failures: (status: Int, left: Int) = (503, 0)

    /// Returns PayPal's fee for a capture in this stand-in: 3.49 % plus 49 minor units, rounded down.
    static func fee(of amount: Money) -> Money {
        let units = amount.minorUnits / 10_000 * 349 + amount.minorUnits % 10_000 * 349 / 10_000
        let fee = PayPalWireAmount.canSay(Money(minorUnits: units + 49, currency: amount.currency)) ? units + 49 : 0
        return Money(minorUnits: fee, currency: amount.currency)
    }

    /// Returns the response to a request that is refused or fails.
    mutating func refusal() -> PayPalAnswer? {
        if failures.left > 0 {
            failures.left -= 1
            return .failure(failures.status)
        }
        return isForbidden ? .forbidden() : nil
    }

    func changed(_ rows: [PayPalLedger.Row]) -> [PayPalLedger.Row] {
        rows.filter { !omitted.contains($0.id) }.map { row in
            var row = row
            if let units = amounts[row.id] { row.amount = Money(minorUnits: units, currency: row.amount.currency) }
            if let code = codes[row.id] { row.code = code }
            return row
        } + more
    }

    /// Applies one action; returns `false` if the request is malformed.
    mutating func play(_ json: JSONValue, id: String, at now: Timestamp) -> Bool {
        let name = json["id"]?.stringValue ?? ""
        let amount = json["amount"]?.int64Value.flatMap { $0.magnitude <= PayPalReporting.maximumAmount ? $0 : nil }
        func number(_ member: String, _ range: ClosedRange<Int64>) -> Int? {
            json[member]?.int64Value.flatMap { range.contains($0) ? Int($0) : nil }
        }
        switch json["do"]?.stringValue {
        case "omit": omitted.insert(name)
        case "amount":
            guard let amount else { return false }
            amounts[name] = amount
        case "code":
            guard let code = json["code"]?.stringValue else { return false }
            codes[name] = code
        case "foreign": return add("T0006", amount, json, id, now)
        case "fee": return add("T0106", amount.map { -$0 }, json, id, now)
        case "payout": return add("T0403", amount.map { -$0 }, json, id, now)
        case "most":
            guard let rows = number("rows", 0...Int64(PayPalLedger.maximumRows)) else { return false }
            maximumRows = rows
        case "forbid": isForbidden = true
        case "allow": isForbidden = false
        case "fail":
            guard let status = number("status", 400...599), let times = number("times", 0...1_000) else { return false }
            failures = (status, times)
        default: return false
        }
        return true
    }

    private mutating func add(
        _ code: String, _ amount: Int64?, _ json: JSONValue, _ id: String, _ now: Timestamp
    ) -> Bool {
        guard let amount, more.count < PayPalReporting.maximumMore,
            let currency = Currency(ifValid: json["currency"]?.stringValue ?? "EUR")
        else { return false }
        more.append(
            PayPalLedger.Row(
                id: id, code: code, status: "S", amount: Money(minorUnits: amount, currency: currency), created: now))
        return true
    }
}

extension PayPalLedger {
    /// Handles `POST /_sandbox/statements`; see ``PayPalReporting``.
    func playStatement(_ json: JSONValue) -> Bool { reporting.play(json, id: newID(), at: now) }
}
