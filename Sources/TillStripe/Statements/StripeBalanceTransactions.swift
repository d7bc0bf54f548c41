public import TillCore
public import TillStatements

/// Stripe's list of balance transactions as JSON: `{"object":"list","data":[…]}` as returned by the API, or the array
/// alone. Amounts are integers of Stripe's smallest unit; the exchange rate is never used, since it is rounded.
public struct StripeBalanceTransactions: StatementFormat {
    public init() {}

    /// The name in settings, requests and the journal: `stripe-balance-transactions`.
    public var name: String { "stripe-balance-transactions" }
    /// Stripe lists a transaction as soon as it is created.
    public var lag: Span { .days(1) }

    public func recognizes(_ bytes: [UInt8]) -> Bool {
        let start = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "[") else { return false }
        return String(decoding: bytes.prefix(4_096), as: UTF8.self).contains("balance_transaction")
    }

    public func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
        let json = try StatementLimits.json(bytes)
        guard let data = json.arrayValue ?? json["data"]?.arrayValue else {
            throw StatementError("it is no list of balance transactions")
        }
        let more = json["has_more"] ?? .null
        guard more.isNull || more.boolValue != nil else {
            throw StatementError("its “has_more” is neither true nor false")
        }
        guard more.boolValue != true else {
            throw StatementError("it is one page of several: give all of them as one array")
        }
        return try StripeBalanceTransactions.lines(data)
    }

    static func lines(_ data: [JSONValue], payout: String? = nil) throws(StatementError) -> [StatementLine] {
        guard data.count <= StatementLimits.maximumLines else {
            throw StatementLimits.tooManyLines()
        }
        var lines: [StatementLine] = []
        for (index, item) in data.enumerated() { lines.append(try line(item, number: index + 1, payout: payout)) }
        return try StripePartialCapture.joined(lines)
    }

    private static func line(
        _ json: JSONValue, number: Int, payout: String?
    ) throws(StatementError) -> StatementLine {
        func need<Value>(_ field: String, _ value: Value?) throws(StatementError) -> Value {
            guard let value else { throw StatementError("transaction \(number): “\(field)” cannot be read") }
            return value
        }
        let id = try need("id", json["id"]?.stringValue)
        let currency = try need("currency", StripeAmount.currency(json["currency"]))
        let gross = try need("amount", StripeAmount.money(json["amount"], currency))
        let fee = try need("fee", StripeAmount.money(json["fee"], currency))
        let net = try need("net", StripeAmount.money(json["net"], currency))
        let seconds = try need("created", json["created"]?.int64Value)
        let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { throw StatementError("transaction \(number): “created” is no time") }
        let type = json["type"]?.stringValue
        let category = json["reporting_category"] ?? .null
        if !category.isNull { _ = try need("reporting_category", category.stringValue) }
        let kind = StripeLineKind.kind(category: json["reporting_category"]?.stringValue, type: type)
        let source = json["source"]
        let object = source?.objectValue == nil ? nil : source
        let references = [
            object?["id"]?.stringValue ?? source?.stringValue, object?["payment_intent"]?.stringValue,
            object?["charge"]?.stringValue,
        ].compactMap { $0 }
        return try StatementLine(
            id: StripeLineKind.lineID(kind, transaction: id, source: references.first), kind: kind,
            type: StripeError.line(json["reporting_category"]?.stringValue ?? type ?? "", limit: 64),
            references: references,
            payment: StripeLineKind.payment(object?["metadata"]?["till_payment"]?.stringValue),
            gross: gross, fee: fee, net: net, customerFacing: customerFacing(object, of: gross),
            createdAt: Timestamp(milliseconds: millis), payout: payout ?? (kind == .payout ? references.first : nil),
            raw: json.text)
    }

    private static func customerFacing(_ object: JSONValue?, of gross: Money) -> Money? {
        guard let object, let currency = StripeAmount.currency(object["currency"]),
            let amount = StripeAmount.money(object["amount_captured"] ?? object["amount"], currency),
            amount.isPositive
        else { return nil }
        return gross.isNegative ? Money(minorUnits: -amount.minorUnits, currency: currency) : amount
    }
}
