import Testing
import TillApplePay
import TillCore
@testable import TillFeatureApplePay
import TillJournal
import TillStandInApple
import TillTestSupport

@Suite("What Apple reports of merchants' tokens, at a counter that sells for several merchants")
struct MerchantTokenEventTests {
    private static let merchants = ["merchant.one", "merchant.two"]

    /// A gateway of Apple's, and the events of a counter that asks there.
    private struct Shop {
        let apple: SandboxAppleAuthority
        let gateway: SandboxAppleGateway
        let events: MerchantTokenEvents
        let clock: ManualClock

        /// Returns merchants with certificates of an authority, or without one.
        func merchants(_ authorities: [SandboxAppleAuthority?]) throws -> [MerchantTokenEvents.Merchant] {
            try zip(MerchantTokenEventTests.merchants, authorities).map { name, authority in
                let pair = try authority?.merchantIdentity(merchant: name)
                let identity = pair.map {
                    ApplePayDomain.Identity(
                        certificate: Array($0.certificate.utf8), key: Secret(Array($0.key.reveal().utf8)))
                }
                return MerchantTokenEvents.Merchant(hash: MerchantIDHash(of: name), identity: identity)
            }
        }

        func waiting() async throws -> [String] { try await events.log.waiting(limit: 100).map(\.id) }

        /// The events that are known, sorted.
        func known() async throws -> [String] {
            try await events.log.newest(100).filter { $0.details != nil }.map(\.id).sorted()
        }

        func happen(_ event: String, of merchant: String? = nil) async {
            await gateway.happen(
                event, of: merchant,
                .members([
                    "eventType": .string("UNLINK"), "reason": .string("USER"),
                    "merchantTokenIdentifier": .string("DNITHE302308980427388297"),
                ]))
        }

        func count(_ outcome: String) -> Int {
            let begin = "applepay_notifications_total{outcome=\"\(outcome)\"} "
            let lines = events.metrics.text(daysLeft: [], domains: []).split(separator: "\n")
            let line = lines.first { $0.hasPrefix(begin) }
            return line.flatMap { Int($0.dropFirst(begin.count)) } ?? 0
        }
    }

    private func withShop(_ body: (Shop) async throws -> Void) async throws {
        let apple = try SandboxAppleAuthority(issued: SystemClock().now())
        let gateway = SandboxAppleGateway(apple: apple, domains: [:])
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = Task { try await gateway.run { continuation.yield($0) } }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let clock = ManualClock()
        let sessions = MerchantSessions(
            clock: clock, budget: .seconds(60),
            standIn: MerchantSessions.StandIn(port: port, root: apple.rootCertificate))
        let log = MerchantTokenLog(MemoryJournal(storage: MemoryJournal.Storage(), clock: clock), clock: clock)
        let events = MerchantTokenEvents(log: log, sessions: sessions, sandbox: nil, metrics: ApplePayMetrics())
        do { try await body(Shop(apple: apple, gateway: gateway, events: events, clock: clock)) } catch {
            await sessions.shutdown()
            throw error
        }
        await sessions.shutdown()
    }

    @Test("An event is found under the merchant whose it is, whichever was notified, and a forged one is forgotten")
    func found() async throws {
        try await withShop { shop in
            let both = try shop.merchants([shop.apple, shop.apple])
            await shop.happen("e-1", of: "merchant.one")
            await shop.happen("e-2", of: "merchant.two")
            for event in ["e-1", "e-2", "forged"] { try await shop.events.notified(event) }
            await shop.events.fetch(both, .sandbox)
            #expect(try await shop.known() == ["e-1", "e-2"])
            #expect(try await shop.events.log.newest(100).count == 2)
            #expect(shop.count("known") == 2 && shop.count("unknown_to_apple") == 1)
        }
    }

    @Test("An event is not forgotten while a merchant could not be asked: without a certificate, or with a refused one")
    func incomplete() async throws {
        try await withShop { shop in
            await shop.happen("e-2", of: "merchant.two")
            await shop.happen("e-1", of: "merchant.one")
            let forger = try SandboxAppleAuthority(issued: SystemClock().now())
            for other in [nil, forger] {
                try await shop.events.notified("e-2")
                try await shop.events.notified("e-1")
                await shop.events.fetch(try shop.merchants([shop.apple, other]), .sandbox)
                #expect(try await shop.waiting() == ["e-2"])
                #expect(try await shop.known() == ["e-1"])
                shop.clock.advance(by: .hours(1))
            }
            // A merchant that comes first and is not answered does not keep the other's waiting.
            try await shop.events.notified("e-3")
            await shop.happen("e-3", of: "merchant.two")
            await shop.events.fetch(try shop.merchants([forger, shop.apple]), .sandbox)
            #expect(try await shop.known() == ["e-1", "e-2", "e-3"])
        }
    }

    @Test("An event that Apple never tells does not keep later ones waiting, and is given up in the end")
    func refused() async throws {
        try await withShop { shop in
            let both = try shop.merchants([shop.apple, shop.apple])
            for number in 1...MerchantTokenEvents.maximumFetches {
                await shop.gateway.happen("bad-\(number)", .members(["eventType": .string("")]))
                try await shop.events.notified("bad-\(number)")
            }
            await shop.happen("good")
            try await shop.events.notified("good")
            for _ in 1...2 { await shop.events.fetch(both, .sandbox) }
            #expect(try await shop.known() == ["good"])
            #expect(shop.count("apple_malformed") == MerchantTokenEvents.maximumFetches)
            for _ in 2...MerchantTokenRecord.maximumTries {
                shop.clock.advance(by: .hours(1))
                await shop.events.fetch(both, .sandbox)
            }
            #expect(try await shop.waiting().isEmpty)
            #expect(shop.count("given_up") == MerchantTokenEvents.maximumFetches)
            #expect(try await shop.events.log.newest(100).count { $0.isGivenUp } == MerchantTokenEvents.maximumFetches)
        }
    }

    @Test("Where Apple answers nobody, nothing is tried away")
    func unreachable() async throws {
        try await withShop { shop in
            await shop.happen("e-1")
            try await shop.events.notified("e-1")
            let forger = try SandboxAppleAuthority(issued: SystemClock().now())
            for _ in 0...MerchantTokenRecord.maximumTries {
                await shop.events.fetch(try shop.merchants([forger, forger]), .sandbox)
            }
            #expect(shop.count("apple_unreachable") == MerchantTokenRecord.maximumTries + 1)
            await shop.events.fetch(try shop.merchants([shop.apple, nil]), .sandbox)
            #expect(try await shop.known() == ["e-1"])
        }
    }
}
