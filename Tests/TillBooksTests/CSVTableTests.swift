import Testing
import TillStatements

@Suite("Statements as CSV")
struct CSVTableTests {
    private func cells(_ text: String) throws -> [[String]] { try CSVTable(Array(text.utf8)).records.map(\.cells) }

    @Test("quotes, commas and line ends inside cells, empty lines, and a mark of the byte order")
    func read() throws {
        let text = "\u{FEFF}a,b\r\n\r\n\"x,\"\"y\"\"\r\nz\",\n1,\"\"\n\"\"\n2"
        #expect(try cells(text) == [["a", "b"], ["x,\"y\"\r\nz", ""], ["1", ""], [""], ["2"]])
        #expect(try CSVTable(Array(text.utf8)).records.map(\.line) == [1, 3, 5, 6, 7])
        #expect(try cells("").isEmpty)
    }

    @Test(
        "what is no CSV is refused with its line",
        arguments: [
            ("a\n\"x", "line 2 has a quote that is not closed"), ("a\n\"x\"y", "line 2 has text behind a quoted cell"),
            ("a\nx\"y", "line 2 has a quote inside a cell"), ("a\rb", "line 1 has a carriage return that ends no line"),
        ])
    func refused(text: String, reason: String) throws {
        let error = #expect(throws: StatementError.self) { try cells(text) }
        #expect(error?.reason == reason)
    }

    @Test("what is beyond a limit is refused before it is kept")
    func limits() throws {
        let cell = String(repeating: "x", count: StatementLimits.maximumCellBytes)
        #expect(try cells(cell).count == 1)
        #expect(throws: StatementError.self) { try cells(cell + "x") }
        let row = Array(repeating: "x", count: StatementLimits.maximumColumns).joined(separator: ",")
        #expect(try cells(row).count == 1)
        #expect(throws: StatementError.self) { try cells(row + ",x") }
        #expect(throws: StatementError.self) {
            try cells(String(repeating: "x\n", count: StatementLimits.maximumLines + 2))
        }
        #expect(throws: StatementError.self) { try CSVTable([0xFF]) }
        let long = Array(repeating: cell, count: StatementLimits.maximumLineBytes / cell.utf8.count)
            .joined(separator: ",")
        #expect(try cells(long).count == 1)
        let error = #expect(throws: StatementError.self) { try cells("a\n" + long + ",x") }
        #expect(error?.reason.hasPrefix("line 2 has more than") == true)
    }

    @Test("rows are read by the names of their columns; a short row and a column that is there twice are refused")
    func rows() throws {
        func all(_ text: String) throws -> [StatementRow] { try StatementRow.all(of: Array(text.utf8), needing: ["a"]) }
        let rows = try all("a,b,,\n1,,x,y\n")
        #expect(rows.count == 1 && rows[0]["a"] == "1" && rows[0]["b"] == nil && rows[0].text == "a=1")
        for bad in ["", "b\n", "a,a\n", "a,b\n1", "a,b\n1,2,3"] {
            #expect(throws: StatementError.self) { try all(bad) }
        }
    }
}
