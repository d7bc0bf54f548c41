import HTTPTypes
import Hummingbird
import Testing
import TillCore
import TillCounter
import TillFeaturePage

@testable import TillWeb

@Suite("The forms of files")
struct FileFormTests {
    private static let gzip = ["Accept-Encoding": "gzip, deflate"]

    @Test("A client that takes gzip gets it, under a tag of its own")
    func gzipped() async throws {
        let counter = try await RoutedCounter()
        let plain = try await counter.ask("GET", "/counter.js")
        let packed = try await counter.ask("GET", "/counter.js", headers: Self.gzip)
        #expect(plain.headers[.contentEncoding] == nil)
        #expect(packed.headers[.contentEncoding] == "gzip")
        for response in [plain, packed] { #expect(response.headers[.vary] == "Accept-Encoding") }
        let tags = [plain, packed].compactMap { $0.headers[.eTag] }
        #expect(Set(tags).count == 2)
        let whole = try await RoutedCounter.bytes(plain)
        let short = try await RoutedCounter.bytes(packed)
        #expect(whole == PageAsset.ofCounter["/counter.js"]?.bytes)
        #expect(short.count < whole.count / 2)
        // gzip's mark and the method of deflate; at the end the length of what was compressed.
        #expect(Array(short.prefix(3)) == [0x1F, 0x8B, 8])
        let length = short.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(length == whole.count)
        // Made once: the same bytes again.
        let again = try await counter.ask("GET", "/counter.js", headers: Self.gzip)
        #expect(try await RoutedCounter.bytes(again) == short)
        await counter.close()
    }

    @Test(
        "A client that has the form that it would get is told so, and HEAD has its length",
        arguments: [[:], FileFormTests.gzip] as [[String: String]])
    func known(_ headers: [String: String]) async throws {
        let counter = try await RoutedCounter()
        for path in ["/counter.js", "/counter.css", "/", "/docs", "/openapi.yaml", "/kitchen", "/card/client.js"] {
            let first = try await counter.ask("GET", path, headers: headers)
            let tag = try #require(first.headers[.eTag])
            let length = try await RoutedCounter.bytes(first).count
            let head = try await counter.ask("HEAD", path, headers: headers)
            #expect(head.status == .ok && head.headers[.contentLength] == "\(length)", "\(path)")
            #expect(head.headers[.contentEncoding] == first.headers[.contentEncoding] && head.headers[.eTag] == tag)
            #expect(try await RoutedCounter.bytes(head).isEmpty)
            for (method, known) in [("GET", tag), ("HEAD", tag), ("GET", "W/" + tag), ("GET", "\"x\", " + tag)] {
                let answer = try await counter.ask(
                    method, path, headers: headers.merging(["If-None-Match": known]) { $1 })
                #expect(answer.status == .notModified, "\(method) \(path) \(known)")
                #expect(try await RoutedCounter.bytes(answer).isEmpty)
                // What a browser keeps is brought up to date by what this says.
                for name in [
                    HTTPField.Name.eTag, .vary, .cacheControl, .contentSecurityPolicy, .accessControlAllowOrigin,
                    .literal("Cross-Origin-Opener-Policy"), .literal("Cross-Origin-Resource-Policy"),
                ] {
                    #expect(answer.headers[name] == first.headers[name], "\(path) \(name)")
                }
            }
            let other = try await counter.ask("GET", path, headers: headers.merging(["If-None-Match": "\"x\""]) { $1 })
            #expect(other.status == .ok)
        }
        await counter.close()
    }

    @Test("The tag of one form is not taken for the other")
    func forms() async throws {
        let counter = try await RoutedCounter()
        let plain = try #require(try await counter.ask("GET", "/sale.js").headers[.eTag])
        let answer = try await counter.ask(
            "GET", "/sale.js", headers: Self.gzip.merging(["If-None-Match": plain]) { $1 })
        #expect(answer.status == .ok && answer.headers[.contentEncoding] == "gzip")
        await counter.close()
    }

    @Test("Only files are compressed: no data, no secret, no picture")
    func onlyFiles() async throws {
        let counter = try await RoutedCounter()
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "create"].merging(Self.gzip) { $1 },
            #"{"order_id":"o-1","amount":1250,"currency":"EUR"}"#)
        let payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
        let session = try await counter.ask(
            "POST", "/v1/payments/\(payment)/card_session", headers: Self.gzip, #"{"origin":"https://shop.example"}"#)
        var answers = [made, session]
        for path in ["/v1/payments", "/v1/payments/\(payment)", "/applepay/icon.png", "/metrics"] {
            answers.append(try await counter.ask("GET", path, headers: Self.gzip))
        }
        for answer in answers {
            #expect(answer.status.code < 300)
            #expect(answer.headers[.contentEncoding] == nil)
            #expect(answer.headers[.vary]?.contains("Accept-Encoding") != true)
        }
        await counter.close()
    }

    @Test("A file that varies with the origin varies with the coding, too")
    func origins() async throws {
        let counter = try await RoutedCounter()
        let answer = try await counter.ask("GET", "/applepay/client.js", headers: Self.gzip)
        #expect(answer.headers[.vary] == "Accept-Encoding, Origin")
        #expect(answer.headers[.contentEncoding] == "gzip")
        await counter.close()
    }
}
