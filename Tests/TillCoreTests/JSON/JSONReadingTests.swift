import Testing
import TillCore

@Suite("Reading JSON")
struct JSONReadingTests {
    private func read(_ text: String, limits: JSONLimits = .standard, commas: Bool = false) throws(JSONError)
        -> JSONValue
    {
        try JSONValue(parsing: Array(text.utf8), limits: limits, allowsTrailingCommas: commas)
    }

    @Test("values keep what was written")
    func values() throws {
        let document = try read(" {\"a\" : [1.50, -0, 1e5, true, false, null], \"b\": {}, \"\": \"\", \"ü\":\"日本\"}\n")
        #expect(
            document["a"]
                == .array([.number("1.50"), .number("-0"), .number("1e5"), .bool(true), .bool(false), .null]))
        #expect(document["b"] == .object([]))
        #expect(document[""]?.stringValue == "")
        #expect(document["ü"]?.stringValue == "日本")
        #expect(document["c"] == nil)
        #expect(try read("9223372036854775807").int64Value == .max)
        #expect(try read("9223372036854775808").int64Value == nil)
        #expect(try read("1.0").int64Value == nil)
        #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF, 0x31] as [UInt8]) == .number("1"))
        #expect(try JSONValue(parsing: "[1]".utf8.lazy.map { $0 }) == .array([.number("1")]))
    }

    @Test("escapes are resolved, surrogate pairs joined")
    func escapes() throws {
        #expect(
            try read(#""a\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000z""#).stringValue
                == "a\"\\/\u{8}\u{C}\n\r\té😀\u{0}z")
    }

    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{1:1}",
            "{\"a\":1 \"b\":2}", "01", "-", "+1", "1.", ".5", "1e", "1e+", "-a", "0x1", "NaN", "Infinity", "tru", "nul",
            "True", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\u{1}\"", "\"\n\"", "'a'", "1 2", "{} x",
            "]",
            "{\"a\":1,\"a\":2}", #"{"a":1,"\u0061":2}"#, #""\uD83D""#, #""\uDE00""#, #""\uD83Dx""#, #""\uD83D\u0041""#,
            "/* c */ 1", "\u{0}", "[1]\u{0}", "1\u{FEFF}",
        ])
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test(
        "text that is not UTF-8 is refused",
        arguments: [
            [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
            [0x5C, 0x6E, 0xC3],
        ] as [[UInt8]])
    func encoding(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }

    @Test("an error names the line and the column")
    func places() {
        #expect(throws: JSONError(line: 3, column: 8, reason: "a value is expected here")) {
            try read("{\n  \"a\": 1,\n  \"b\": x\n}")
        }
        #expect(throws: JSONError(line: 1, column: 8, reason: "the key “a” occurs twice in one object")) {
            try read("{\"a\":1,\"a\":2}")
        }
    }

    @Test("a comma too many is taken on request, one only")
    func trailingCommas() throws {
        #expect(
            try read("{\"a\":[1,],}", commas: true) == .object([JSONMember(key: "a", value: .array([.number("1")]))]))
        for text in ["[,]", "[1,,]", "{,}", "{\"a\":1,,}"] {
            #expect(throws: JSONError.self) { try read(text, commas: true) }
        }
    }

    @Test("every limit holds and says so")
    func limits() throws {
        let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        _ = try read(deep(64))
        do {
            _ = try read(deep(65))
            Issue.record("it must throw")
        } catch { #expect(error.description == "Line 1, column 65: more than 64 levels deep.") }
        #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 500_000)) }
        #expect(throws: JSONError.self) { try read(String(repeating: "{\"a\":", count: 100_000)) }
        _ = try read("[1,2]", limits: JSONLimits(maximumValues: 3))
        #expect(throws: JSONError.self) { try read("[1,2,3]", limits: JSONLimits(maximumValues: 3)) }
        _ = try read("[1]", limits: JSONLimits(maximumBytes: 3))
        #expect(throws: JSONError(line: 0, column: 0, reason: "it is longer than 3 bytes")) {
            try read("[10]", limits: JSONLimits(maximumBytes: 3))
        }
        let wide = "{" + (0..<5_000).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(try read(wide + "}").objectValue?.count == 5_000)
        #expect(throws: JSONError.self) { try read(wide + ",\"k4999\":1}") }
        #expect(throws: JSONError.self) { try read(wide + ",\"k3\":1}") }
    }

    @Test("no cut and no changed byte of a document makes the reader trap")
    func hostile() {
        let document = Array(#"{"a":[1.5e-3,true,null,"é\u00e9\uD83D\uDE00"],"b":{"c":"\n"},"d":-0.1}"#.utf8)
        for length in 0..<document.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: document[..<length]) }
        }
        for index in document.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = document
                changed[index] = byte
                if let value = try? JSONValue(parsing: changed) {
                    #expect((try? JSONValue(parsing: value.bytes())) == value)
                }
            }
        }
    }
}
