public import TillCore
public import TillStatements

/// Responses of PayPal's transaction search (`GET /v1/reporting/transactions`) as JSON: one of them, or an array of all
/// pages. Amounts are decimals in major units; a fee is negative.
public struct PayPalTransactionSearch: StatementFormat {
    public init() {}

    /// The name in settings, requests and the journal: `paypal-transaction-search`.
    public var name: String { "paypal-transaction-search" }
    /// A transaction becomes searchable within three hours.
    public var lag: Span { .days(1) }

    public func recognizes(_ bytes: [UInt8]) -> Bool {
        let start = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "[") else { return false }
        return String(decoding: bytes.prefix(4_096), as: UTF8.self).contains("transaction_details")
    }

    public func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
        let json = try StatementLimits.json(bytes)
        let pages = json.arrayValue ?? [json]
        for page in pages {
            guard let said = page["total_pages"], !said.isNull else { continue }
            guard let total = said.int64Value else { throw StatementError("its “total_pages” is no number") }
            guard total > Int64(pages.count) else { continue }
            throw StatementError("it has \(pages.count) of \(total) pages: give all of them as one array")
        }
        var all: [JSONValue] = []
        for page in pages {
            guard let details = page["transaction_details"]?.arrayValue else {
                throw StatementError("it is no answer of the transaction search")
            }
            all += details
        }
        return try PayPalTransactionSearch.lines(all)
    }

    /// Parses the elements of `transaction_details`.
    static func lines(_ details: [JSONValue]) throws(StatementError) -> [StatementLine] {
        guard details.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        var lines: [StatementLine] = []
        for (index, detail) in details.enumerated() {
            if let line = try line(detail, number: index + 1) { lines.append(line) }
        }
        return lines
    }

    /// Parses one element; `nil` if no money moved: an authorization, or a pending or denied transaction.
    private static func line(_ detail: JSONValue, number: Int) throws(StatementError) -> StatementLine? {
        func need<Value>(_ field: String, _ value: Value?) throws(StatementError) -> Value {
            guard let value else { throw StatementError("transaction \(number): “\(field)” cannot be read") }
            return value
        }
        let info = try need("transaction_info", detail["transaction_info"])
        let status = try need("transaction_status", info["transaction_status"]?.stringValue)
        // Success, reversed, pending, denied: no other status is known to move no money.
        guard ["S", "V", "P", "D"].contains(status) else {
            throw StatementError("transaction \(number): “transaction_status” is none of S, V, P and D")
        }
        guard status == "S" || status == "V" else { return nil }
        let transaction = try need("transaction_id", info["transaction_id"]?.stringValue)
        let code = try need("transaction_event_code", info["transaction_event_code"]?.stringValue)
        let gross = try need("transaction_amount", PayPalTransactionSearch.money(info["transaction_amount"]))
        guard let kind = PayPalEventCode.kind(code, isCredit: !gross.isNegative) else { return nil }
        let time = try need(
            "transaction_initiation_date",
            info["transaction_initiation_date"]?.stringValue.flatMap { PayPalTransactionSearch.time($0) })
        var fee = Money.zero(gross.currency)
        if let amount = info["fee_amount"] {
            let taken = try need("fee_amount", PayPalTransactionSearch.money(amount))
            do throws(MoneyError) { fee = try taken.negated() } catch { fee = try need("fee_amount", nil) }
        }
        return try PayPalLine.make(
            transaction: transaction, code: code, kind: kind, time: time, gross: gross, fee: fee,
            reference: info["paypal_reference_id"]?.stringValue,
            names: [info["custom_field"]?.stringValue, info["invoice_id"]?.stringValue], raw: info.text)
    }

    /// Parses `2014-07-11T04:03:52+0000`, as in the specification's samples, or an offset with a colon.
    static func time(_ text: String) -> Timestamp? {
        if let time = Timestamp(internetTime: text) { return time }
        let digits = text.suffix(5)
        guard digits.utf8.count == 5, digits.first == "+" || digits.first == "-" else { return nil }
        return Timestamp(internetTime: "\(text.dropLast(2)):\(text.suffix(2))")
    }

    private static func money(_ json: JSONValue?) -> Money? {
        guard let code = json?["currency_code"]?.stringValue, let value = json?["value"]?.stringValue else {
            return nil
        }
        do throws(MoneyError) { return try Money(parsing: value, currency: Currency(code: code)) } catch { return nil }
    }
}
