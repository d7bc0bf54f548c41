import Testing
import TillCore

@Suite("Card numbers that are split over texts")
struct SplitCardNumberTests {
    private func kept(_ members: [(String, String)]) -> [String?] {
        let value = JSONValue.object(members.map { JSONMember(key: $0.0, value: .string($0.1)) })
        let masked = value.withoutSplitCardNumbers(in: ["order_id", "description", "note"], keeping: ["order_id"])
        return members.map { masked[$0.0]?.stringValue }
    }

    @Test("are masked in what is free text, wherever they are cut", arguments: 1...15)
    func cut(place: Int) {
        let number = "4539148803436467"
        let (head, tail) = (String(number.prefix(place)), String(number.dropFirst(place)))
        let found = kept([("description", "x " + head), ("note", tail + " y")]).compactMap { $0 }.joined()
        #expect(found.filter(\.isNumber).count <= 4 && found.hasPrefix("x ") && found.hasSuffix(" y"))
        let stars = String(repeating: "*", count: 16 - place)
        #expect(kept([("order_id", head), ("note", tail + " y 12")]) == [head, stars + " y 12"])
    }

    @Test("are nothing else: other members, numbers of a shop and single texts stay")
    func untouched() {
        let number = "4539148803436467"
        for members in [
            [("description", "4539"), ("other", "148803436467")], [("description", "table 12"), ("note", "34 seats")],
            [("description", "45391488"), ("note", "for 03436467")],
            [("description", "453914880343"), ("note", "six thousand 467")],
        ] { #expect(kept(members) == members.map(\.1)) }
        #expect(kept([("note", number)]) == [number], "that is the whole document's")
    }

    @Test("are found in digits of other scripts and in percent signs, too")
    func otherDigits() {
        let arabic = String(String.UnicodeScalarView("4539148803436467".unicodeScalars.map(Self.arabic)))
        let percent = "4539148803436467".utf8.map { "%\(String($0, radix: 16))" }.joined()
        for (number, width) in [(arabic, 1), (percent, 3)] {
            let (head, tail) = (String(number.prefix(8 * width)), String(number.dropFirst(8 * width)))
            let found = kept([("description", "x " + head), ("note", tail + " y")])
            #expect(found != ["x " + head, tail + " y"], "\(number)")
        }
    }

    private static func arabic(_ digit: Unicode.Scalar) -> Unicode.Scalar {
        Unicode.Scalar(digit.value - 0x30 + 0x660) ?? digit
    }
}
