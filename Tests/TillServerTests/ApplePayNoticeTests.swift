import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal
import TillProvider
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("What must be mended of Apple Pay, while the counter runs")
struct ApplePayNoticeTests {
    private let clock = ManualClock()

    /// Returns the options of a shop in order. Its certificates begin now.
    private func sound() async throws -> ApplePayOptions {
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let sandbox = try ApplePayWeb.sandbox(
            checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock), journal: journal,
            account: .main, clock: clock)
        let options = sandbox.routes.options
        await sandbox.shutdown()
        return options
    }

    /// Runs a body with a shop with these options.
    private func withShop(
        _ options: ApplePayOptions, reload: (@Sendable () -> ApplePayOptions?)? = nil,
        _ body: (ApplePayWeb) async throws -> Void
    ) async throws {
        let journal = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        let web = try ApplePayWeb(
            options: options, checkout: Checkout(journal: journal, providers: [CashDrawer()], clock: clock),
            journal: journal, account: .main, provider: .sandbox, handovers: [.opened, .sealed], clock: clock,
            reload: reload, isAside: false)
        try await body(web)
        await web.shutdown()
    }

    private func request(_ path: String) -> Request {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    /// Expects that pages are offered Apple Pay, or not for a reason.
    private func expect(_ web: ApplePayWeb, offers isOn: Bool, _ reason: String? = nil) async throws {
        let answer = try await RoutedCounter.document(web.routes.metadata(request("/applepay/metadata")))
        #expect(answer["enabled"] == .bool(isOn))
        let given: JSONValue = reason.map { .string($0) } ?? .null
        #expect(answer["reason"] == given)
        #expect(web.metrics().contains("applepay_offered{place=\"0\"} \(isOn ? 1 : 0)\n"))
    }

    @Test("Of a shop in order nothing is to be mended")
    func order() async throws {
        try await withShop(sound()) { web in
            try await expect(web, offers: true)
            #expect(web.routes.notices().isEmpty && web.routes.isOffered)
            #expect(web.metrics().contains("applepay_association_missing_seconds{place=\"0\"} 0\n"))
        }
    }

    @Test("A domain whose association file was never read is off on pages, with the reason; apps pay there")
    func never() async throws {
        var options = try await sound()
        options.domains[0].association = nil
        options.domains[0].associationFile = "association.txt"
        try await withShop(options) { web in
            try await expect(web, offers: false, "association_missing")
            #expect(web.routes.notices().map(\.code) == ["association_missing"] && web.routes.isOffered)
            #expect(throws: Problem.self) { try web.routes.associationFile(request(ApplePayRoutes.association)) }
            clock.advance(by: .minutes(2))
            #expect(web.metrics().contains("applepay_association_missing_seconds{place=\"0\"} 120\n"))
        }
    }

    @Test("A domain whose own server serves the association file is on, and nothing is to be mended")
    func elsewhere() async throws {
        var options = try await sound()
        options.domains[0].association = nil
        try await withShop(options, reload: { [options] in options }) { web in
            clock.advance(by: .minutes(2))
            try await expect(web, offers: true)
            #expect(web.routes.notices().isEmpty && web.routes.isOffered)
            #expect(throws: Problem.self) { try web.routes.associationFile(request(ApplePayRoutes.association)) }
            #expect(web.metrics().contains("applepay_association_missing_seconds{place=\"0\"} 0\n"))
        }
    }

    @Test("An association file that vanishes is served on, and Apple Pay stays on, with a notice since when")
    func gone() async throws {
        var options = try await sound()
        options.domains[0].associationFile = "association.txt"
        var later = options
        later.domains[0].association = nil
        try await withShop(options, reload: { [later] in later }) { web in
            clock.advance(by: .seconds(30))
            try await expect(web, offers: true)
            let notices = web.routes.notices()
            #expect(notices.map(\.code) == ["association_gone"] && notices.first?.since == clock.now())
            #expect("\(notices)".contains("association.txt"))
            let file = try web.routes.associationFile(request(ApplePayRoutes.association))
            #expect(file.status == .ok)
            #expect(try await RoutedCounter.text(file) == "till sandbox domain association\n")
            clock.advance(by: .seconds(10))
            #expect(web.metrics().contains("applepay_association_missing_seconds{place=\"0\"} 10\n"))
        }
    }

    @Test("A merchant certificate is noticed 30 days before its end, on its last day, and once it has ended")
    func identity() async throws {
        var options = try await sound()
        options.opening = .provider
        let end = try #require(options.domains[0].identityEnd)
        try await withShop(options) { web in
            func move(to left: Span) {
                clock.advance(by: Span(milliseconds: end.since(clock.now()).milliseconds - left.milliseconds))
            }
            move(to: .days(31))
            #expect(web.routes.notices().isEmpty)
            move(to: .days(30))
            #expect(web.routes.notices().map(\.code) == ["identity_ending"])
            #expect(web.routes.notices().first?.reason.contains("ends in 30 days") == true)
            move(to: .hours(3))
            try await expect(web, offers: true)
            #expect(web.routes.notices().first?.reason.contains("in less than a day") == true)
            move(to: .seconds(0))
            try await expect(web, offers: false, "identity_ended")
            #expect(web.routes.notices().map(\.code) == ["identity_ended"] && web.routes.isOffered)
            #expect(web.routes.notices().first?.since == end)
            #expect(web.routes.notices().first?.reason.hasSuffix("its pages offer no Apple Pay; apps do.") == true)
        }
    }

    @Test("Where the counter opens the tokens, an ended processing certificate ends Apple Pay, too")
    func processing() async throws {
        let options = try await sound()
        let end = try #require(options.processingEnd)
        try await withShop(options) { web in
            clock.advance(by: end.since(clock.now()))
            try await expect(web, offers: false, "processing_ended")
            #expect(web.routes.notices().map(\.code).contains("processing_ended") && !web.routes.isOffered)
        }
    }

    @Test("A domain that is switched off needs nothing; a pair that is missing, and a fault of the settings do")
    func others() async throws {
        let whole = try await sound()
        let changes: [(String?, String, (inout ApplePayOptions) -> Void)] = [
            (nil, "switched_off", { $0.domains[0].isEnabled = false }),
            (nil, "no_visitors", { $0.domains[0].percentage = 0 }),
            ("identity_missing", "identity_missing", { $0.domains[0].identities = [] }),
            ("processing_missing", "processing_missing", { $0.keys = ProcessingKeyRing() }),
            ("settings", "settings", { $0.fault = "A file cannot be read." }),
        ]
        for (notice, reason, change) in changes {
            var options = whole
            change(&options)
            try await withShop(options) { web in
                let answer = try await RoutedCounter.document(web.routes.metadata(request("/applepay/metadata")))
                #expect(answer["enabled"] == .bool(false) && answer["reason"]?.stringValue == reason)
                #expect(web.routes.notices().map(\.code) == [notice].compactMap(\.self), "\(reason)")
                #expect(web.routes.isOffered == (reason == "identity_missing"), "\(reason)")
            }
        }
    }

    @Test("A notice is for the counter's own account, not for another that may use its hardware")
    func own() async throws {
        var options = try await sound()
        options.domains[0].association = nil
        options.domains[0].associationFile = "association.txt"
        let missing = options
        let counter = try await RoutedCounter(
            hardware: [AccountID(rawValue: "other")],
            shop: { counter in
                try ApplePayWeb(
                    options: missing, checkout: counter.checkout, journal: counter.journal, account: .main,
                    provider: .sandbox, handovers: [.opened], clock: counter.clock)
            })
        for path in ["/v1/attention", "/v1/settings/health"] {
            let own = try await RoutedCounter.text(counter.ask("GET", path))
            let answer = try await counter.ask(
                "GET", path, isStranger: true, headers: ["Authorization": "Bearer other"])
            #expect(own.contains("association.txt") && answer.status == .ok, "\(path)")
            let others = try await RoutedCounter.text(answer)
            #expect(!others.contains("association.txt"), "\(path)")
        }
        await counter.close()
    }

    @Test("The settings' rejection is a notice, until they are taken again")
    func rejected() async throws {
        let options = try await sound()
        try await withShop(options, reload: { nil }) { web in
            #expect(web.routes.notices().isEmpty)
            clock.advance(by: .seconds(30))
            #expect(web.routes.notices().map(\.code) == ["settings_rejected"])
            try await expect(web, offers: true)
        }
    }
}
