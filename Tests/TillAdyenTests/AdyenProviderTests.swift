import HTTPTypes
import Synchronization
import Testing
import TillCards
import TillCore
import TillHTTP
import TillSandbox
@testable import TillAdyen

@Suite("Adyen") struct AdyenProviderTests {
    static let key = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
    static let amount = Money(minorUnits: 1250, currency: .eur)
    static let payment = PaymentID(rawValue: "pay_01m7ytveqm2nm01ae701vd3y0a")

    /// The counter's side of webhooks: what is believed is kept.
    final class Letterbox: HTTPTransport {
        let kept = Mutex<[AdyenNotice]>([])
        let refused = Mutex<Int>(0)
        let config: AdyenConfig

        init(_ config: AdyenConfig) { self.config = config }

        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            do {
                let notices = try AdyenWebhook.verify(body: body, config: config)
                kept.withLock { kept in
                    for notice in notices where !kept.contains(where: { $0.id == notice.id }) { kept.append(notice) }
                }
                return HTTPReply(response: HTTPResponse(status: .ok), body: [])
            } catch {
                refused.withLock { $0 += 1 }
                return HTTPReply(response: HTTPResponse(status: .badRequest), body: [])
            }
        }

        /// Waits until so many are here.
        func has(_ count: Int) async -> Bool {
            for _ in 0..<2_000 {
                if kept.withLock({ $0.count }) >= count { return true }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return false
        }
    }

    struct World {
        let provider: AdyenProvider
        let sandbox: SandboxAdyen
        let wire: RecordingTransport
        let letters: Letterbox

        init() throws {
            let config = try AdyenConfig(
                apiKey: Secret("marked-api-key"), merchantAccount: "TillShop", environment: .custom("http://127.0.0.1:9"),
                webhookKeys: [Secret(AdyenProviderTests.key)])
            let letters = Letterbox(config)
            sandbox = SandboxAdyen(
                webhook: SandboxAdyen.Webhook(
                    url: "http://127.0.0.1:8/webhooks/adyen", key: Secret(AdyenProviderTests.key), copies: 2),
                outgoing: letters)
            wire = RecordingTransport(sandbox)
            self.letters = letters
            provider = AdyenProvider(config: config, transport: wire) { payment in
                letters.kept.withLock { $0 }.filter { $0.payment == payment }
            }
        }
    }

