import Foundation
import HTTPTypes
import Testing
import TillCards
import TillPayPalClient
import TillBraintreeClient
import TillCore
import TillHTTP
import TillSandbox
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

@Suite("Braintree") struct BraintreeProviderTests {
    static let amount = Money(minorUnits: 1250, currency: .eur)

    static func provider(_ transport: any HTTPTransport, at clock: ManualClock = ManualClock()) throws
        -> BraintreeProvider
    {
        let config = try BraintreeConfig(
            merchantID: "merchant", publicKey: "public", privateKey: Secret("markedprivate"),
            merchantAccounts: [.eur: "sandbox", .jpy: "sandbox_jpy"], url: "http://127.0.0.1:9")
        return BraintreeProvider(config: config, transport: transport, clock: clock)
    }
    static func context(_ reference: ProviderReference? = nil) -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: "pay_1-a1"), startedAt: ManualClock.start, reference: reference)
    }
    static func sale(_ mode: CaptureMode = .automatic, _ amount: Money = amount) -> AuthorizationRequest {
        AuthorizationRequest(
            context: context(), amount: amount, captureMode: mode, prepareKey: IdempotencyKey(rawValue: "p"),
            key: IdempotencyKey(rawValue: "k"))
    }
    static func card() throws -> PaymentCard {
        try PaymentCard(
            number: "4111111111111111", expiry: "12/30", securityCode: "987", holder: "Ada", now: ManualClock.start)
    }
    static func held(_ answer: ProviderAnswer<Authorization>) throws -> Authorization {
        guard case .approved(let authorization) = answer else {
            Issue.record("\(answer)")
            throw CancellationError()
        }
        return authorization
    }

    @Test("What others submitted for settlement is neither voided nor taken for a capture of ours")
    func capturedElsewhere() async throws {
        let provider = try Self.provider(SandboxBraintree())
        let hold = try Self.held(await provider.authorize(Self.sale(.manual), with: .card(try Self.card().details)))
        let context = Self.context(hold.reference)
        func capture(_ units: Int64, _ name: String) async -> ProviderAnswer<TillCore.Confirmation> {
            await provider.capture(
                CaptureRequest(
                    context: context, capture: CaptureID(rawValue: name),
                    amount: Money(minorUnits: units, currency: .eur),
                    isFinal: true, key: IdempotencyKey(rawValue: name)))
        }
        #expect(await capture(1000, "panel") == .approved(Confirmation(reference: hold.reference)))
        let elsewhere = Decline.capturedElsewhere(Money(minorUnits: 1000, currency: .eur))
        #expect(await capture(300, "ours") == .declined(elsewhere))
        let void = VoidRequest(
            context: context, authorizationKey: IdempotencyKey(rawValue: "k"), reason: "hold_ended",
            key: IdempotencyKey(rawValue: "v"))
        #expect(await provider.void(void) == .declined(elsewhere))
        let query = QueryRequest(
            context: context, authorizationKey: IdempotencyKey(rawValue: "k"), amount: Self.amount)
        guard case .approved(let snapshot) = await provider.query(query) else {
            Issue.record("the transaction cannot be read")
            return
        }
        #expect(snapshot.captured.minorUnits == 1000 && snapshot.refunds.isEmpty)
    }

    @Test("a card becomes a nonce, a nonce a transaction; hold, capture, look, refund")
    func journey() async throws {
        let sandbox = SandboxBraintree()
        let wire = RecordingTransport(sandbox)
        let provider = try Self.provider(wire)
        let hold = try Self.held(await provider.authorize(Self.sale(.manual), with: .card(try Self.card().details)))
        #expect(!hold.isCaptured && hold.card?.lastFour == "1111" && hold.card?.brand == "visa")
        let context = Self.context(hold.reference)
        let capture = CaptureRequest(
            context: context, capture: CaptureID(rawValue: "pay_1-c1"), amount: Money(minorUnits: 1000, currency: .eur),
            isFinal: true, key: IdempotencyKey(rawValue: "c"))
        for _ in 0..<2 {  // the second is the repetition of a lost one
            #expect(await provider.capture(capture) == .approved(Confirmation(reference: hold.reference)))
        }
        let query = QueryRequest(context: context, authorizationKey: IdempotencyKey(rawValue: "k"), amount: Self.amount)
        guard case .approved(let snapshot) = await provider.query(query) else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.captured.minorUnits == 1000)
        let refund = RefundRequest(
            context: context, refund: RefundID(rawValue: "pay_1-r1"), amount: Money(minorUnits: 400, currency: .eur),
            reason: nil, key: IdempotencyKey(rawValue: "r"))
        #expect(await provider.refund(refund) == .notSent(reason: "the sale is not settled yet"))
        await sandbox.settle()
        for _ in 0..<2 {
            guard case .approved = await provider.refund(refund) else {
                Issue.record("not refunded")
                return
            }
        }
        let ledger = await sandbox.ledger()
        #expect(ledger.compactMap { $0["refunded"]?.int64Value }.reduce(0, +) == 400)
        #expect(ledger.compactMap { $0["captured"]?.int64Value }.reduce(0, +) == 1000)
        let text = wire.exchanges.map { "\($0)" }.joined()
        #expect(!text.contains("4111111111111111") && !text.contains("markedprivate") && !text.contains("987"))
    }

    /// The night's settlement comes between what was read and the void.
    private final class SettlingWay: HTTPTransport {
        let base = SandboxBraintree()

        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            if request.path?.hasSuffix("/void") == true { await base.settle() }
            return try await base.send(request, body: body, deadline: deadline)
        }
    }

    @Test("a sale that is settled before its void arrives is refunded the next time, and once")
    func settledMeanwhile() async throws {
        let way = SettlingWay()
        let provider = try Self.provider(way)
        let sale = try Self.held(await provider.authorize(Self.sale(), with: .card(try Self.card().details)))
        let refund = RefundRequest(
            context: Self.context(sale.reference), refund: RefundID(rawValue: "pay_1-r1"), amount: Self.amount,
            reason: nil, key: IdempotencyKey(rawValue: "r"))
        #expect(await provider.refund(refund) == .notSent(reason: "the sale was settled meanwhile"))
        for _ in 0..<2 {
            guard case .approved = await provider.refund(refund) else {
                Issue.record("not refunded")
                return
            }
        }
        let ledger = await way.base.ledger()
        #expect(ledger.compactMap { $0["refunded"]?.int64Value }.reduce(0, +) == 1250)
    }

    @Test("declined cards, with the processor's code")
    func declined() async throws {
        for (units, reason) in [
            (200_100, DeclineReason.insufficientFunds), (200_400, .expiredCard), (201_000, .incorrectCVC),
            (500_100, .fraud),
        ] {
            let answer = try await Self.provider(SandboxBraintree()).authorize(
                Self.sale(.automatic, Money(minorUnits: Int64(units), currency: .eur)), with: .card(Self.card().details)
            )
            guard case .declined(let decline) = answer else {
                Issue.record("\(units): \(answer)")
                continue
            }
            #expect(decline.reason == reason, "\(units)")
        }
    }

    @Test("an answer that is lost is looked up by the attempt's name, and a hold that nobody wants is voided")
    func lost() async throws {
        let sandbox = SandboxBraintree()
        let provider = try Self.provider(sandbox)
        sandbox.faults.fail(.authorize, with: .timeoutAfterCommit)
        let answer = await provider.authorize(Self.sale(.manual), with: .card(try Self.card().details))
        guard case .unknown = answer else {
            Issue.record("\(answer)")
            return
        }
        let query = QueryRequest(
            context: Self.context(), authorizationKey: IdempotencyKey(rawValue: "k"), amount: Self.amount)
        guard case .approved(let snapshot) = await provider.query(query), case .authorized = snapshot.standing else {
            Issue.record("not found")
            return
        }
        let void = VoidRequest(
            context: Self.context(), authorizationKey: IdempotencyKey(rawValue: "k"), reason: "abandoned",
            key: IdempotencyKey(rawValue: "v"))
        guard case .approved = await provider.void(void) else {
            Issue.record("not voided")
            return
        }
        #expect(await sandbox.ledger().first?["state"]?.stringValue == "voided")
    }

    @Test("what Braintree has not heard of may still arrive for ten minutes, and then never")
    func late() async throws {
        let void = VoidRequest(
            context: Self.context(), authorizationKey: IdempotencyKey(rawValue: "k"), reason: "abandoned",
            key: IdempotencyKey(rawValue: "v"))
        guard case .notSent = try await Self.provider(SandboxBraintree()).void(void) else {
            Issue.record("given up too early")
            return
        }
        let later = ManualClock(ManualClock.start.adding(.minutes(11)))
        guard case .approved = try await Self.provider(SandboxBraintree(), at: later).void(void) else {
            Issue.record("never given up")
            return
        }
    }

    @Test("an app makes a nonce with a tokenization key; the nonce prints as a mask")
    func tokenize() async throws {
        let sandbox = SandboxBraintree()
        let config = try TokenizationConfig(tokenizationKey: "development_key_merchant", url: "http://127.0.0.1:9")
        let client = CardClient(config, transport: sandbox)
        let nonce = try await client.tokenizeCard(Self.card())
        #expect(nonce.lastFour == "1111" && nonce.brand == "VISA")
        let sent = try #require(
            CardTokenization.body(try Self.card().details, options: TokenizationOptions())["variables"]?["input"])
        #expect(sent["creditCard"]?["cvv"]?.stringValue == "987", "without its security code a card is declined")
        #expect(!"\(nonce)".contains(nonce.nonce.reveal()))
        let card = try Self.card()
        let twin = await withCheckedContinuation { continuation in
            client.tokenizeCard(card, options: TokenizationOptions(validates: true)) {
                continuation.resume(returning: $0)
            }
        }
        #expect(try twin.get().nonce.reveal() != nonce.nonce.reveal())
        #expect(throws: CardClientError.self) { try TokenizationConfig(tokenizationKey: "sandbox_x") }
        #expect(throws: CardClientError.self) {
            try TokenizationConfig(tokenizationKey: "sandbox_a_b", url: "http://example.com")
        }
    }

    @Test("XML of others: entities, comments, nesting; document types, bombs and rubbish are refused")
    func xml() {
        func read(_ text: String) -> XMLNode? { XMLNode(parsing: Array(text.utf8)) }
        #expect(read("<a><b>x &amp; &#228;&#x20AC;</b><!-- n --><c nil=\"true\"/></a>")?.value("b") == "x & ä€")
        #expect(read("<a><c nil=\"true\"></c></a>")?.value("c") == nil)
        for text in [
            "", "<a>", "<a></b>", "<a/>x", "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a>&x;</a>", "<a b=1/>",
            "<a>&#xD800;</a>", "<a b='1' b='2'/>",
            String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40),
            "<a><![CDATA[x]]></a>",
        ] { #expect(read(text) == nil, "\(text.prefix(40))") }
        let node = XMLNode("a", of: [XMLNode("b", "<&>'\" ä\u{1}")])
        #expect(XMLNode(parsing: node.bytes())?.value("b") == "<&>'\" ä")
    }

    @Test("webhooks signed by Braintree's own library: taken, and refused with any byte flipped")
    func webhooks() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Peers/braintree_webhooks.json")
        let json = try JSONValue(parsing: Array(Data(contentsOf: file)))
        let samples = try #require(json["samples"]?.arrayValue)
        let now = try #require(json["now"]?.stringValue.flatMap { Timestamp(internetTime: $0) })
        func verify(
            _ payload: String, _ signature: String, key: String = "integration_public_key", after: Span = .seconds(0)
        ) -> BraintreeWebhookError? {
            do throws(BraintreeWebhookError) {
                _ = try BraintreeWebhook.verify(
                    payload: payload, signature: signature, publicKey: key,
                    privateKey: Secret("integration_private_key"), now: now.adding(after))
            } catch { return error }
            return nil
        }
        #expect(samples.count >= 5)
        for sample in samples {
            let payload = try #require(sample["payload"]?.stringValue)
            let signature = try #require(sample["signature"]?.stringValue)
            #expect(verify(payload, signature) == nil)
            #expect(verify(payload, signature, key: "other") == .otherKey)
            #expect(verify(payload, signature, after: .days(1)) == nil)
            #expect(verify(payload, signature, after: .days(3)) == .stale)
            #expect(verify(payload, signature, after: .days(-1)) == .stale)
            let capitals = String(signature.dropLast(40)) + signature.suffix(40).uppercased()
            #expect(verify(payload, capitals) == .wrongSignature)
            for place in payload.utf8.indices.lazy.enumerated().filter({ $0.offset % 11 == 0 }).map(\.offset) {
                var bytes = Array(payload.utf8)
                bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
                if bytes == Array(payload.utf8) { continue }
                #expect(verify(String(decoding: bytes, as: UTF8.self), signature) == .wrongSignature)
            }
            let mark = signature.utf8.count - 40
            for place in mark..<signature.utf8.count {
                var bytes = Array(signature.utf8)
                bytes[place] = bytes[place] == 0x30 ? 0x31 : 0x30
                #expect(verify(payload, String(decoding: bytes, as: UTF8.self)) == .wrongSignature)
            }
        }
    }
}
