import HTTPTypes
import Testing
import TillAdyen
import TillCards
import TillCore
import TillSandbox
import TillStandInAdyen

@Suite("Adyen")
struct AdyenProviderTests {
    static let hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
    let sandbox = SandboxAdyen()
    let notices = MemoryAdyenNotifications()
    var book: AdyenNotificationLog { AdyenNotificationLog(notices) }

    func config() throws -> AdyenConfig {
        try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"), url: "http://127.0.0.1:1",
            webhookKeys: [Secret(Self.hmacKey)])
    }

    func provider() throws -> AdyenProvider {
        AdyenProvider(config: try config(), transport: sandbox, book: book)
    }

    static func context(_ reference: ProviderReference? = nil) throws -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: try PaymentID(validating: "pay_1"),
            attempt: try AttemptID(validating: "pay_1-a1"), startedAt: Timestamp(milliseconds: 0), reference: reference)
    }

    static let price = Money(minorUnits: 1250, currency: .eur)

    func authorize(
        _ number: String = "4111111111111111", _ mode: CaptureMode = .automatic, key: String = "k-1",
        amount: Money = price
    ) async throws -> ProviderAnswer<Authorization> {
        let card = try PaymentCard(
            reading: number, expiry: "03/30", securityCode: "737", century: Timestamp(milliseconds: 0)
        ).details
        let request = AuthorizationRequest(
            context: try Self.context(), amount: amount, captureMode: mode, prepareKey: IdempotencyKey(rawValue: "p-1"),
            key: IdempotencyKey(rawValue: key))
        return await (try provider()).authorize(request, with: .card(card))
    }

    /// Brings what happened to the book, checked as webhooks are.
    func deliver() async throws {
        let webhooks = try #require(AdyenWebhooks(try config()))
        let bytes = try #require(Hex.decode(Self.hmacKey))
        for webhook in await sandbox.webhooks(key: Secret(bytes)) {
            try await book.take(try webhooks.verify(body: webhook.bytes()))
        }
    }

    @Test("Taken at once: paid with the answer; the same key is the same payment")
    func atOnce() async throws {
        guard case .approved(let first) = try await authorize() else {
            Issue.record("not approved")
            return
        }
        #expect(first.isCaptured && first.amount == Self.price && first.card?.lastFour == "1111")
        #expect(try await authorize() == .approved(first))
        #expect(await sandbox.ledger().count == 1)
    }

    @Test("Held, then taken: done only when the webhook says so")
    func held() async throws {
        guard case .approved(let held) = try await authorize(mode(.manual).number, .manual) else {
            Issue.record("not approved")
            return
        }
        #expect(!held.isCaptured)
        let request = CaptureRequest(
            context: try Self.context(held.reference), capture: try CaptureID(validating: "cap_1"), amount: Self.price,
            isFinal: true, key: IdempotencyKey(rawValue: "c-1"))
        let provider = try provider()
        #expect(await provider.capture(request) == .unknown(.pending))
        try await deliver()
        guard case .approved = await provider.capture(request) else {
            Issue.record("not captured")
            return
        }
        #expect(await sandbox.ledger().first?["captured"]?.int64Value == 1250)
        let query = QueryRequest(
            context: try Self.context(), authorizationKey: IdempotencyKey(rawValue: "k-1"), amount: Self.price)
        guard case .approved(let snapshot) = await provider.query(query) else {
            Issue.record("not told")
            return
        }
        #expect(snapshot.captured == Self.price)
    }

    private func mode(_ mode: CaptureMode) -> (number: String, mode: CaptureMode) { ("4111111111111111", mode) }

    @Test("A refund is pending until the webhook; one that is too large fails with the webhook's words")
    func refunds() async throws {
        guard case .approved(let paid) = try await authorize() else {
            Issue.record("not approved")
            return
        }
        let provider = try provider()
        func refund(_ id: String, _ minor: Int64) async throws -> ProviderAnswer<TillCore.Confirmation> {
            await provider.refund(
                RefundRequest(
                    context: try Self.context(paid.reference), refund: try RefundID(validating: id),
                    amount: Money(minorUnits: minor, currency: .eur), reason: nil, key: IdempotencyKey(rawValue: id)))
        }
        #expect(try await refund("pay_1-r1", 1000) == .unknown(.pending))
        #expect(try await refund("pay_1-r2", 1000) == .unknown(.pending))
        try await deliver()
        guard case .approved = try await refund("pay_1-r1", 1000),
            case .declined(let decline) = try await refund("pay_1-r2", 1000)
        else {
            Issue.record("not as told")
            return
        }
        #expect(decline.message == "Insufficient balance on payment")
        #expect(await sandbox.ledger().first?["refunded"]?.int64Value == 1000)
    }

    @Test(
        "A no has its reason; a word of tomorrow is unknown",
        arguments: [
            ("4000000000009995", DeclineReason.insufficientFunds), ("4000000000000069", .expiredCard),
            ("4000000000000127", .incorrectCVC), ("4100000000000019", .fraud), ("4000000000000002", .generic),
        ])
    func refused(number: String, reason: DeclineReason) async throws {
        guard case .declined(let decline) = try await authorize(number) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.reason == reason && decline.code != nil && decline.requestID != nil)
        #expect(!"\(decline)".contains(number))
    }

    @Test("No answer is unknown, and a webhook settles it; what nobody told stays unknown")
    func lost() async throws {
        sandbox.faults.fail(.authorize, with: .timeoutAfterCommit, times: 1)
        guard case .unknown = try await authorize() else {
            Issue.record("not unknown")
            return
        }
        let provider = try provider()
        let query = QueryRequest(
            context: try Self.context(), authorizationKey: IdempotencyKey(rawValue: "k-1"), amount: Self.price)
        guard case .unknown = await provider.query(query) else {
            Issue.record("Adyen cannot be asked")
            return
        }
        try await deliver()
        guard case .approved(let snapshot) = await provider.query(query), case .authorized = snapshot.standing else {
            Issue.record("not told")
            return
        }
        #expect(snapshot.captured == Self.price)
        let void = VoidRequest(
            context: try Self.context(), authorizationKey: IdempotencyKey(rawValue: "k-1"), reason: "customer gone",
            key: IdempotencyKey(rawValue: "v-1"))
        #expect(await provider.void(void) == .unknown(.pending))
        try await deliver()
        guard case .approved = await provider.void(void) else {
            Issue.record("not let go")
            return
        }
    }

    @Test("A refund without a webhook is not sent again once its key may be forgotten: it could be made twice")
    func oldKey() async throws {
        guard case .approved(let paid) = try await authorize() else {
            Issue.record("not approved")
            return
        }
        let provider = try provider()
        func refunded(daysAgo days: Int64) async throws -> Int64? {
            let request = RefundRequest(
                context: try Self.context(paid.reference), refund: RefundID(rawValue: "re_\(days)"),
                amount: Money(minorUnits: 100, currency: .eur), reason: nil,
                key: IdempotencyKey(rawValue: "re_\(days)"), mayHaveBeenSent: true,
                startedAt: SystemClock().now().adding(.days(-days)))
            guard case .unknown = await provider.refund(request) else { return nil }
            return await sandbox.ledger().first?["refunded"]?.int64Value
        }
        #expect(try await refunded(daysAgo: 7) == 0)
        #expect(try await refunded(daysAgo: 6) == 100)
    }

    @Test("A void that a webhook refused is asked for again as another one, not answered by what was told of the first")
    func voidAgain() async throws {
        guard case .approved(let paid) = try await authorize() else {
            Issue.record("not approved")
            return
        }
        let provider = try provider()
        func void(_ number: Int) async throws -> ProviderAnswer<TillCore.Confirmation> {
            await provider.void(
                VoidRequest(
                    context: try Self.context(paid.reference), authorizationKey: IdempotencyKey(rawValue: "k-1"),
                    reason: "x", key: IdempotencyKey(rawValue: "v-\(number)"), number: number))
        }
        _ = await provider.refund(
            RefundRequest(
                context: try Self.context(paid.reference), refund: RefundID(rawValue: "re_1"),
                amount: Money(minorUnits: 500, currency: .eur), reason: nil, key: IdempotencyKey(rawValue: "re_1")))
        #expect(try await void(1) == .unknown(.pending))
        try await deliver()
        guard case .declined = try await void(1) else {
            Issue.record("what went back in part cannot be let go")
            return
        }
        #expect(try await void(2) == .unknown(.pending))
    }

    @Test(
        "Amounts go with Adyen's own decimals",
        arguments: [("ISK", 500, 50000), ("CVE", 50000, 500), ("JPY", 500, 500)])
    func decimals(code: String, minor: Int, wire: Int) async throws {
        let amount = Money(minorUnits: Int64(minor), currency: try Currency(code: code))
        _ = try await authorize(amount: amount)
        #expect(await sandbox.ledger().first?["authorized"]?.int64Value == Int64(wire))
    }

    @Test(
        "A webhook that is unsigned, changed in any signed field or signed by another key is refused; events count once"
    )
    func webhooks() async throws {
        _ = try await authorize()
        let webhooks = try #require(AdyenWebhooks(try config()))
        let key = Secret(try #require(Hex.decode(Self.hmacKey)))
        let body = try #require(await sandbox.webhooks(key: key).first)
        let events = try webhooks.verify(body: body.bytes())
        #expect(events.first?.merchantReference == "pay_1-a1.now")
        let first = try #require(events.first)
        #expect(try await book.ownAttempt(of: first)?.rawValue == "pay_1-a1")
        try await book.take(events)
        try await book.take(events)
        #expect(await notices.named("pay_1-a1.now").count == 1)
        for (old, new) in [
            ("1250", "1251"), ("EUR", "USD"), ("AUTHORISATION", "CAPTURE"), ("pay_1-a1", "pay_2-a1"),
            ("TILL0", "TILL1"),
            ("\"true\"", "\"false\""), ("TillTest", "Other"),
        ] {
            let changed = body.text.replacing(old, with: new)
            #expect(throws: AdyenWebhookError.wrongSignature) { try webhooks.verify(body: Array(changed.utf8)) }
        }
        let unsigned = body.text.replacing("hmacSignature", with: "other")
        #expect(throws: AdyenWebhookError.unsigned) { try webhooks.verify(body: Array(unsigned.utf8)) }
    }

    @Test("Adyen's own example has Adyen's signature; a signed value with a colon is refused, for it could be two")
    func vector() throws {
        let item = """
            {"amount":{"currency":"EUR","value":1130},"eventCode":"AUTHORISATION","merchantAccountCode":"TestMerchant",\
            "merchantReference":"TestPayment-1407325143704","pspReference":"7914073381342284","success":"true"}
            """
        let key = Secret(try #require(Hex.decode(Self.hmacKey)))
        let value = try JSONValue(parsing: Array(item.utf8))
        #expect(AdyenWebhooks.signature(value, key: key) == "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=")
        let webhooks = try #require(AdyenWebhooks(try config()))
        func body(_ item: String) throws -> [UInt8] {
            let signature = AdyenWebhooks.signature(try JSONValue(parsing: Array(item.utf8)), key: key)
            let signed = item.dropLast() + ",\"additionalData\":{\"hmacSignature\":\"\(signature)\"}}"
            return Array("{\"notificationItems\":[{\"NotificationRequestItem\":\(signed)}]}".utf8)
        }
        #expect(try webhooks.verify(body: try body(item)).first?.amount?.minorUnits == 1130)
        let two = item.replacing("TestPayment-", with: "Test:Payment-")
        #expect(throws: AdyenWebhookError.malformed) { try webhooks.verify(body: try body(two)) }
    }

    @Test("A lost payment that was only held is let go too, though nobody told under which name it went")
    func lostHold() async throws {
        sandbox.faults.fail(.authorize, with: .timeoutAfterCommit, times: 1)
        guard case .unknown = try await authorize("4111111111111111", .manual) else {
            Issue.record("not unknown")
            return
        }
        let provider = try provider()
        let void = VoidRequest(
            context: try Self.context(), authorizationKey: IdempotencyKey(rawValue: "k-1"), reason: "customer gone",
            key: IdempotencyKey(rawValue: "v-1"))
        #expect(await provider.void(void) == .unknown(.pending))
        #expect(await sandbox.ledger().first?["canceled"] == .bool(true))
    }
}
