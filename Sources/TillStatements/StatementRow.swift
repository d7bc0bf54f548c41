public import TillCore

/// A CSV record with access by column name. Errors name line and column.
public struct StatementRow: Sendable {
    /// The line on which the record begins.
    public let line: Int
    private let columns: [String: Int]
    private let cells: [String]

    /// - Parameter columns: the position of each column in the record.
    public init(_ record: CSVTable.Record, columns: [String: Int]) {
        line = record.line
        self.columns = columns
        cells = record.cells
    }

    /// Returns all records after the header row.
    /// - Throws: ``StatementError`` for a file without a header, a duplicate column, a missing required column, or a
    ///   record with more or fewer cells than the header.
    public static func all(of bytes: [UInt8], needing needed: [String]) throws(StatementError) -> [StatementRow] {
        let records = try CSVTable(bytes).records
        guard let header = records.first else { throw StatementError("it is empty") }
        let columns = try places(header.cells)
        for name in needed where columns[name] == nil { throw StatementError("it has no column “\(name)”") }
        for record in records where record.cells.count != header.cells.count {
            throw StatementError(
                "line \(record.line) has \(record.cells.count) cells, and the header has \(header.cells.count)")
        }
        return records.dropFirst().map { StatementRow($0, columns: columns) }
    }

    /// Returns `true` if a file begins with a header that has these columns.
    public static func isHeader(_ bytes: [UInt8], with names: [String]) -> Bool {
        let head = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard head.count <= StatementLimits.maximumHeaderBytes, let table = try? CSVTable(Array(head)),
            let cells = table.records.first?.cells
        else { return false }
        return Set(names).isSubset(of: cells)
    }

    private static func places(_ names: [String]) throws(StatementError) -> [String: Int] {
        var places: [String: Int] = [:]
        // Unused columns may share a name, such as the empty ones at the end of a report.
        for (place, name) in names.enumerated() where !name.isEmpty {
            guard places.updateValue(place, forKey: name) == nil else {
                throw StatementError("the column “\(name)” is there twice")
            }
        }
        return places
    }

    /// The value of a cell; `nil` if the column is missing or the cell is empty.
    public subscript(name: String) -> String? {
        guard let place = columns[name], place < cells.count, !cells[place].isEmpty else { return nil }
        return cells[place]
    }

    /// Returns the value of a required cell.
    public func need(_ name: String) throws(StatementError) -> String {
        guard let text = self[name] else { throw error(name, "is empty") }
        return text
    }

    /// Returns the currency in a column; lower case is accepted.
    public func currency(_ name: String) throws(StatementError) -> Currency {
        let code = try need(name)
        do throws(MoneyError) { return try Currency(code: code.uppercased()) } catch {
            throw self.error(name, "\(error)")
        }
    }

    /// Returns an exact amount in major units; `nil` if the cell is empty.
    public func amount(_ name: String, _ currency: Currency) throws(StatementError) -> Money? {
        guard let text = self[name] else { return nil }
        do throws(MoneyError) { return try Money(parsing: text, currency: currency) } catch {
            throw self.error(name, "\(error)")
        }
    }

    /// Returns a required amount in major units.
    public func money(_ name: String, _ currency: Currency) throws(StatementError) -> Money {
        guard let amount = try amount(name, currency) else { throw error(name, "is empty") }
        return amount
    }

    /// Returns an error for a cell, with its line and column.
    public func error(_ name: String, _ reason: String) -> StatementError {
        StatementError("line \(line), column “\(name)”: \(reason)")
    }

    /// Adds the line to an error that concerns the whole line.
    public func located<Value>(_ body: () throws(StatementError) -> Value) throws(StatementError) -> Value {
        do throws(StatementError) { return try body() } catch {
            throw StatementError("line \(line): \(error.reason)")
        }
    }

    /// The nonempty cells as display text.
    public var text: String {
        columns.sorted { $0.value < $1.value }
            .compactMap { name, _ in self[name].map { "\(name)=\($0)" } }.joined(separator: "; ")
    }
}
