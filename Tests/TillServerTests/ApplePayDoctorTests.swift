import HTTPTypes
import Testing
import TillApplePay
import TillCore
@testable import TillFeatureApplePay
import TillProvider
import TillStandInApple

/// A site with files, that has nothing else.
private struct Site: HTTPTransport {
    var files: [String: [UInt8]] = [:]

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let file = files[request.path ?? ""]
        return HTTPReply(response: HTTPResponse(status: file == nil ? .notFound : .ok), body: file ?? [])
    }
}

@Suite("The doctor of Apple Pay")
struct ApplePayDoctorTests {
    private static let merchant = "merchant.test.example"
    private static let plain = ApplePayRoutes.association
    private static let named = ApplePayRoutes.association + ".txt"

    /// Settings of one domain, with an identity and an association file if given.
    private func settings(
        _ identity: SandboxAppleAuthority.Identity? = nil, origins: [String] = [], association: [UInt8]? = nil,
        file: String? = nil, tokens: String = "here"
    ) throws -> ApplePaySettings {
        let document = JSONValue.object([
            JSONMember(key: "environment", value: .string("sandbox")),
            JSONMember(key: "display_name", value: .string("Shop")),
            JSONMember(key: "country", value: .string("GB")),
            JSONMember(key: "currency", value: .string("GBP")),
            JSONMember(key: "tokens", value: .string(tokens)),
            JSONMember(
                key: "domains",
                value: .array([
                    .object([
                        JSONMember(key: "name", value: .string("shop.example")),
                        JSONMember(key: "merchant", value: .string(Self.merchant)),
                        JSONMember(key: "origins", value: .array(origins.map { .string($0) })),
                    ])
                ])),
        ])
        var settings = try ApplePaySettings(document, folder: "/", environment: [:])
        settings.domains[0].association = association
        settings.domains[0].associationFile = file
        if let identity {
            settings.domains[0].identities = [
                ApplePaySettings.Pair(
                    certificate: Array(identity.certificate.utf8),
                    key: Secret(Array(identity.key.reveal().utf8)), name: "identity")
            ]
        }
        return settings
    }

    private func found(
        _ settings: ApplePaySettings, _ site: Site = Site(), _ sessions: ApplePayDoctor.SessionCheck = .omitted,
        provider: ApplePayDoctor.ProviderStanding? = nil, within limit: Span = .seconds(60)
    ) async -> [ApplePayDoctor.Finding] {
        var doctor = ApplePayDoctor(
            settings: settings, transport: site, probe: "http://shop.example", sessions: sessions, provider: provider,
            now: SystemClock().now())
        // Far more than a session takes, so that a busy machine is not taken for a gateway that is gone.
        doctor.sessionBudget = limit
        return await doctor.examine()
    }

    @Test("One of the two paths of the association file is enough, and the finding says which")
    func association() async throws {
        let file = Array("file".utf8)
        let own = try settings(association: file, file: "association.txt")
        for paths in [[Self.plain], [Self.named], [Self.plain, Self.named]] {
            let site = Site(files: Dictionary(uniqueKeysWithValues: paths.map { ($0, file) }))
            let findings = await found(own, site).filter { $0.code.hasPrefix("association") }
            #expect(findings.count == paths.count && findings.allSatisfy { $0.verdict == .ok })
            #expect(zip(findings, paths).allSatisfy { $0.text.contains("at \($1).") })
        }
        #expect(await found(own).contains { $0.code == "association_status" && $0.verdict == .fault })
        let other = Site(files: [Self.named: [1]])
        let wrong = await found(own, other).filter { $0.code.hasPrefix("association") }
        #expect(wrong.map(\.code) == ["association_bytes"])
    }

    @Test("A domain whose own server serves the file is healthy; a file that cannot be read, or is nowhere, is a fault")
    func elsewhere() async throws {
        func codes(_ settings: ApplePaySettings, _ site: Site) async -> [String] {
            await found(settings, site).filter { $0.code.hasPrefix("association") }
                .map { "\($0.code) \($0.verdict.rawValue)" }
        }
        let identity = try SandboxAppleAuthority(issued: SystemClock().now()).merchantIdentity(merchant: Self.merchant)
        let served = Site(files: [Self.named: [1]])
        #expect(try await codes(settings(identity), served) == ["association ok"])
        #expect(try await codes(settings(identity), Site(files: [Self.named: []])) == ["association_empty fault"])
        #expect(try await codes(settings(identity), Site()) == ["association_status fault"])
        #expect(try await codes(settings(file: "gone.txt"), served) == ["association_missing fault"])
        // A shop that sells in its app alone has no pages.
        #expect(try await codes(settings(), Site()).isEmpty)
    }

