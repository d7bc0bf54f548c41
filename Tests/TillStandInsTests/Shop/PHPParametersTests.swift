import Testing

@testable import TillStandInShop

@Suite("Parameters as PHP sees them")
struct PHPParametersTests {
    private func texts(_ query: String) -> [String: String] {
        var found: [String: String] = [:]
        func add(_ name: String, _ value: PHPParameters.Value) {
            switch value {
            case .text(let text): found[name] = text
            case .list(let list): for entry in list { add("\(name)/\(entry.name)", entry.value) }
            }
        }
        for entry in PHPParameters(query: query).entries { add(entry.name, entry.value) }
        return found
    }

    @Test("of a repeated name the last value counts, at the place of the first")
    func repeated() {
        let parameters = PHPParameters(query: "a=1&b=2&a=3")
        #expect(parameters.entries.map(\.name) == ["a", "b"])
        #expect(texts("a=1&b=2&a=3") == ["a": "3", "b": "2"])
    }

    @Test("brackets nest, and empty ones count on")
    func nested() {
        #expect(texts("a[0]=x&a[2]=y&a[]=z") == ["a/0": "x", "a/2": "y", "a/3": "z"])
        #expect(texts("a%5Bb%5D%5Bc%5D=x&a[b][d]=y") == ["a/b/c": "x", "a/b/d": "y"])
        #expect(texts("a=1&a[0]=2") == ["a/0": "2"])
        #expect(texts("a[0]=2&a=1") == ["a": "1"])
    }

    @Test("names are cleaned as PHP does")
    func names() {
        #expect(texts("a.b=1&c+d=2") == ["a_b": "1", "c_d": "2"])
        #expect(texts("a[b=1") == ["a_b": "1"])
        #expect(texts("=1&[a]=2&&+=3") == [:])
        #expect(texts("a") == ["a": ""])
        #expect(texts("a[b]c=1") == ["a/b": "1"])
    }

    @Test("values are decoded once; what is no code stays")
    func decoding() {
        #expect(texts("a=%C3%BC+%2B%25zz%2") == ["a": "ü +%zz%2"])
    }

    @Test("more than the limits is dropped")
    func limits() {
        let many = (0..<2_000).map { "a\($0)=1" }.joined(separator: "&")
        #expect(PHPParameters(query: many).entries.count == PHPParameters.maximumCount)
        #expect(texts("a" + String(repeating: "[b]", count: 64) + "=1") == [:])
        #expect(texts("a" + String(repeating: "[b]", count: 63) + "=1").count == 1)
    }

    @Test("the next index after the largest number cannot overflow")
    func largestIndex() {
        #expect(texts("a[9223372036854775807]=x&a[]=y") == ["a/9223372036854775807": "x", "a/0": "y"])
    }
}
