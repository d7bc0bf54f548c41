public import TillCore
public import TillStatements

/// The transactions that Braintree's control panel exports as CSV (Transaction Search, Download), in unsigned major
/// units: the sign follows from the type.
///
/// A transaction without a disbursement date is not paid out yet, or never will be: it is expected later. The export
/// contains neither dispute movements nor fees; see `BraintreeStatementSource` for the former.
public struct BraintreeTransactionSearch: StatementFormat {
    private static let needed = [
        "Transaction ID", "Transaction Type", "Transaction Status", "Disbursement Date", "Merchant Account",
        "Currency ISO Code", "Amount Submitted For Settlement", "Service Fee", "Order ID", "Refunded Transaction ID",
        "Settlement Amount", "Settlement Currency ISO Code",
    ]
    /// The columns that identify a file as Braintree's; a required column that it lacks is then reported.
    private static let known = ["Transaction ID", "Transaction Type", "Transaction Status", "Merchant Account"]

    public init() {}

    /// The name in settings, requests and the journal: `braintree-transaction-search`.
    public var name: String { "braintree-transaction-search" }
    /// A capture may be paid out a week later, and has no disbursement date before.
    public var lag: Span { .days(8) }

    public func recognizes(_ bytes: [UInt8]) -> Bool {
        StatementRow.isHeader(bytes, with: BraintreeTransactionSearch.known)
    }

    public func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
        var lines: [StatementLine] = []
        for row in try StatementRow.all(of: bytes, needing: BraintreeTransactionSearch.needed) {
            guard let paid = try disbursement(row) else { continue }
            lines += try row.located { () throws(StatementError) in try paid.lines() }
            guard lines.count <= StatementLimits.maximumLines else { throw StatementLimits.tooManyLines() }
        }
        return lines
    }

    /// Returns the disbursement; `nil` if the transaction was not paid out.
    private func disbursement(_ row: StatementRow) throws(StatementError) -> BraintreeDisbursement? {
        guard let text = row["Disbursement Date"] else { return nil }
        guard let day = BraintreeTransactionSearch.day(text) else {
            throw row.error("Disbursement Date", "is no day such as 11/22/2026")
        }
        let isCredit: Bool
        switch try row.need("Transaction Type") {
        case "sale": isCredit = false
        case "credit": isCredit = true
        default: throw row.error("Transaction Type", "is neither sale nor credit")
        }
        let transaction = try row.need("Transaction ID")
        guard BraintreeTransaction.isUsable(transaction) else {
            throw row.error("Transaction ID", "is no name of a transaction")
        }
        if let fee = try row.amount("Service Fee", try row.currency("Currency ISO Code")), !fee.isZero {
            throw row.error("Service Fee", "what a marketplace keeps is not read")
        }
        return BraintreeDisbursement(
            transaction: transaction, isCredit: isCredit,
            amount: try unsigned(row, "Amount Submitted For Settlement", "Currency ISO Code"),
            settled: try unsigned(row, "Settlement Amount", "Settlement Currency ISO Code"), day: day,
            merchantAccount: row["Merchant Account"], orderID: row["Order ID"],
            refunded: row["Refunded Transaction ID"], standing: .paidOut, raw: row.text)
    }

    private func unsigned(
        _ row: StatementRow, _ column: String, _ currency: String
    ) throws(StatementError) -> Money {
        let amount = try row.money(column, try row.currency(currency))
        guard !amount.isNegative else { throw row.error(column, "is below zero") }
        return amount
    }

    /// Returns the start of a day in UTC, from the control panel's format, `11/22/2026`, or from `2026-11-22`; a time
    /// after it is ignored.
    static func day(_ text: String) -> Timestamp? {
        let word = String(text.prefix { $0 != " " && $0 != "T" })
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return Timestamp(internetTime: "\(word)T00:00:00Z") }
        func two(_ part: Substring) -> String { part.utf8.count == 1 ? "0\(part)" : String(part) }
        return Timestamp(internetTime: "\(parts[2])-\(two(parts[0]))-\(two(parts[1]))T00:00:00Z")
    }
}
