import Testing
import TillCards
import TillTestSupport

@Suite("Formatting while typing") struct CardFormatterTests {
    @Test("groups as printed on the card")
    func groups() {
        #expect(CardNumberFormatter.format("4032036247327321") == "4032 0362 4732 7321")
        #expect(CardNumberFormatter.format("371449635398431") == "3714 496353 98431")
        #expect(CardNumberFormatter.format("36259600000004") == "3625 960000 0004")
        #expect(CardNumberFormatter.format("3636500000000260") == "3636 5000 0000 0260")
        #expect(CardNumberFormatter.format("6205500000000000004") == "6205 5000 0000 0000 004")
    }

    @Test("a number of 19 digits can be typed digit by digit and comes out whole")
    func nineteen() throws {
        let digits = "6205500000000000004"
        var entry = FormattedEntry(text: "", caret: 0)
        for digit in digits {
            entry.text.append(digit)
            entry.caret += 1
            entry = CardNumberFormatter.format(entry)
            #expect(entry.caret == entry.text.utf16.count)
        }
        #expect(try CardNumber(entry.text).reveal() == digits)
    }

    @Test("backspace beside a gap takes the digit, never sticks")
    func backspace() {
        var entry = FormattedEntry(text: "4032 0362", caret: 5)  // behind the gap
        entry = CardNumberFormatter.edit(entry, removing: 1, typing: "")
        #expect(entry == FormattedEntry(text: "4030 362", caret: 3))
        entry = CardNumberFormatter.edit(entry, removing: 0, typing: "2")
        #expect(entry == FormattedEntry(text: "4032 0362", caret: 4))
    }

    /// Random edits: typing, pasting, deleting anywhere, with rubbish between.
    @Test("200,000 random edits lose and reorder no digit, keep the caret behind its digit, and settle at once")
    func random() {
        var random = SeededRandom(seed: 2026)
        var entry = FormattedEntry(text: "", caret: 0)
        let pieces = [
            "4", "3", "7", "6", "0", "9", " ", "-", "x", "½", "٣", "５", "6205", "3714 49", "\u{1F4B3}", "", "12",
        ]
        var wrong = 0
        for _ in 0..<200_000 {
            var units = Array(entry.text.utf16)
            let from = Int.random(in: 0...units.count, using: &random)
            let to = Int.random(in: from...min(units.count, from + 3), using: &random)
            let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
            units.replaceSubrange(from..<to, with: Array(piece.utf16))
            if units.count > 60 { units = Array(units.prefix(3)) }
            let edited = FormattedEntry(
                text: String(decoding: units, as: UTF16.self), caret: min(units.count, from + piece.utf16.count))
            entry = CardNumberFormatter.format(edited)
            let wanted = TypedDigits.digits(in: edited.text)
            let before = TypedDigits.digits(
                in: String(decoding: Array(edited.text.utf16).prefix(edited.caret), as: UTF16.self))
            let shown = entry.text.filter { $0 != " " }
            let shownBefore = String(decoding: Array(entry.text.utf16).prefix(entry.caret), as: UTF16.self)
                .filter { $0 != " " }
            if shown != wanted || shownBefore != before || CardNumberFormatter.format(entry) != entry { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test("the expiry field")
    func expiry() {
        func typed(_ text: String) -> String { ExpiryFormatter.format(text) }
        #expect(["1", "12", "123", "1230", "12302"].map(typed) == ["1", "12", "12 / 3", "12 / 30", "12 / 302"])
        #expect(["2", "9", "1/", "1/2", "01/2"].map(typed) == ["02", "09", "01", "01 / 2", "01 / 2"])
        #expect(typed("2030-12") == "12 / 2030")
        #expect(
            ExpiryFormatter.format(FormattedEntry(text: "12 / 30", caret: 1))
                == FormattedEntry(text: "12 / 30", caret: 1))
    }

    @Test("the expiry field settles at once", arguments: 0..<2000)
    func expirySettles(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let pieces = ["0", "1", "2", "3", "9", "/", " ", "-", "a", "٢"]
        let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
        let once = ExpiryFormatter.format(FormattedEntry(text: text, caret: Int.random(in: 0...9, using: &random)))
        #expect(ExpiryFormatter.format(once) == once)
    }
}