    @Test("Apple is asked for a session for each host, and what it refuses is said with its code")
    func sessions() async throws {
        let apple = try SandboxAppleAuthority(issued: SystemClock().now())
        let gateway = SandboxAppleGateway(apple: apple, domains: [Self.merchant: ["shop.example", "www.shop.example"]])
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = Task { try await gateway.run { continuation.yield($0) } }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let standIn = try AppleStandIn(port: port, root: apple.rootCertificate)
        let own = try apple.merchantIdentity(merchant: Self.merchant)
        func sessions(_ settings: ApplePaySettings) async -> [ApplePayDoctor.Finding] {
            await found(settings, Site(), .standIn(standIn)).filter { $0.code.hasPrefix("session") }
        }

        let origins = ["https://www.shop.example", "http://localhost:3000", "https://localhost:3001"]
        let given = try await sessions(settings(own, origins: origins))
        #expect(given.map(\.code) == ["session", "session"] && given.allSatisfy { $0.verdict == .ok })
        #expect(await gateway.given == 2)

        let unverified = try await sessions(settings(own, origins: ["https://pay.shop.example"]))
        #expect(unverified.map(\.code) == ["session", "session_refused"])
        #expect(unverified.last?.text.contains("417") == true)
        #expect(unverified.last?.text.contains("pay.shop.example") == true)
        for (status, word) in [(401, "Issue a new one"), (429, "in a minute"), (503, "Apple's"), (400, "compare")] {
            await gateway.fail(with: status)
            let refused = try await sessions(settings(own))
            #expect(refused.map(\.verdict) == [.fault], "\(status)")
            #expect(refused.first?.text.contains("\(status)") == true && refused.first?.text.contains(word) == true)
        }
        await gateway.fail(with: 200, body: Array("<html>".utf8))
        #expect(try await sessions(settings(own)).map(\.code) == ["session_malformed"])
        await gateway.fail(with: 200, body: Array(#"{"domainName":"other.example"}"#.utf8))
        #expect(try await sessions(settings(own)).map(\.code) == ["session_domain"])
    }

    @Test("Without a network the doctor says so and is not healthy, and it asks for nothing where that is left out")
    func noNetwork() async throws {
        let apple = try SandboxAppleAuthority(issued: SystemClock().now())
        let own = try settings(apple.merchantIdentity(merchant: Self.merchant))
        let nowhere = try AppleStandIn(port: 1, root: apple.rootCertificate)
        let findings = await found(own, Site(), .standIn(nowhere), within: .seconds(2))
            .filter { $0.code.hasPrefix("session") }
        #expect(findings.map(\.code) == ["session_unreachable"] && findings.first?.verdict == .fault)
        #expect(findings.first?.text.contains("--without-session") == true)
        let left = await found(own).filter { $0.code.hasPrefix("session") }
        #expect(left.map(\.code) == ["session_omitted"] && left.first?.verdict == .ok)
        // A domain without an identity has that fault, and no other of it.
        #expect(try await found(settings(), Site(), .standIn(nowhere)).allSatisfy { !$0.code.hasPrefix("session") })
    }

    @Test("A form of tokens that was never tried against the provider's real service is warned of, and no other")
    func unverified() async throws {
        let standing = ApplePayDoctor.ProviderStanding(title: "Stripe", unverified: [.opened])
        func warnings(_ tokens: String) async throws -> [ApplePayDoctor.Finding] {
            try await found(settings(tokens: tokens), provider: standing).filter { $0.code == "provider_unverified" }
        }
        let here = try await warnings("here")
        #expect(here.map(\.verdict) == [.warning] && here.first?.text.contains("Stripe") == true)
        #expect(here.first?.text.contains("\"provider\"") == true)
        #expect(try await warnings("provider").isEmpty)
    }
}
