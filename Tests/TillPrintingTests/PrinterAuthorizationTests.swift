import Foundation
import Testing
import TillCore

@testable import TillPrinting

private func challenge(_ text: String) throws -> DigestChallenge {
    let read = try #require(AuthenticationChallenge(parsing: text))
    return try #require(DigestChallenge(read))
}

@Suite("Names and passwords for printers")
struct PrinterAuthorizationTests {
    private let till = PrinterCredentials(user: "Mufasa", password: Secret("Circle of Life"))

    @Test(
        "the digests are those of RFC 7616, 3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func vectors(_ algorithm: String, _ proof: String) throws {
        let challenge = try challenge(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
        let header = challenge.header(
            try #require(till), method: "GET", path: "/dir/index.html", count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(header.contains("response=\"\(proof)\""))
        #expect(header.contains("nc=00000001") && header.contains("opaque=\"FQhe/"))
        #expect(!header.contains("Circle"))
    }

    @Test("a password in clear text never leaves without TLS")
    func onlyOverTLS() throws {
        let till = try #require(till)
        #expect(throws: IPPError.authentication(.onlyOverTLS)) {
            try PrinterAuthorization.answering(
                ["Basic realm=\"CUPS\""], before: nil, credentials: till, isSecure: false)
        }
        var basic = try PrinterAuthorization.answering(
            ["Negotiate", "Basic realm=\"CUPS\""], before: nil, credentials: till, isSecure: true)
        #expect(basic.header(method: "POST", path: "/") == "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
    }

    @Test("asked again after an answer the password is wrong, unless only the number was old")
    func wrong() throws {
        let till = try #require(till)
        let first = ["Digest realm=\"r\", nonce=\"1\", qop=\"auth\""]
        let before = try PrinterAuthorization.answering(first, before: nil, credentials: till, isSecure: false)
        #expect(throws: IPPError.authentication(.wrong)) {
            try PrinterAuthorization.answering(first, before: before, credentials: till, isSecure: false)
        }
        #expect(throws: Never.self) {
            try PrinterAuthorization.answering(
                [first[0] + ", stale=true"], before: before, credentials: till, isSecure: false)
        }
        #expect(throws: IPPError.authentication(.needed)) {
            try PrinterAuthorization.answering(first, before: nil, credentials: nil, isSecure: true)
        }
        #expect(throws: IPPError.authentication(.unknownScheme("negotiate"))) {
            try PrinterAuthorization.answering(["Negotiate"], before: nil, credentials: till, isSecure: true)
        }
    }

    @Test("names that would break a header or a pair are refused", arguments: ["", "a:b", "a\r\nX: y"])
    func names(_ name: String) {
        #expect(PrinterCredentials(user: name, password: Secret("x")) == nil)
        #expect(PrinterCredentials(user: "a", password: Secret("x\n")) == nil)
    }

    @Test("the password prints as a mask")
    func masked() throws {
        #expect(!"\(String(describing: till)) \(String(reflecting: till))".contains("Circle"))
    }

    @Test("challenges of any bytes are read or refused")
    func junk() {
        var state: UInt64 = 42
        for _ in 0..<20_000 {
            var text = "Digest realm=\"a\\\"b\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let place = text.index(text.startIndex, offsetBy: Int(state >> 33) % text.count)
                text.replaceSubrange(
                    place...place, with: [" ", "\"", "\\", ",", "=", "\u{301}", ""][Int(state >> 40) % 7])
                if text.isEmpty { text = "x" }
            }
            _ = AuthenticationChallenge(parsing: text).flatMap { DigestChallenge($0) }
        }
    }
}

@Suite("Certificates of printers")
struct PrinterPinTests {
    @Test("a fingerprint is read as people write it, and a kept one as it was kept")
    func fingerprints() throws {
        let pin = PrinterPin(certificate: [1, 2, 3])
        let pairs = stride(from: 0, to: 64, by: 2).map { pin.fingerprint.dropFirst($0).prefix(2).uppercased() }
        #expect(PrinterPin(parsing: pairs.joined(separator: ":")) == pin)
        #expect(PrinterPin(parsing: pin.fingerprint) == pin)
        #expect(PrinterPin(parsing: String(pin.fingerprint.dropLast())) == nil)
        #expect(PrinterPin(parsing: "zz" + pin.fingerprint.dropFirst(2)) == nil)
        #expect(PrinterPin(kept: pin.digest) == pin)
        // A whole certificate, as earlier versions kept it.
        let certificate = (0..<200).map { UInt8($0) }
        #expect(PrinterPin(kept: certificate) == PrinterPin(certificate: certificate))
        #expect(PrinterPin(kept: [1, 2]) == nil)
    }
}
