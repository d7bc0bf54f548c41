import Testing

@testable import TillCommandLine

@Suite("Tables that fit the terminal") struct TextTableTests {
    private let rows = [["pay_1", "12.50 EUR", "succeeded", "order 1001"], ["pay_23", "5.00 EUR", "declined", ""]]

    @Test("columns stand below each other, amounts end at the right, and nothing trails")
    func columns() {
        #expect(
            TextTable.lines(rows, right: [1], width: 80) == [
                "pay_1   12.50 EUR  succeeded  order 1001", "pay_23   5.00 EUR  declined",
            ])
    }

    @Test("the last column is cut to the room that is left")
    func cut() {
        let long = rows.map { row in Array(row.prefix(3)) + [String(repeating: "x", count: 60)] }
        let lines = TextTable.lines(long, right: [1], width: 50)
        #expect(lines.map(\.count) == [50, 50])
    }

    @Test("without room the first column has a line of its own, and no line is wider")
    func below() {
        let lines = TextTable.lines(rows, right: [1], width: 34)
        #expect(lines.count == 4 && lines[0] == "pay_1" && lines[1] == "  12.50 EUR  succeeded  order 1001")
        let narrow = TextTable.lines(rows, right: [1], width: 12)
        #expect(narrow.allSatisfy { $0.count <= 12 })
    }

    @Test("a last column that is kept whole is wrapped instead")
    func whole() {
        let lines = TextTable.lines([["rdr_1", "Front", "online", "connected"]], cuts: false, width: 24)
        #expect(lines.joined(separator: " ").contains("connected") && lines.allSatisfy { $0.count <= 24 })
    }

    @Test("a line is wrapped between words, and within one that is wider than all of it")
    func fitted() {
        #expect(TextTable.fitted("one two", to: 7) == ["one two"])
        #expect(TextTable.fitted("one two three", to: 7) == ["one two", "  three"])
        #expect(TextTable.fitted("abcdefghij", to: 4) == ["abcd", "efgh", "ij"])
        #expect(TextTable.fitted("", to: 4) == [""])
        #expect(TextTable.lines([], width: 80).isEmpty)
        #expect(TextTable.lines([["alone"]], width: 80) == ["alone"])
    }
}
