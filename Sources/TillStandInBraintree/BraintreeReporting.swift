import TillCore

/// Payouts of the stand-in, and planted faults in its searches.
///
/// `POST /_sandbox/statements` takes `{"do":"disburse"}`, which pays out everything settled, on `date` such as
/// 2026-11-22 or today; `{"do":"omit","id":"…"}` and `{"do":"amount","id":"…","amount":1}`, a transaction that the
/// search by payout omits or reports with another amount; `{"do":"foreign","amount":1,"currency":"EUR"}`, a sale that
/// belongs to no payment, paid out today; `{"do":"settle","currency":"USD","per_mille":1234}`, payouts in another
/// currency from then on; `{"do":"hold","id":"…"}`, funds that are held; `{"do":"lose","id":"…"}`, a transaction that
/// the search lists and does not return; `{"do":"forbid"}` and `{"do":"allow"}`, which set the permission to search by
/// payout; `{"do":"fail","status":503,"times":1}`, failing searches. Amounts are minor units. All of it is kept in
/// memory only.
struct BraintreeReporting {
    /// The largest amount that a request may invent, in minor units.
    static let maximumAmount: Int64 = 1_000_000_000_000
    /// The highest rate, in thousandths.
    static let maximumPerMille: Int64 = 1_000_000

    /// A transaction's payout.
    struct Payout {
        /// The day of the payout, as `YYYY-MM-DD`.
        var day: String
        var amount: Money
        var rate: String
    }

    private(set) var omitted: Set<String> = []
    private(set) var lost: Set<String> = []
    private(set) var held: Set<String> = []
    private var amounts: [String: Int64] = [:]
    private var other: (currency: Currency, perMille: Int64)?
    private var isForbidden = false
    private var failures: (status: Int, left: Int) = (503, 0)

    /// The status to respond with in place of a search; `nil` lets the search proceed.
    mutating func refusal() -> Int? {
        if failures.left > 0 {
            failures.left -= 1
            return failures.status
        }
        return isForbidden ? 403 : nil
    }

    /// Returns the payout of a transaction's amount, in the settlement currency.
    func payout(of amount: Money, on day: String) -> Payout {
        guard let other, other.currency != amount.currency else { return Payout(day: day, amount: amount, rate: "1") }
        let (units, rest) = amount.minorUnits.quotientAndRemainder(dividingBy: 1_000)
        let changed = units * other.perMille + rest * other.perMille / 1_000
        let digits = String(other.perMille % 1_000 + 1_000).dropFirst()
        return Payout(
            day: day, amount: Money(minorUnits: changed, currency: other.currency),
            rate: "\(other.perMille / 1_000).\(digits)")
    }

    /// Returns the payout amount reported for a transaction, with planted faults applied.
    func shown(_ payout: Payout, of transaction: String) -> Money {
        amounts[transaction].map { Money(minorUnits: $0, currency: payout.amount.currency) } ?? payout.amount
    }

    /// Applies any action except paying out and `foreign`; returns `false` if the request is malformed.
    mutating func play(_ json: JSONValue) -> Bool {
        let id = json["id"]?.stringValue ?? ""
        switch json["do"]?.stringValue {
        case "omit": omitted.insert(id)
        case "lose": lost.insert(id)
        case "hold": held.insert(id)
        case "amount":
            guard let amount = BraintreeReporting.amount(json) else { return false }
            amounts[id] = amount
        case "settle":
            guard let currency = Currency(ifValid: json["currency"]?.stringValue ?? ""),
                let perMille = json["per_mille"]?.int64Value,
                (1...BraintreeReporting.maximumPerMille).contains(perMille)
            else { return false }
            other = (currency, perMille)
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

    static func amount(_ json: JSONValue) -> Int64? {
        json["amount"]?.int64Value.flatMap { (0...maximumAmount).contains($0) ? $0 : nil }
    }
}
