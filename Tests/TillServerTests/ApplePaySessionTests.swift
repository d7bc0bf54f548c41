import Foundation
import Testing
import TillApplePay
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillSandbox
import TillStandInApple
import TillTestSupport

@testable import TillServer

@Suite("Merchant sessions over mutual TLS")
struct ApplePaySessionTests {
    /// Far more than a session takes, so that a busy machine is not taken for a gateway that is gone.
    private static let budget = Span.seconds(60)

    private static let merchant = "merchant.test.example"

    /// Runs a gateway of Apple's stand-in around a body.
    private func withGateway(
        clock: any TillClock = SystemClock(), isOutdated: Bool = false,
        _ body: (SandboxAppleAuthority, SandboxAppleGateway, MerchantSessions.StandIn) async throws -> Void
    ) async throws {
        let apple = try SandboxAppleAuthority(issued: SystemClock().now())
        let gateway = SandboxAppleGateway(apple: apple, domains: [Self.merchant: ["shop.example"]], clock: clock)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = Task { try await gateway.run(isOutdated: isOutdated) { continuation.yield($0) } }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await body(apple, gateway, MerchantSessions.StandIn(port: port, root: apple.rootCertificate))
    }

    private func identity(_ identity: SandboxAppleAuthority.Identity) -> ApplePayDomain.Identity {
        ApplePayDomain.Identity(
            certificate: Array(identity.certificate.utf8), key: Secret(Array(identity.key.reveal().utf8)))
    }

    private func request(
        _ merchant: String = ApplePaySessionTests.merchant, domain: String = "shop.example"
    ) -> MerchantSessionRequest {
        MerchantSessionRequest(merchantIdentifier: merchant, displayName: "Shop", context: domain)
    }

    private func refusal(
        _ sessions: MerchantSessions, _ request: MerchantSessionRequest, _ identity: ApplePayDomain.Identity,
        _ standIn: MerchantSessions.StandIn?
    ) async -> MerchantSessionError? {
        do throws(MerchantSessionError) {
            _ = try await sessions.session(.sandbox, request, identity: identity, standIn: standIn)
            return nil
        } catch {
            return error
        }
    }

    @Test("The right certificate gets a session; another merchant's, another authority's and another domain do not")
    func certificates() async throws {
        try await withGateway { apple, gateway, standIn in
            let sessions = MerchantSessions(clock: SystemClock(), budget: Self.budget)
            let own = identity(try apple.merchantIdentity(merchant: Self.merchant))
            #expect(await refusal(sessions, request(), own, standIn) == nil)
            let hash = MerchantIDHash(of: Self.merchant).description
            #expect(await refusal(sessions, request(hash), own, standIn) == nil)
            #expect(await refusal(sessions, request(domain: "other.example"), own, standIn) == .refused(status: 417))
            let other = identity(try apple.merchantIdentity(merchant: "merchant.other"))
            #expect(await refusal(sessions, request(), other, standIn) == .refused(status: 417))
            let forged = identity(
                try SandboxAppleAuthority(issued: SystemClock().now()).merchantIdentity(merchant: Self.merchant))
            guard case .unreachable? = await refusal(sessions, request(), forged, standIn) else {
                Issue.record("a certificate of another authority was taken")
                return
            }
            var wrongRoot = standIn
            wrongRoot.root = try SandboxAppleAuthority(issued: SystemClock().now()).rootCertificate
            guard case .unreachable? = await refusal(sessions, request(), own, wrongRoot) else {
                Issue.record("a gateway of another authority was believed")
                return
            }
            await gateway.fail(with: 500)
            #expect(await refusal(sessions, request(), own, standIn) == .refused(status: 500))
            await gateway.fail(with: 302)
            #expect(await refusal(sessions, request(), own, standIn) == .refused(status: 302))
            #expect(await gateway.given == 2)
            await sessions.shutdown()
        }
    }

    @Test("A session is for one sheet of one domain")
    func singleUse() async throws {
        try await withGateway { apple, gateway, standIn in
            let sessions = MerchantSessions(clock: SystemClock(), budget: Self.budget)
            let own = identity(try apple.merchantIdentity(merchant: Self.merchant))
            let bytes = try await sessions.session(.sandbox, request(), identity: own, standIn: standIn)
            let name = try #require(JSONValue(parsing: bytes)["merchantSessionIdentifier"]?.stringValue)
            #expect(await gateway.redeem(name, domain: "other.example", sheet: "1") == false)
            #expect(await gateway.redeem(name, domain: "shop.example", sheet: "1"))
            #expect(await gateway.redeem(name, domain: "shop.example", sheet: "1"))
            #expect(await gateway.redeem(name, domain: "shop.example", sheet: "2") == false)
            await sessions.shutdown()
        }
    }

    @Test("A session is good for five minutes, whatever it says of itself")
    func expiry() async throws {
        let clock = ManualClock(SystemClock().now())
        try await withGateway(clock: clock) { apple, gateway, standIn in
            let sessions = MerchantSessions(clock: clock, budget: Self.budget)
            let own = identity(try apple.merchantIdentity(merchant: Self.merchant))
            let bytes = try await sessions.session(.sandbox, request(), identity: own, standIn: standIn)
            let name = try #require(JSONValue(parsing: bytes)["merchantSessionIdentifier"]?.stringValue)
            clock.advance(by: .milliseconds(299_999))
            #expect(await gateway.redeem(name, domain: "shop.example", sheet: "1"))
            clock.advance(by: .milliseconds(1))
            #expect(await gateway.redeem(name, domain: "shop.example", sheet: "1") == false)
            await sessions.shutdown()
        }
    }

