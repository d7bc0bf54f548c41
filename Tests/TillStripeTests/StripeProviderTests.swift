import HTTPTypes
import TillTestSupport
import Testing
import TillCore
import TillHTTP
@testable import TillStripe

@Suite("The Stripe provider") struct StripeProviderTests {
    enum End: Equatable, Sendable {
        case approved, declined, action, stored, notSent, keyRejected, unknown

        init<Success>(_ answer: ProviderAnswer<Success>) {
            self =
                switch answer {
                case .approved: .approved
                case .declined: .declined
                case .requiresAction: .action
                case .stored: .stored
                case .notSent: .notSent
                case .keyRejected: .keyRejected
                case .unknown: .unknown
                }
        }
    }
    typealias Step = ScriptedTransport.Step

    static let lost = Step.fail(.unknown(reason: "no answer in time"))
    static let refused = Step.fail(.notSent(reason: "connection refused"))
    static let prepared = Step.json(200, Fixture.intent("requires_confirmation"))

    // Steps of the answers to the payment method, the attachment and so on, and how it must end.
    static let endings: [(String, [Step], End)] =
        [
            ("no answer to the payment method", [lost], .notSent),
            ("500 to the payment method", [.json(500, "")], .notSent),
            ("unreadable payment method", [.json(200, "<html>")], .notSent),
            ("declined payment method", [.json(402, Fixture.error("card_declined"))], .declined),
            ("our key rejected", [.json(401, "{}")], .keyRejected),
            ("no answer to the attachment", [.json(200, Fixture.method), lost], .notSent),
            ("confirmation not sent", [.json(200, Fixture.method), prepared, refused], .notSent),
            ("no answer to the confirmation", [.json(200, Fixture.method), prepared, lost], .unknown),
        ] + confirmations.map { ($0.0, [.json(200, Fixture.method), prepared] + $0.1, $0.2) }