    static func context(_ reference: ProviderReference? = nil) -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: payment,
            attempt: AttemptID(rawValue: "\(payment)-a1"), startedAt: Timestamp(milliseconds: 1_800_000_000_000),
            reference: reference)
    }
    static func sale(_ mode: CaptureMode, _ amount: Money = amount) -> AuthorizationRequest {
        AuthorizationRequest(
            context: context(), amount: amount, captureMode: mode, prepareKey: IdempotencyKey(rawValue: "p"),
            key: IdempotencyKey(rawValue: "\(payment)-a1-authorize"))
    }
    static func card(_ holder: String? = nil) throws -> Tender {
        .card(try CardDetails(number: "4111111111111111", expiry: "03/30", securityCode: "737", holder: holder))
    }
    static func query(_ reference: ProviderReference? = nil) -> QueryRequest {
        QueryRequest(context: context(reference), authorizationKey: IdempotencyKey(rawValue: "k"), amount: amount)
    }

    @Test("a hold, its capture and a refund: each is unknown until Adyen's webhook has told, and not sent twice after")
    func journey() async throws {
        let world = try World()
        guard case .approved(let hold) = await world.provider.authorize(Self.sale(.manual), with: try Self.card()) else {
            Issue.record("not held")
            return
        }
        #expect(!hold.isCaptured && hold.card?.lastFour == "1111" && hold.card?.emv?.authorizationCode == "012345")
        let context = Self.context(hold.reference)
        let capture = CaptureRequest(
            context: context, capture: CaptureID(rawValue: "\(Self.payment)-c1"),
            amount: Money(minorUnits: 1000, currency: .eur), isFinal: true, key: IdempotencyKey(rawValue: "c"))
        #expect(await world.provider.capture(capture) == .unknown(reason: "pending"))
        #expect(await world.letters.has(2))
        let sent = world.wire.exchanges.count
        guard case .approved(let done) = await world.provider.capture(capture) else {
            Issue.record("the webhook was not heard")
            return
        }
        #expect(done.reference != hold.reference && world.wire.exchanges.count == sent, "it was asked for again")
        guard case .approved(let snapshot) = await world.provider.query(Self.query(hold.reference)) else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.captured.minorUnits == 1000)
        func refund(_ number: Int, _ units: Int64) -> RefundRequest {
            RefundRequest(
                context: context, refund: RefundID(rawValue: "\(Self.payment)-r\(number)"),
                amount: Money(minorUnits: units, currency: .eur), reason: nil, key: IdempotencyKey(rawValue: "r\(number)"))
        }
        #expect(await world.provider.refund(refund(1, 700)) == .unknown(reason: "pending"))
        #expect(await world.provider.refund(refund(2, 400)) == .unknown(reason: "pending"))
        #expect(await world.letters.has(4))
        guard case .approved = await world.provider.refund(refund(1, 700)),
            case .declined = await world.provider.refund(refund(2, 400)),
            case .approved(let end) = await world.provider.query(Self.query(hold.reference))
        else {
            Issue.record("the refunds' webhooks were not heard")
            return
        }
        #expect(end.refunds.map(\.refund?.rawValue) == ["\(Self.payment)-r1", "\(Self.payment)-r2"])
        #expect(end.refunds.first?.status == .succeeded)
        let ledger = await world.sandbox.ledger()
        #expect(ledger.compactMap { $0["refunded"]?.int64Value } == [700])
        #expect(world.letters.refused.withLock { $0 } == 0)
    }

    @Test("a sale in one step is taken with its authorization; a lost answer is told by webhook, the step included")
    func atOnce() async throws {
        let world = try World()
        guard case .approved(let paid) = await world.provider.authorize(Self.sale(.automatic), with: try Self.card())
        else {
            Issue.record("not paid")
            return
        }
        #expect(paid.isCaptured && paid.amount == Self.amount)
        let lost = try World()
        lost.sandbox.faults.fail(.authorize, with: .timeoutAfterCommit, times: 1)
        guard case .unknown = await lost.provider.authorize(Self.sale(.automatic), with: try Self.card()) else {
            Issue.record("a lost answer must be unknown")
            return
        }
        #expect(await lost.letters.has(1))
        guard case .approved(let snapshot) = await lost.provider.query(Self.query()),
            case .authorized(let found) = snapshot.standing
        else {
            Issue.record("the webhook was not heard")
            return
        }
        #expect(found.isCaptured && snapshot.captured == Self.amount)
    }

    @Test("an attempt whose answer was lost is voided by our own name for it", arguments: [CaptureMode.manual])
    func voidsByName(mode: CaptureMode) async throws {
        let world = try World()
        world.sandbox.faults.fail(.authorize, with: .timeoutAfterCommit, times: 1)
        _ = await world.provider.authorize(Self.sale(mode), with: try Self.card())
        #expect(await world.letters.has(1))
        world.letters.kept.withLock { $0 = [] }  // its webhook never came
        let void = VoidRequest(
            context: Self.context(), authorizationKey: IdempotencyKey(rawValue: "k"), reason: "abandoned",
            key: IdempotencyKey(rawValue: "v"))
        #expect(await world.provider.void(void) == .unknown(reason: "pending"))
        #expect(await world.letters.has(2))
        guard case .approved = await world.provider.void(void),
            case .approved(let snapshot) = await world.provider.query(Self.query())
        else {
            Issue.record("not voided")
            return
        }
        #expect(snapshot.standing == .voided)
        #expect(await world.sandbox.ledger().compactMap { $0["canceled"]?.boolValue } == [true])
    }

    @Test(
        "refusals keep Adyen's code and name; what must not be told to the customer is fraud",
        arguments: [
            ("NOT_ENOUGH_BALANCE", "12", DeclineReason.insufficientFunds), ("CARD_EXPIRED", "6", .expiredCard),
            ("CVC_DECLINED", "24", .incorrectCVC), ("BLOCK_CARD", "5", .fraud), ("DECLINED", "2", .generic),
            ("THREEDS", "RedirectShopper", .cardNotSupported),
        ])
    func refusals(holder: String, code: String, reason: DeclineReason) async throws {
        let world = try World()
        guard case .declined(let no) = await world.provider.authorize(Self.sale(.manual), with: try Self.card(holder))
        else {
            Issue.record("not declined")
            return
        }
        #expect(no.reason == reason && no.code == code && no.requestID?.hasPrefix("TILL") == true)
    }

    @Test(
        "what went wrong on the way: unknown where it may have been done",
        arguments: [SandboxFault.timeoutBeforeCommit, .timeoutAfterCommit, .serverErrorAfterSuccess, .conflict, .outage])
    func faults(fault: SandboxFault) async throws {
        let world = try World()
        world.sandbox.faults.fail(.authorize, with: fault, times: 1)
        guard case .unknown = await world.provider.authorize(Self.sale(.manual), with: try Self.card()) else {
            Issue.record("\(fault) must be unknown")
            return
        }
        // Nothing was told, so nothing is concluded.
        world.letters.kept.withLock { $0 = [] }
        guard case .unknown = await world.provider.query(Self.query()) else {
            Issue.record("silence was taken for an answer")
            return
        }
    }

    @Test("no number, code or key is in what is recorded")
    func secrets() async throws {
        let world = try World()
        _ = await world.provider.authorize(Self.sale(.manual), with: try Self.card("Ada"))
        let text = world.wire.exchanges.map { "\($0)" }.joined()
        #expect(text.contains("payments") && !text.contains("4111111111111111") && !text.contains("marked-api-key"))
        #expect(!"\(world.provider)".contains("marked-api-key") && !"\(world.provider)".contains(Self.key))
    }

    @Test("amounts in Adyen's own minor units", arguments: [("CLP", 500, "50000"), ("ISK", 10, "1000"), ("IDR", 1500, nil)])
    func amounts(code: String, units: Int64, wire: String?) async throws {
        let world = try World()
        let money = Money(minorUnits: units, currency: try Currency(code: code))
        let answer = await world.provider.authorize(Self.sale(.manual, money), with: try Self.card())
        guard let wire else {
            guard case .approved = answer else {
                Issue.record("15.00 rupiah without sen go")
                return
            }
            return
        }
        guard case .approved = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(await world.sandbox.ledger().first?["authorized"]?.int64Value == units)
        #expect(try AmountCodec.adyen.wireAmount(money) == Int64(wire))
    }

    @Test("unusable settings are named, never repeated")
    func settings() throws {
        let secret = "bad key with spaces"
        #expect(throws: AdyenConfigError.unusable("API key")) {
            try AdyenConfig(apiKey: Secret(secret), merchantAccount: "Shop")
        }
        #expect(throws: AdyenConfigError.unusable("merchant account")) {
            try AdyenConfig(apiKey: Secret("12345678"), merchantAccount: "a/b")
        }
        #expect(throws: AdyenConfigError.unusable("address")) {
            try AdyenConfig(
                apiKey: Secret("12345678"), merchantAccount: "Shop", environment: .custom("http://127.0.0.1.evil.com"))
        }
        #expect(throws: AdyenConfigError.unusable("webhook key")) {
            try AdyenConfig(apiKey: Secret("12345678"), merchantAccount: "Shop", webhookKeys: [Secret("xyz")])
        }
        let live = try AdyenConfig(
            apiKey: Secret("12345678"), merchantAccount: "Shop", environment: .live(prefix: "1797a841fbb37ca7-Shop"))
        #expect(live.authority == "1797a841fbb37ca7-Shop-checkout-live.adyenpayments.com" && live.path == "/checkout")
    }
}
