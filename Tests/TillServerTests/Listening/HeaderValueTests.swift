import HTTPTypes
import Testing

@testable import TillCounter

@Suite("The value of a header")
struct HeaderValueTests {
    @Test("is that of the only field of its name, that of all joined, or none")
    func values() {
        var fields = HTTPFields()
        for (name, value) in [
            ("Content-Type", "application/json"), ("Accept", "text/html"), ("ACCEPT", "*/*"), ("Cookie", "a=1"),
            ("cookie", "b=2"), ("Origin", ""),
        ] { fields.append(HTTPField(name: HTTPField.Name.literal(name), value: value)) }
        for name: HTTPField.Name in [.contentType, .accept, .cookie, .origin, .date] {
            #expect(fields.value(of: name) == fields[name])
        }
        #expect(fields.value(of: .contentType) == "application/json" && fields.value(of: .date) == nil)
        #expect(fields.value(of: .accept) == "text/html, */*" && fields.value(of: .cookie) == "a=1; b=2")
        #expect(fields.value(of: .origin)?.isEmpty == true)
    }
}
