import Testing
import TillCore

@Suite("Writing JSON")
struct JSONWritingTests {
    private func read(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test("the writer places commas and escapes what it must")
    func writer() throws {
        var writer = JSONWriter(reserving: 64)
        writer.beginObject()
        writer.field("a", "x\"\\\n\u{1}\u{1F}é</b>")
        writer.field("n", nil as String?)
        writer.field("i", Int64.min)
        writer.field("j", 0)
        writer.field("b", true)
        writer.key("list")
        writer.beginArray()
        writer.int(.max)
        for number: Int64 in [9, 10, 99, 100, -10, 1_000_000] { writer.int(number) }
        writer.beginObject()
        writer.endObject()
        writer.raw("1.50")
        writer.null()
        writer.endArray()
        writer.field("v", .array([.bool(false)]))
        writer.endObject()
        #expect(
            writer.text
                == #"{"a":"x\"\\\n\u0001\u001fé</b>","n":null,"i":-9223372036854775808,"j":0,"b":true,"#
                + #""list":[9223372036854775807,9,10,99,100,-10,1000000,{},1.50,null],"v":[false]}"#)
        #expect(try JSONValue(parsing: writer.bytes)["a"]?.stringValue == "x\"\\\n\u{1}\u{1F}é</b>")
    }

    @Test("pretty and plain forms read back to the same value")
    func pretty() throws {
        let value = try read(#"{"a":[],"b":{},"c":[1,{"d":"e"}]}"#)
        #expect(value.text == #"{"a":[],"b":{},"c":[1,{"d":"e"}]}"#)
        let pretty = value.bytes(pretty: true)
        #expect(try JSONValue(parsing: pretty) == value)
        #expect(
            String(decoding: pretty, as: UTF8.self)
                == "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": \"e\"\n    }\n  ]\n}")
    }

    @Test("the canonical form does not depend on order, space or escapes")
    func canonical() throws {
        let a = try read(#"{"b":[{"z":1,"a":"\u00e9"}],"a":1.0,"ä":0,"Z":0}"#)
        let b = try read(#" { "Z":0, "a" : 1.0, "b":[ {"a":"é","z":1} ], "ä":0 } "#)
        #expect(a.canonicalBytes() == b.canonicalBytes())
        #expect(String(decoding: a.canonicalBytes(), as: UTF8.self) == #"{"Z":0,"a":1.0,"b":[{"a":"é","z":1}],"ä":0}"#)
        #expect(try read("1.0").canonicalBytes() != read("1").canonicalBytes())
    }

    @Test("differences are JSON pointers, sorted, at most twenty")
    func differences() throws {
        let a = try read(#"{"amount":1,"list":[1,2,3],"same":{"x":1},"a/b~c":1,"gone":{"y":1},"kind":[]}"#)
        let b = try read(#"{"same":{"x":1},"amount":2,"list":[1,5],"a/b~c":2,"new":null,"kind":{}}"#)
        #expect(
            JSONValue.differences(a, b)
                == ["/amount", "/a~1b~0c", "/gone", "/kind", "/list/1", "/list/2", "/new"])
        #expect(JSONValue.differences(a, a) == [])
        #expect(JSONValue.differences(.null, .bool(true)) == [""])
        let many = JSONValue.array((0..<50).map { .number("\($0)") })
        #expect(JSONValue.differences(many, .array([])).count == 20)
        #expect(JSONValue.differences(.string("é"), .string("e\u{301}")) == [""])
    }
}
