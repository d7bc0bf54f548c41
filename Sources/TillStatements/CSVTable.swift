/// A CSV file (RFC 4180): comma-separated cells, doubled quotes inside quoted cells, lines ending in CR LF or LF. A
/// byte order mark and empty lines are skipped.
public struct CSVTable: Sendable {
    /// A record and its line number.
    public struct Record: Sendable, Hashable {
        /// The line on which the record begins, counted from 1.
        public let line: Int
        public let cells: [String]

        public init(line: Int, cells: [String]) {
            self.line = line
            self.cells = cells
        }
    }

    public let records: [Record]

    /// Parses the whole file.
    /// - Throws: ``StatementError`` with the line of an unclosed quote, of text after a closing quote, or of content
    ///   that exceeds ``StatementLimits``.
    public init(_ bytes: [UInt8]) throws(StatementError) {
        guard bytes.count <= StatementLimits.maximumBytes else {
            throw StatementError("it has more than \(StatementLimits.maximumBytes) bytes", remedy: .split)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw StatementError("it is not UTF-8") }
        var reader = Reader()
        for byte in bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) { try reader.take(byte) }
        records = try reader.end()
    }

    private struct Reader {
        enum Place {
            /// Before the first byte of a cell.
            case start
            case plain
            case quoted
            /// After a quote inside a quoted cell: a second quote is literal, anything else ends the cell.
            case quote
            /// After a CR outside quotes.
            case carriageReturn
        }

        var records: [Record] = []
        var cells: [String] = []
        var cell: [UInt8] = []
        /// The bytes of all cells in the row.
        var rowBytes = 0
        /// The number of cells in the file.
        var values = 0
        var place = Place.start
        var line = 1
        var firstLine = 1

        mutating func take(_ byte: UInt8) throws(StatementError) {
            if byte == 0x0A { defer { line += 1 }; try takeLineEnd(); return }
            switch (place, byte) {
            case (.quoted, UInt8(ascii: "\"")): place = .quote
            case (.quoted, _): try append(byte)
            case (.quote, UInt8(ascii: "\"")):
                try append(byte)
                place = .quoted
            case (.start, UInt8(ascii: "\"")): place = .quoted
            case (.start, UInt8(ascii: ",")), (.plain, UInt8(ascii: ",")), (.quote, UInt8(ascii: ",")): try endCell()
            case (.start, 0x0D), (.plain, 0x0D), (.quote, 0x0D): place = .carriageReturn
            case (.plain, UInt8(ascii: "\"")): throw failure("has a quote inside a cell")
            case (.start, _), (.plain, _):
                try append(byte)
                place = .plain
            case (.quote, _): throw failure("has text behind a quoted cell")
            case (.carriageReturn, _): throw failure("has a carriage return that ends no line")
            }
        }

        mutating func end() throws(StatementError) -> [Record] {
            switch place {
            case .quoted: throw StatementError("line \(firstLine) has a quote that is not closed")
            case .plain, .quote, .carriageReturn: try endRecord()
            case .start: if !cells.isEmpty { try endRecord() }
            }
            return records
        }

        private mutating func takeLineEnd() throws(StatementError) {
            if place == .quoted { return try append(0x0A) }
            try endRecord()
        }

        private mutating func append(_ byte: UInt8) throws(StatementError) {
            guard cell.count < StatementLimits.maximumCellBytes else {
                throw failure("has a cell of more than \(StatementLimits.maximumCellBytes) bytes")
            }
            guard rowBytes < StatementLimits.maximumLineBytes else {
                throw failure("has more than \(StatementLimits.maximumLineBytes) bytes")
            }
            rowBytes += 1
            cell.append(byte)
        }

        private mutating func endCell() throws(StatementError) {
            guard cells.count < StatementLimits.maximumColumns else {
                throw failure("has more than \(StatementLimits.maximumColumns) cells")
            }
            guard values < StatementLimits.maximumValues else {
                throw StatementError(
                    "it has more than \(StatementLimits.maximumValues) cells, and no more are read at once",
                    remedy: .split)
            }
            values += 1
            cells.append(String(decoding: cell, as: UTF8.self))
            cell.removeAll(keepingCapacity: true)
            place = .start
        }

        private mutating func endRecord() throws(StatementError) {
            let isEmptyLine = cells.isEmpty && cell.isEmpty && place != .quote
            try endCell()
            if !isEmptyLine {
                guard records.count <= StatementLimits.maximumLines else {
                    throw StatementLimits.tooManyLines()
                }
                records.append(Record(line: firstLine, cells: cells))
            }
            cells.removeAll(keepingCapacity: true)
            rowBytes = 0
            firstLine = line + 1
        }

        private func failure(_ what: String) -> StatementError { StatementError("line \(line) \(what)") }
    }
}
