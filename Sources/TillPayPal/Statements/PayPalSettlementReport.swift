public import TillCore
public import TillStatements

/// PayPal's settlement report (STL) as CSV. Each record begins with its type: `CH` contains the column headings, `SB`
/// is a transaction. Amounts have neither sign nor decimal point: the sign is in a separate column.
public struct PayPalSettlementReport: StatementFormat {
    private static let code = "Transaction Event Code"
    private static let needed = [
        "Transaction ID", code, "Transaction Initiation Date", "Transaction Debit or Credit",
        "Gross Transaction Amount", "Gross Transaction Currency", "Fee Debit or Credit", "Fee Amount", "Fee Currency",
    ]
    /// Every amount has two implied decimal places, even in currencies without decimals: 100 yen are written as 10000
    /// (PayPal's "Settlement report specification"; public parsers of the report do the same).
    private static let places = 2
    /// The first cells of the report and its sections.
    private static let openings: Set<String> = ["RH", "FH", "SH", "CH"]

    public init() {}

    /// The name in settings, requests and the journal: `paypal-settlement-report`.
    public var name: String { "paypal-settlement-report" }
    /// A day's report is available on the following day.
    public var lag: Span { .days(2) }

    public func recognizes(_ bytes: [UInt8]) -> Bool {
        // Whole lines of the beginning; quotes have no meaning here.
        let head = bytes.prefix(StatementLimits.maximumHeaderBytes)
        let end = head.count == bytes.count ? head.endIndex : head.lastIndex(of: 0x0A) ?? head.endIndex
        guard let records = try? CSVTable(Array(head[..<end])).records,
            let first = records.first?.cells.first, PayPalSettlementReport.openings.contains(first)
        else { return false }
        return records.contains { $0.cells.first == "CH" && $0.cells.contains(PayPalSettlementReport.code) }
    }

    public func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
        let records = try CSVTable(bytes).records
        guard records.last?.cells.first != "SB" else {
            throw StatementError("it ends with a transaction: the footer is missing, and what was before it, too")
        }
        var columns: [String: Int]?
        var lines: [StatementLine] = []
        for record in records {
            switch record.cells.first {
            case "CH": columns = try places(record)
            case "SB":
                guard let columns else { throw StatementError("line \(record.line) stands before its columns") }
                if let line = try line(StatementRow(record, columns: columns)) { lines.append(line) }
            default: break
            }
        }
        guard columns != nil else { throw StatementError("it has no columns (CH)") }
        return lines
    }

    private func places(_ record: CSVTable.Record) throws(StatementError) -> [String: Int] {
        var places: [String: Int] = [:]
        for (place, cell) in record.cells.enumerated() {
            let name = cell.split(separator: " ").joined(separator: " ")
            if places[name] == nil { places[name] = place }
        }
        for name in PayPalSettlementReport.needed where places[name] == nil {
            throw StatementError("line \(record.line) has no column “\(name)”")
        }
        return places
    }

    private func line(_ row: StatementRow) throws(StatementError) -> StatementLine? {
        let code = try row.need(PayPalSettlementReport.code)
        let gross = try amount(
            row, "Gross Transaction Amount", try currency(row, "Gross Transaction Currency"),
            direction: "Transaction Debit or Credit")
        guard let kind = PayPalEventCode.kind(code, isCredit: !gross.isNegative) else { return nil }
        var fee = Money.zero(gross.currency)
        if row["Fee Amount"] != nil {
            let taken = try amount(
                row, "Fee Amount", try currency(row, "Fee Currency"), direction: "Fee Debit or Credit")
            fee = Money(minorUnits: -taken.minorUnits, currency: taken.currency)
        }
        let transaction = try row.need("Transaction ID")
        let time = try time(row)
        return try row.located { () throws(StatementError) in
            try PayPalLine.make(
                transaction: transaction, code: code, kind: kind, time: time, gross: gross, fee: fee,
                reference: row["PayPal Reference ID"], names: [row["Custom Field"], row["Invoice ID"]], raw: row.text)
        }
    }

    private func currency(_ row: StatementRow, _ column: String) throws(StatementError) -> Currency {
        let currency = try row.currency(column)
        guard currency.exponent <= PayPalSettlementReport.places else {
            throw row.error(column, "\(currency.code) has more decimal places than this report writes")
        }
        return currency
    }

    private func amount(
        _ row: StatementRow, _ column: String, _ currency: Currency, direction: String
    ) throws(StatementError) -> Money {
        let text = try row.need(column)
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let units = Int64(text) else {
            throw row.error(column, "is no whole number without a sign")
        }
        let scale = (currency.exponent..<PayPalSettlementReport.places).reduce(Int64(1)) { scale, _ in scale * 10 }
        guard units.isMultiple(of: scale) else {
            throw row.error(column, "has decimals, and \(currency.code) has none")
        }
        switch try row.need(direction) {
        case "CR": return Money(minorUnits: units / scale, currency: currency)
        case "DR": return Money(minorUnits: -units / scale, currency: currency)
        default: throw row.error(direction, "is neither CR nor DR")
        }
    }

    /// Parses a row's time, written as `2026/11/20 00:01:17 -0700`.
    private func time(_ row: StatementRow) throws(StatementError) -> Timestamp {
        let column = "Transaction Initiation Date"
        let parts = try row.need(column).split(separator: " ")
        guard parts.count == 3,
            let time = PayPalTransactionSearch.time("\(parts[0].replacing("/", with: "-"))T\(parts[1])\(parts[2])")
        else { throw row.error(column, "is no time such as 2026/11/20 10:00:00 -0700") }
        return time
    }
}