    @Test("A redirect is not followed, an endless answer not read, and what is no session not passed on")
    func otherAnswers() async throws {
        try await withGateway { apple, gateway, standIn in
            let sessions = MerchantSessions(clock: SystemClock(), budget: Self.budget)
            let own = identity(try apple.merchantIdentity(merchant: Self.merchant))
            let elsewhere = "https://127.0.0.1:\(standIn.port)/paymentservices/paymentSession"
            for status in [301, 302, 307, 308] {
                await gateway.fail(with: status, location: elsewhere)
                #expect(await refusal(sessions, request(), own, standIn) == .refused(status: status))
            }
            #expect(await gateway.given == 0)
            let long = #"{"a":""# + String(repeating: "a", count: MerchantSessions.maximumAnswerBytes) + #""}"#
            for body in [long, "", "[]", "{}", "a session"] {
                await gateway.fail(with: 200, body: Array(body.utf8))
                #expect(await refusal(sessions, request(), own, standIn) == .malformed)
            }
            await sessions.shutdown()
        }
    }

    @Test("A gateway with TLS 1.1 is not spoken to")
    func oldTLS() async throws {
        try await withGateway(isOutdated: true) { apple, gateway, standIn in
            let sessions = MerchantSessions(clock: SystemClock(), budget: Self.budget)
            let own = identity(try apple.merchantIdentity(merchant: Self.merchant))
            guard case .unreachable? = await refusal(sessions, request(), own, standIn) else {
                Issue.record("it was spoken to")
                return
            }
            #expect(await gateway.given == 0)
            await sessions.shutdown()
        }
    }

    @Test("What happened to a merchant's token is told to that merchant, over mutual TLS, and to no other")
    func events() async throws {
        try await withGateway { apple, gateway, standIn in
            let sessions = MerchantSessions(clock: SystemClock(), budget: Self.budget)
            let own = identity(try apple.merchantIdentity(merchant: Self.merchant))
            await gateway.happen(
                "e-1",
                .object([
                    JSONMember(key: "eventType", value: .string("UNLINK")),
                    JSONMember(key: "reason", value: .string("USER")),
                    JSONMember(key: "merchantTokenIdentifier", value: .string("DNITHE302308980427388297")),
                ]))
            func ask(_ merchant: String, _ event: String) async -> Result<MerchantTokenEvent?, MerchantSessionError> {
                let path = MerchantTokenEvent.path(merchant: MerchantIDHash(of: merchant), event: event)
                do throws(MerchantSessionError) {
                    let bytes = try await sessions.read(.sandbox, path: path, identity: own, standIn: standIn)
                    return .success((try? JSONValue(parsing: bytes)).flatMap { MerchantTokenEvent(json: $0) })
                } catch { return .failure(error) }
            }
            let told = try #require(try await ask(Self.merchant, "e-1").get())
            #expect(told.kind.rawValue == "UNLINK" && told.reason == "USER")
            #expect(!"\(told)".contains("DNITHE"))
            for (merchant, event) in [(Self.merchant, "e-2"), ("merchant.other", "e-1")] {
                guard case .failure(.refused(404)) = await ask(merchant, event) else {
                    Issue.record("\(merchant) was told of \(event)")
                    return
                }
            }
            await sessions.shutdown()
        }
    }

    @Test("A certificate in DER, as Apple issues it, gets a session, with its key in PEM or in DER")
    func binary() async throws {
        try await withGateway { apple, _, standIn in
            let sessions = MerchantSessions(clock: SystemClock(), budget: Self.budget, standIn: standIn)
            let issued = identity(try apple.merchantIdentity(merchant: Self.merchant))
            let certificate = try MerchantCertificate(parsing: issued.certificate).der
            let lines = String(decoding: issued.key.reveal(), as: UTF8.self).split(separator: "\n")
            let text = lines.filter { !$0.hasPrefix("-----") }.joined()
            let key = Secret(Array(try #require(Data(base64Encoded: text))))
            for form in [issued.key, key] {
                let own = ApplePayDomain.Identity(certificate: certificate, key: form)
                #expect(await refusal(sessions, request(), own, nil) == nil)
            }
            await sessions.shutdown()
        }
    }

    @Test("The route cannot be used to call Apple without end")
    func limit() async throws {
        let sessions = MerchantSessions(clock: SystemClock(), budget: .milliseconds(1))
        let nobody = ApplePayDomain.Identity(certificate: [], key: Secret([]))
        var refusals: [MerchantSessionError?] = []
        let standIn = MerchantSessions.StandIn(port: 1, root: [])
        for _ in 0...MerchantSessions.maximumPerMinute {
            refusals.append(await refusal(sessions, request(), nobody, standIn))
        }
        #expect(refusals.dropLast().allSatisfy { $0 == .noIdentity })
        #expect(refusals.last == .tooMany)
        await sessions.shutdown()
    }
}
