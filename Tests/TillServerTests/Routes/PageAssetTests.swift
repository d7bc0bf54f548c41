import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import TillWeb

@Suite("The files of pages")
struct PageAssetTests {
    private final class Content: Sendable {
        private let number = Mutex(0)
        var made: Int { number.withLock { $0 } }
        func bytes() -> [UInt8] {
            number.withLock { $0 += 1 }
            return [0x3B, 0x3B]
        }
        func manyBytes() -> [UInt8] {
            number.withLock { $0 += 1 }
            return Array(repeating: 0x3B, count: 1_000)
        }
    }

    private static func request(accepting codings: String?) -> Request {
        var headers = HTTPFields()
        headers[.acceptEncoding] = codings
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost", path: "/file.js", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("are made when they are asked for")
    func made() {
        let content = Content()
        let assets: [PageAsset] = [
            .script(content.bytes()), .style(content.bytes(), .anyOrigin), .page(content.bytes(), .counter),
            PageAsset(bytes: content.bytes(), type: "text/plain", audience: .sandbox),
        ]
        #expect(content.made == 0)
        for asset in assets { #expect(asset.bytes == [0x3B, 0x3B]) }
        #expect(content.made == assets.count)
    }

    @Test("are made once for each form, whoever asks how often")
    func once() {
        let content = Content()
        let asset = PageAsset.script(content.manyBytes())
        for codings in [nil, "gzip", nil, "gzip", "br, gzip"] as [String?] {
            let response = asset.response(to: Self.request(accepting: codings))
            #expect(response.headers[.contentEncoding] == (codings == nil ? nil : "gzip"))
        }
        #expect(content.made == 2)
    }

    @Test("are sent as they are where gzip makes them no smaller")
    func small() {
        let content = Content()
        let asset = PageAsset.script(content.bytes())
        let plain = asset.response(to: Self.request(accepting: nil))
        let answer = asset.response(to: Self.request(accepting: "gzip"))
        #expect(answer.headers[.contentEncoding] == nil && answer.headers[.contentLength] == "2")
        #expect(answer.headers[.eTag] == plain.headers[.eTag] && answer.headers[.vary] == "Accept-Encoding")
        #expect(Gzip.packed([]) == nil)
        #expect(Gzip.packed([0x2F]) == nil)
    }

    @Test("that are made of parts are kept, so many of them")
    func kept() {
        let (content, pages) = (Content(), MadePages())
        for _ in 0..<3 { #expect(pages.page("a", .counter, content.bytes()).bytes == [0x3B, 0x3B]) }
        #expect(content.made == 1)
        for number in 0..<MadePages.maximumPages {
            #expect(pages.page("other-\(number)", .counter, [UInt8(number)]).bytes == [UInt8(number)])
        }
        #expect(pages.page("a", .counter, content.bytes()).bytes == [0x3B, 0x3B])
        #expect(content.made == 2)
    }
}
