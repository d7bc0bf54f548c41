import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Testing

@testable import TillWeb

@Suite("The head of a request")
struct RequestCodecTests {
    @Test(
        "is what the library makes of it, whatever form its address has",
        arguments: [
            "/", "/v1/payments", "/v1/payments?limit=1#end", "/v1/%E2%82%AC", "//host.example/v1", "/a b", "/a:b//c",
            "/é", "http://host.example/v1?limit=1", "https://host.example", "*", "v1", "",
        ])
    func heads(address: String) throws {
        let head = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: address,
            headers: HTTPHeaders([
                ("host", "till.example"), ("Cookie", "a=1; b=2"), ("X-Two", "1"), ("x-two", "2"), ("Host", "other"),
            ]))
        let expected = try HTTPRequest(head, secure: false, splitCookie: false)
        #expect(try RequestCodec.request(head) == expected)
    }
}