    static let confirmations: [(String, [Step], End)] = [
        ("held", [.json(200, Fixture.intent("requires_capture"))], .approved),
        ("held less", [.json(200, Fixture.intent("requires_capture", #","amount_capturable":1000"#))], .unknown),
        ("other currency", [.json(200, Fixture.intent("requires_capture").replacing("eur", with: "usd"))], .unknown),
        ("taken", [.json(200, Fixture.intent("succeeded"))], .approved),
        ("challenge", [.json(200, Fixture.intent("requires_action"))], .action),
        ("processing", [.json(200, Fixture.intent("processing"))], .unknown),
        ("no method", [.json(200, Fixture.intent("requires_payment_method"))], .declined),
        ("canceled", [.json(200, Fixture.intent("canceled"))], .declined),
        ("a status of the future", [.json(200, Fixture.intent("on_the_moon"))], .unknown),
        ("unreadable", [.json(200, "{")], .unknown),
        ("another intent", [.json(200, Fixture.intent("requires_capture").replacing("pi_1", with: "pi_2"))], .unknown),
        ("declined", [.json(402, Fixture.error("card_declined", #","decline_code":"lost_card""#))], .declined),
        ("missing", [.json(404, Fixture.error("resource_missing"))], .declined),
        ("busy", [.json(429, Fixture.error("rate_limit"))], .notSent),
        ("another call at work", [.json(429, Fixture.error("lock_timeout"))], .unknown),
        ("key in use", [.json(409, Fixture.error("idempotency_key_in_use"))], .unknown),
        ("key of another", [.json(400, #"{"error":{"type":"idempotency_error"}}"#)], .unknown),
        ("failed", [.json(500, Fixture.error("api_error"))], .unknown),
        ("a gate in between", [.json(502, "<html>")], .unknown),
        ("a 404 that is not Stripe's", [.json(404, "<html>")], .unknown),
        ("redirected", [.json(302, "")], .unknown),
        // A repetition of a call that went through: the refusal alone must not be believed.
        (
            "refused, done before",
            [
                .json(400, Fixture.error("payment_intent_unexpected_state")),
                .json(200, Fixture.intent("requires_capture")),
            ],
            .approved
        ),
        (
            "refused, not done",
            [.json(400, Fixture.error("parameter_missing")), .json(200, Fixture.intent("requires_confirmation"))],
            .declined
        ),
        ("refused, cannot look", [.json(400, Fixture.error("parameter_missing")), lost], .unknown),
    ]

    @Test("each end of an authorization is the right answer", arguments: endings)
    func authorize(_ name: String, _ steps: [Step], _ end: End) async throws {
        let provider = try Fixture.provider(ScriptedTransport(steps))
        #expect(End(await provider.authorize(Fixture.authorization(), with: try Fixture.card())) == end, "\(name)")
    }

    @Test("a decline keeps Stripe's words and hides fraud from the customer")
    func decline() async throws {
        let error = Fixture.error("card_declined", #","decline_code":"lost_card""#)
        let provider = try Fixture.provider(
            ScriptedTransport([.json(200, Fixture.method), Self.prepared, .json(402, error)]))
        let answer = await provider.authorize(Fixture.authorization(), with: try Fixture.card())
        #expect(
            answer == .declined(Decline(reason: .fraud, code: "lost_card", message: "No.", requestID: "req_1")))
    }

    @Test("a decline names the card that was refused, and no other")
    func refusedCard() async throws {
        func card(_ more: String) async throws -> CardSummary? {
            let intent = Fixture.intent("requires_payment_method", more)
            let provider = try Fixture.provider(ScriptedTransport([.json(200, intent)]))
            guard case .approved(let snapshot) = await provider.query(Fixture.query()),
                case .declined(let decline) = snapshot.standing
            else { return nil }
            return decline.card
        }
        func charge(_ id: String) -> String {
            let receipt = #"{"dedicated_file_name":"A0000000031010","terminal_verification_results":"8000008000"}"#
            let chip = #"{"brand":"visa","last4":"0002","read_method":"contact_emv","receipt":\#(receipt)}"#
            return #","latest_charge":{"id":"\#(id)","payment_method_details":{"card_present":\#(chip)}}"#
        }
        let amex = #"{"brand":"amex","last4":"0005"}"#
        let method = #","payment_method":{"id":"pm_1","type":"card_present","card_present":\#(amex)}"#
        func error(_ method: String) -> String {
            #","last_payment_error":{"code":"card_declined","charge":"ch_2"\#(method)}"#
        }
        let whole = try await card(charge("ch_2") + error(method))
        #expect(whole?.lastFour == "0002" && whole?.entryMode == "contact_emv")
        #expect(whole?.emv?.dedicatedFileName == "A0000000031010")
        #expect(whole?.emv?.terminalVerificationResults == "8000008000")
        // An older charge is of another try; then the payment method of the error tells, or nothing does.
        #expect(try await card(charge("ch_1") + error(method)) == CardSummary(brand: "amex", lastFour: "0005"))
        #expect(try await card(charge("ch_1") + error("")) == nil)
    }

    static let captures: [(Step, Step?, End)] = [
        (.json(200, Fixture.intent("succeeded", #","amount_received":1250"#)), nil, .approved),
        (.json(200, Fixture.intent("succeeded", #","amount_received":1000"#)), nil, .unknown),
        (
            .json(400, Fixture.error("x")), .json(200, Fixture.intent("succeeded", #","amount_received":1250"#)),
            .approved
        ),
        (.json(400, Fixture.error("x")), .json(200, Fixture.intent("succeeded", #","amount_received":1"#)), .declined),
        (.json(400, Fixture.error("x")), .json(200, Fixture.intent("canceled")), .declined),
        (.json(400, Fixture.error("x")), lost, .unknown),
        (
            .json(
                400,
                Fixture.error(
                    "payment_intent_unexpected_state",
                    #","payment_intent":\#(Fixture.intent("succeeded", #","amount_received":1250"#))"#)),
            nil, .approved
        ),
        (lost, nil, .unknown), (refused, nil, .notSent), (.json(500, "{}"), nil, .unknown),
    ]

    @Test("each end of a capture is the right answer", arguments: captures)
    func capture(_ first: Step, _ second: Step?, _ end: End) async throws {
        let provider = try Fixture.provider(ScriptedTransport([first] + (second.map { [$0] } ?? [])))
        #expect(End(await provider.capture(Fixture.capture())) == end)
    }

    @Test("a void is done when the intent is canceled, whoever did it")
    func void() async throws {
        func end(_ steps: [Step], _ reference: ProviderReference? = Fixture.reference) async throws -> End {
            End(await (try Fixture.provider(ScriptedTransport(steps))).void(Fixture.void(reference)))
        }
        #expect(try await end([.json(200, Fixture.intent("canceled"))]) == .approved)
        #expect(try await end([.json(400, Fixture.error("x")), .json(200, Fixture.intent("canceled"))]) == .approved)
        #expect(try await end([.json(400, Fixture.error("x")), .json(200, Fixture.intent("succeeded"))]) == .declined)
        #expect(try await end([Self.lost]) == .unknown)
        #expect(try await end([], nil) == .unknown)
    }

    @Test("a refund is done only when it has succeeded")
    func refund() async throws {
        func end(_ status: String, amount: Int = 500) async throws -> End {
            let json = #"{"id":"re_1","amount":\#(amount),"currency":"eur","status":"\#(status)"}"#
            return End(await (try Fixture.provider(ScriptedTransport([.json(200, json)]))).refund(Fixture.refund()))
        }
        #expect(try await end("succeeded") == .approved)
        #expect(try await end("pending") == .unknown)
        #expect(try await end("failed") == .declined)
        #expect(try await end("succeeded", amount: 501) == .unknown)
    }

    @Test("a query tells standing, capture and refunds, and leaves out what was never taken")
    func query() async throws {
        func standing(_ status: String, _ more: String = "") async throws -> ProviderSnapshot.Standing? {
            let provider = try Fixture.provider(ScriptedTransport([.json(200, Fixture.intent(status, more))]))
            guard case .approved(let snapshot) = await provider.query(Fixture.query()) else { return nil }
            return snapshot.standing
        }
        #expect(try await standing("requires_payment_method") == .unconfirmed)
        #expect(try await standing("requires_confirmation") == .unconfirmed)
        #expect(try await standing("canceled") == .voided)
        #expect(try await standing("processing") == .processing)
        #expect(
            try await standing("requires_payment_method", #","last_payment_error":{"code":"expired_card"}"#)
                == .declined(Decline(reason: .expiredCard, code: "expired_card")))
        let list = """
            {"has_more":false,"data":[
            {"id":"re_0","amount":250,"currency":"eur","status":"succeeded","payment_intent":null},
            {"id":"re_1","amount":500,"currency":"eur","status":"pending","payment_intent":"pi_1",
            "metadata":{"till_refund":"pay_1-r1"}}]}
            """
        let transport = ScriptedTransport([.json(200, Fixture.intent("succeeded")), .json(200, list)])
        guard case .approved(let snapshot) = await (try Fixture.provider(transport)).query(Fixture.query()) else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.captured == Money(minorUnits: 1000, currency: .eur))
        #expect(snapshot.refunds.map(\.refund) == [RefundID(rawValue: "pay_1-r1")])
        #expect(snapshot.refunds.map(\.status) == [.pending])
        let nothing = await (try Fixture.provider(ScriptedTransport([]))).query(Fixture.query(nil))
        #expect(
            nothing == .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: .zero(.eur))))
    }

    @Test("a simulated card works with a test key only, cash never")
    func simulated() async throws {
        let payload = CardPresentPayload(
            reader: "r", sealed: Secret("sim:4242424242424242:visa:contactless_emv"),
            card: CardSummary(brand: "visa", lastFour: "4242", entryMode: "contactless_emv"))
        let live = ScriptedTransport([])
        let refused = await (try Fixture.provider(live, key: "sk_live_marked"))
            .authorize(Fixture.authorization(), with: .cardPresent(payload))
        #expect(End(refused) == .declined)
        #expect(live.calls.isEmpty)
        let test = ScriptedTransport([
            .json(200, Fixture.method), Self.prepared, .json(200, Fixture.intent("requires_capture")),
        ])
        guard
            case .approved(let held) = await (try Fixture.provider(test))
                .authorize(Fixture.authorization(), with: .cardPresent(payload))
        else {
            Issue.record("not approved")
            return
        }
        #expect(held.card?.entryMode == "contactless_emv")
        #expect(test.calls.first?.body.contains("card[number]=4242424242424242") == true)
        let cash = await (try Fixture.provider(ScriptedTransport([])))
            .authorize(Fixture.authorization(), with: .cash(tendered: nil))
        #expect(End(cash) == .declined)
    }

    @Test("plain http is taken for this machine only")
    func addresses() throws {
        func make(_ url: String) throws(StripeConfigurationError) {
            _ = try StripeProvider(
                secretKey: Secret(Fixture.key), baseURL: url, transport: ScriptedTransport([]), clock: ManualClock())
        }
        for good in ["https://api.stripe.com", "http://localhost:8420/", "http://127.0.0.1:1", "http://[::1]:8420"] {
            try make(good)
        }
        for bad in ["http://api.stripe.com", "http://127.0.0.1.evil.example", "http://localhost:1:2"] {
            #expect(throws: StripeConfigurationError.plainHTTP) { try make(bad) }
        }
        for bad in ["", "api.stripe.com", "https://a@b", "https://a/v1", "ftp://a"] {
            #expect(throws: StripeConfigurationError.unusableAddress) { try make(bad) }
        }
        #expect(throws: StripeConfigurationError.unusableKey) {
            try StripeProvider(secretKey: Secret("pk_test_1"), transport: ScriptedTransport([]), clock: ManualClock())
        }
    }

    @Test("no number, code or key is in anything returned, printed or recorded")
    func secrets() async throws {
        let number = "5555555555554444"
        let echo = "card 5555 5555 5555 4444 / \(number), code 987, key \(Fixture.key)"
        let steps: [[Step]] = [
            [.json(402, #"{"error":{"code":"c_987","message":"\#(echo)","param":"\#(echo)"}}"#)],
            [.fail(.unknown(reason: echo))], [.fail(.notSent(reason: echo))],
            [.json(500, #"{"error":{"message":"\#(echo)"}}"#)], [.json(200, #"{"id":"\#(number)"}"#), Self.lost],
        ]
        for script in steps {
            let recorder = RecordingTransport(ScriptedTransport(script))
            let provider = try Fixture.provider(recorder)
            let answer = await provider.authorize(Fixture.authorization(), with: try Fixture.card(number))
            var dumped = "\(answer) \(provider)"
            dump(answer, to: &dumped)
            dump(provider, to: &dumped)
            for secret in [number, "5555 5555", "987", Fixture.key] { #expect(!dumped.contains(secret)) }
            let request = recorder.exchanges.map { "\($0.fields) \($0.body) \($0.path)" }.joined()
            for secret in [number, "987", Fixture.key] { #expect(!request.contains(secret)) }
            #expect(!"\(recorder.exchanges)".contains(number))
        }
    }
}
