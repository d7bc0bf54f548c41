import HTTPTypes
import TillTestSupport
import Testing
import TillPayPalClient
import TillCards
import TillCore
@testable import TillPayPal

@Suite("The PayPal provider") struct PayPalProviderTests {
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

    // Answers to a capture at once, and how it must end. Only a completed capture is a yes.
    static let endings: [(String, [Step], End)] = [
        ("captured", [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")]))], .approved),
        (
            "the same again", [.json(200, Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")]))],
            .approved
        ),
        (
            "declined, in a completed order",
            [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "DECLINED")]))], .declined
        ),
        ("failed", [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "FAILED")]))], .declined),
        ("denied", [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "DENIED")]))], .declined),
        ("under review", [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "PENDING")]))], .unknown),
        (
            "a capture status of the future",
            [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "ON_THE_MOON")]))], .unknown
        ),
        ("completed without payments", [.json(201, Fixture.order("COMPLETED"))], .unknown),
        ("minimal answer", [.json(201, #"{"id":"\#(Fixture.order)","status":"COMPLETED"}"#)], .unknown),
        (
            "another amount",
            [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")], value: "12.51"))], .unknown
        ),
        (
            "another order",
            [
                .json(
                    201,
                    Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")]).replacing("5O19", with: "6O19")
                )
            ], .unknown
        ),
        (
            "a capture without an amount",
            [
                .json(
                    201,
                    #"{"id":"\#(Fixture.order)","status":"COMPLETED","purchase_units":[{"payments":{"captures":["#
                        + #"{"id":"A1","status":"COMPLETED"}]}}]}"#
                )
            ], .unknown
        ),
        (
            "challenge",
            [
                .json(
                    200,
                    Fixture.order(
                        "PAYER_ACTION_REQUIRED",
                        more: #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#))
            ], .action
        ),
        ("challenge without an address", [.json(200, Fixture.order("PAYER_ACTION_REQUIRED"))], .action),
        ("approved only", [.json(200, Fixture.order("APPROVED"))], .unknown),
        ("a status of the future", [.json(200, Fixture.order("ON_THE_MOON"))], .unknown),
        ("unreadable", [.json(201, "{")], .unknown),
        ("no answer", [lost], .unknown),
        ("refused connection", [.fail(.notSent(reason: "connection refused"))], .notSent),
        ("expired card", [.json(422, Fixture.error("CARD_EXPIRED"))], .declined),
        ("declined instrument", [.json(422, Fixture.error("INSTRUMENT_DECLINED"))], .declined),
        (
            "an issue of the future", [.json(422, Fixture.error("ON_THE_MOON")), .json(200, Fixture.order("CREATED"))],
            .declined
        ),
        ("order gone", [.json(404, Fixture.error("INVALID_RESOURCE_ID", name: "RESOURCE_NOT_FOUND"))], .declined),
        ("a 404 that is not PayPal's", [.json(404, "<html>")], .unknown),
        (
            "still running", [.json(409, Fixture.error("PREVIOUS_REQUEST_IN_PROGRESS", name: "RESOURCE_CONFLICT"))],
            .unknown
        ),
        ("busy", [.json(429, #"{"name":"RATE_LIMIT_REACHED"}"#)], .notSent),
        ("failed server", [.json(500, Fixture.error("INTERNAL"))], .unknown),
        ("a gate in between", [.json(502, "<html>")], .unknown),
        ("a 422 that is not PayPal's", [.json(422, "<html>")], .unknown),
        (
            "captured before",
            [
                .json(422, Fixture.error("ORDER_ALREADY_CAPTURED")),
                .json(200, Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")])),
            ], .approved
        ),
        (
            "declined before",
            [
                .json(422, Fixture.error("ORDER_ALREADY_CAPTURED")),
                .json(200, Fixture.order("COMPLETED", captures: [(Fixture.taken, "DECLINED")])),
            ], .declined
        ),
        ("captured before, unreadable", [.json(422, Fixture.error("ORDER_ALREADY_CAPTURED")), lost], .unknown),
        (
            "challenge as an error",
            [
                .json(
                    422,
                    Fixture.error(
                        "PAYER_ACTION_REQUIRED",
                        more: #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#))
            ],
            .action
        ),
        (
            "not approved", [.json(422, Fixture.error("ORDER_NOT_APPROVED")), .json(200, Fixture.order("CREATED"))],
            .declined
        ),
    ]

    @Test("each way in which a capture at once can end", arguments: endings)
    func ends(_ row: (String, [Step], End)) async throws {
        let transport = ScriptedTransport(row.1)
        let answer = try await Fixture.provider(transport).authorize(
            Fixture.authorization(), with: try Fixture.tender())
        #expect(End(answer) == row.2, "\(row.0): \(answer)")
        #expect(!"\(answer)".contains(Fixture.number) && !"\(answer)".contains("markedtoken"), "\(answer)")
    }

    @Test("a hold is a yes only when the authorization is there")
    func holds() async throws {
        for (status, end) in [
            ("CREATED", End.approved), ("DENIED", .declined), ("PENDING", .unknown), ("VOIDED", .declined),
            ("X", .unknown),
        ] {
            let order = Fixture.order("COMPLETED", holds: [(Fixture.hold, status)], intent: "AUTHORIZE")
            let answer = try await Fixture.provider(ScriptedTransport([.json(201, order)]))
                .authorize(Fixture.authorization(Fixture.order, .manual), with: try Fixture.tender())
            #expect(End(answer) == end, "\(status): \(answer)")
            if case .approved(let authorization) = answer {
                #expect(authorization.reference.rawValue == "\(Fixture.order).A.\(Fixture.hold)")
                #expect(!authorization.isCaptured)
                #expect(authorization.captureBefore == Timestamp(internetTime: "2027-02-13T08:00:00Z"))
            }
        }
    }

    @Test("the calls in order: path, key, body")
    func wire() async throws {
        let transport = ScriptedTransport([
            .json(201, Fixture.order("CREATED")),
            .json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")])),
            .json(
                201, #"{"id":"1JU08902781691411","status":"COMPLETED","amount":{"currency_code":"EUR","value":"5.00"}}"#
            ),
            .json(
                201,
                #"{"id":"2GG279541U471931P","status":"COMPLETED","amount":{"currency_code":"EUR","value":"12.50"}}"#),
            .json(204, ""),
        ])
        let provider = try Fixture.provider(transport)
        #expect(End(await provider.prepare(Fixture.authorization(nil))) == .approved)
        #expect(End(await provider.authorize(Fixture.authorization(), with: try Fixture.tender("Ada"))) == .approved)
        #expect(End(await provider.refund(Fixture.refund())) == .approved)
        #expect(End(await provider.capture(Fixture.capture())) == .approved)
        #expect(End(await provider.void(Fixture.void())) == .approved)
        let calls = transport.calls
        #expect(
            calls.map(\.line) == [
                "POST /v2/checkout/orders", "POST /v2/checkout/orders/\(Fixture.order)/capture",
                "POST /v2/payments/captures/\(Fixture.taken)/refund",
                "POST /v2/payments/authorizations/\(Fixture.hold)/capture",
                "POST /v2/payments/authorizations/\(Fixture.hold)/void",
            ])
        #expect(calls.map(\.key) == ["k-prepare", "k-authorize", "k-refund", "k-capture", "k-void"])
        #expect(calls.allSatisfy { $0.field("Authorization") == "Bearer markedtoken1" })
        #expect(transport.tokens == 1)
        #expect(
            calls[0].body
                == #"{"intent":"CAPTURE","purchase_units":[{"reference_id":"default","description":"Order o-1","#
                + #""custom_id":"pay_1-a1","invoice_id":"pay_1-a1","amount":{"currency_code":"EUR","value":"12.50"}}]}"#
        )
        #expect(
            calls[1].body
                == #"{"payment_source":{"card":{"name":"Ada","number":"4032036247327321","security_code":"987","#
                + #""expiry":"2030-12"}}}"#)
        #expect(
            calls[2].body
                == #"{"amount":{"currency_code":"EUR","value":"5.00"},"custom_id":"pay_1-r1","invoice_id":"pay_1-r1"}"#)
        #expect(
            calls[3].body
                == #"{"amount":{"currency_code":"EUR","value":"12.50"},"invoice_id":"pay_1-c1","final_capture":true}"#)
        #expect(calls[4].body == "")
    }

    @Test("currencies without decimal places at PayPal are written without them, and never rounded")
    func decimals() async throws {
        let forint = Money(minorUnits: 150_000, currency: try Currency(code: "HUF"))
        let transport = ScriptedTransport([.json(500, "")])
        let provider = try Fixture.provider(transport)
        _ = await provider.prepare(Fixture.authorization(nil, amount: forint))
        #expect(transport.calls[0].body.contains(#""amount":{"currency_code":"HUF","value":"1500"}"#))
        let half = Money(minorUnits: 150_050, currency: forint.currency)
        #expect(End(await provider.prepare(Fixture.authorization(nil, amount: half))) == .declined)
        #expect(transport.calls.count == 1)
    }

    @Test("what cannot be sent is not sent")
    func unsendable() async throws {
        let transport = ScriptedTransport([])
        let provider = try Fixture.provider(transport)
        let maestro = try PaymentCard(
            reading: "675911111119", expiry: "12/30", century: Timestamp(milliseconds: 0)
        ).details
        #expect(End(await provider.authorize(Fixture.authorization(), with: .card(maestro))) == .declined)
        #expect(End(await provider.authorize(Fixture.authorization(), with: .cash(tendered: nil))) == .declined)
        for reference in [nil, "EC-123", "../../v1/x", "A/B", "a", "\(Fixture.order).X.1", "\(Fixture.order).A."] {
            let request = Fixture.authorization(reference)
            #expect(
                End(await provider.authorize(request, with: try Fixture.tender())) == .notSent, "\(reference ?? "nil")")
        }
        #expect(transport.calls.isEmpty)
    }

    @Test("a capture under review asks again, a second capture of all is looked up, a late one is refused")
    func captures() async throws {
        func end(
            _ status: Int, _ body: String, _ more: Step...
        ) async throws -> ProviderAnswer<TillCore.Confirmation> {
            try await Fixture.provider(ScriptedTransport([.json(status, body)] + more)).capture(Fixture.capture())
        }
        let pending = #"{"id":"2GG279541U471931P","status":"PENDING","amount":{"currency_code":"EUR","value":"12.50"}}"#
        #expect(try await end(201, pending) == .unknown(.pending))
        #expect(End(try await end(201, pending.replacing("PENDING", with: "DECLINED"))) == .declined)
        #expect(try await end(422, Fixture.error("AUTHORIZATION_ALREADY_CAPTURED")) == .unknown(.pending))
        guard case .declined(let late) = try await end(422, Fixture.error("AUTHORIZATION_EXPIRED")) else {
            Issue.record("a late capture was not refused")
            return
        }
        #expect(late.reason == .authorizationExpired && late.requestID == "90957fca61718")
        let tooMuch = Fixture.error("MAX_CAPTURE_AMOUNT_EXCEEDED")
        #expect(End(try await end(422, tooMuch)) == .unknown)
        let held = Step.json(200, Fixture.order("COMPLETED", holds: [(Fixture.hold, "CREATED")]))
        #expect(End(try await end(422, tooMuch, held)) == .declined)
    }

    @Test("beyond the honor period the newest hold is captured")
    func renewedHold() async throws {
        let clock = ManualClock()
        clock.advance(by: .days(5))
        let renewed = "8AA831015G517922L"
        let order = Fixture.order("COMPLETED", holds: [(Fixture.hold, "CREATED"), (renewed, "CREATED")])
        let done = #"{"id":"2GG279541U471931P","status":"COMPLETED","amount":{"currency_code":"EUR","value":"12.50"}}"#
        let transport = ScriptedTransport([.json(200, order), .json(201, done)])
        #expect(End(try await Fixture.provider(transport, clock: clock).capture(Fixture.capture())) == .approved)
        #expect(transport.calls.last?.line == "POST /v2/payments/authorizations/\(renewed)/capture")
    }

    @Test("an order that was never paid is marked void, so that a call under way is refused")
    func voidsUnpaid() async throws {
        let transport = ScriptedTransport([.json(200, Fixture.order("CREATED")), .json(204, "")])
        #expect(End(try await Fixture.provider(transport).void(Fixture.void(Fixture.order))) == .approved)
        #expect(transport.calls[1].line == "PATCH /v2/checkout/orders/\(Fixture.order)")
        #expect(transport.calls[1].body.contains(#""path":"/intent","value":"AUTHORIZE""#))
        #expect(transport.calls[1].body.contains(#""value":"void-pay_1-a1""#))
        let paid = Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")])
        let tooLate = ScriptedTransport([.json(200, paid)])
        #expect(try await Fixture.provider(tooLate).void(Fixture.void(Fixture.order)) == .unknown(.pending))
        let gone = ScriptedTransport([.json(404, Fixture.error("INVALID_RESOURCE_ID", name: "RESOURCE_NOT_FOUND"))])
        #expect(End(try await Fixture.provider(gone).void(Fixture.void(Fixture.order))) == .approved)
    }

    @Test("a refund goes to a capture with enough left, and one that is there is not made again")
    func refunds() async throws {
        let order = Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")])
        let there = order.replacing(
            #""authorizations":[]"#,
            with:
                #""refunds":[{"id":"R1","status":"COMPLETED","custom_id":"pay_1-r1","amount":"#
                + #"{"currency_code":"EUR","value":"5.00"}}]"#
        )
        let again = ScriptedTransport([.json(200, there)])
        let request = Fixture.refund(reference: "\(Fixture.order).A.\(Fixture.hold)")
        #expect(End(try await Fixture.provider(again).refund(request)) == .approved)
        #expect(again.calls.count == 1)
        let tooMuch = ScriptedTransport([.json(200, order)])
        let more = Fixture.refund(1251, reference: "\(Fixture.order).A.\(Fixture.hold)")
        #expect(End(try await Fixture.provider(tooMuch).refund(more)) == .declined)
        let pending = ScriptedTransport([
            .json(201, #"{"id":"R2","status":"PENDING","amount":{"currency_code":"EUR","value":"5.00"}}"#)
        ])
        #expect(try await Fixture.provider(pending).refund(Fixture.refund()) == .unknown(.pending))
    }

    @Test("what a look says of an attempt")
    func looks() async throws {
        func look(_ steps: [Step]) async throws -> ProviderSnapshot.Standing? {
            let answer = try await Fixture.provider(ScriptedTransport(steps)).query(Fixture.query())
            if case .approved(let snapshot) = answer { return snapshot.standing }
            return nil
        }
        #expect(try await look([.json(200, Fixture.order("CREATED"))]) == .unconfirmed)
        #expect(try await look([.json(404, Fixture.error("X", name: "RESOURCE_NOT_FOUND"))]) == .notFound)
        #expect(try await look([.json(200, Fixture.order("CREATED", custom: "void-pay_1-a1"))]) == .voided)
        #expect(try await look([.json(200, Fixture.order("COMPLETED", holds: [(Fixture.hold, "VOIDED")]))]) == .voided)
        // The engine waits where a capture is not decided.
        let open = ScriptedTransport([.json(200, Fixture.order("COMPLETED", captures: [(Fixture.taken, "PENDING")]))])
        guard case .approved(let undecided) = await (try Fixture.provider(open)).query(Fixture.query()) else {
            Issue.record("not answered")
            return
        }
        #expect(undecided.hasPendingCapture && undecided.captured.isZero)
        #expect(try await look([.json(200, Fixture.order("CREATED", value: "1.00"))]) == nil)
        #expect(try await look([Self.lost]) == nil)
        guard
            case .declined = try await look([
                .json(200, Fixture.order("COMPLETED", captures: [(Fixture.taken, "DECLINED")]))
            ])
        else {
            Issue.record("a declined capture was not told as declined")
            return
        }
        guard
            case .authorized(let taken) = try await look([
                .json(200, Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")]))
            ])
        else {
            Issue.record("a completed capture was not told")
            return
        }
        #expect(taken.isCaptured && taken.reference.rawValue == "\(Fixture.order).C.\(Fixture.taken)")
    }

    private static func approved(_ shift: String?) -> String {
        let result = shift.map { #","authentication_result":{"liability_shift":"\#($0)"}"# } ?? ""
        return Fixture.order(
            "APPROVED", more: #","payment_source":{"card":{"last_digits":"7321"\#(result)}}"#)
    }

    @Test("a look after the bank's challenge only looks, and says whether the result allows to go on")
    func challengeIsQueried() async throws {
        func look(_ shift: String?, isContinued: Bool = false) async throws -> ProviderSnapshot.Standing? {
            let transport = ScriptedTransport([.json(200, Self.approved(shift))])
            var request = Fixture.query()
            request.isContinued = isContinued
            let answer = try await Fixture.provider(transport).query(request)
            #expect(transport.calls.map(\.line) == ["GET /v2/checkout/orders/\(Fixture.order)?fields=payment_source"])
            guard case .approved(let snapshot) = answer else { return nil }
            #expect(snapshot.captured.isZero)
            return snapshot.standing
        }
        for shift in ["POSSIBLE", "YES"] { #expect(try await look(shift) == .continuable) }
        guard case .declined = try await look(nil) else {
            Issue.record("a missing result was gone on with")
            return
        }
        for shift in ["NO", "UNKNOWN", "ON_THE_MOON"] {
            guard case .declined(let decline) = try await look(shift) else {
                Issue.record("\(shift) was gone on with")
                continue
            }
            #expect(decline.code == "LIABILITY_SHIFT_\(shift)")
            // Once the money was asked for, what the challenge says is no answer to whether it was taken.
            #expect(try await look(shift, isContinued: true) == .continuable)
        }
    }

    @Test("after the challenge the money is asked for with the key that is in the journal, without the card")
    func continues() async throws {
        let taken = Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")])
        let rows: [(String, CaptureMode, [Step], End)] = [
            ("captured", .automatic, [.json(201, taken)], .approved),
            (
                "held", .manual,
                [.json(201, Fixture.order("COMPLETED", holds: [(Fixture.hold, "CREATED")], intent: "AUTHORIZE"))],
                .approved
            ),
            (
                "declined in a completed order", .automatic,
                [.json(201, Fixture.order("COMPLETED", captures: [(Fixture.taken, "DECLINED")]))], .declined
            ),
            (
                "done before", .automatic, [.json(422, Fixture.error("ORDER_ALREADY_CAPTURED")), .json(200, taken)],
                .approved
            ),
            (
                "refused, and not taken", .automatic,
                [.json(422, Fixture.error("ORDER_NOT_APPROVED")), .json(200, Fixture.order("CREATED"))], .declined
            ),
            (
                "still approved", .automatic,
                [.json(422, Fixture.error("ORDER_NOT_APPROVED")), .json(200, Self.approved("POSSIBLE"))], .unknown
            ),
            (
                "another challenge", .automatic,
                [
                    .json(
                        422,
                        Fixture.error(
                            "PAYER_ACTION_REQUIRED",
                            more: #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#))
                ], .action
            ),
            ("card refused", .automatic, [.json(422, Fixture.error("INSTRUMENT_DECLINED"))], .declined),
            ("lost", .automatic, [Self.lost], .unknown),
            ("not sent", .automatic, [.fail(.notSent(reason: "connection refused"))], .notSent),
            ("failed server", .automatic, [.json(500, "{}")], .unknown),
        ]
        for (name, mode, steps, end) in rows {
            let transport = ScriptedTransport(steps)
            let request = ContinuationRequest(
                context: Fixture.context(), amount: Fixture.amount, captureMode: mode,
                key: IdempotencyKey(rawValue: "k-continue"))
            let answer = try await Fixture.provider(transport).continueAuthorization(request)
            #expect(End(answer) == end, "\(name): \(answer)")
            let verb = mode == .automatic ? "capture" : "authorize"
            #expect(transport.calls[0].line == "POST /v2/checkout/orders/\(Fixture.order)/\(verb)")
            #expect(transport.calls[0].key == "k-continue")
            #expect(transport.calls[0].body == "{}")
        }
    }

    private static func renewal(_ status: String, value: String = "12.50") -> String {
        #"{"id":"8AA831015G517922L","status":"\#(status)","amount":{"currency_code":"EUR","value":"\#(value)"},"#
            + #""create_time":"2027-01-20T08:00:00Z","expiration_time":"2027-02-13T08:00:00Z"}"#
    }

    @Test("each way in which a renewal can end; its end and its honor period are PayPal's words")
    func renews() async throws {
        let rows: [(String, [Step], End)] = [
            ("renewed", [.json(201, Self.renewal("CREATED"))], .approved),
            ("another amount", [.json(201, Self.renewal("CREATED", value: "12.51"))], .unknown),
            ("denied", [.json(201, Self.renewal("DENIED"))], .declined),
            ("under review", [.json(201, Self.renewal("PENDING"))], .unknown),
            ("too early", [.json(422, Fixture.error("REAUTHORIZATION_TOO_SOON"))], .declined),
            ("lost", [Self.lost], .unknown),
            ("not sent", [.fail(.notSent(reason: "connection refused"))], .notSent),
            ("unreadable", [.json(201, "{")], .unknown),
        ]
        for (name, steps, end) in rows {
            let transport = ScriptedTransport(steps)
            // A hold that was renewed before is never renewed again: what is renewed is the original.
            let request = RenewalRequest(
                context: Fixture.context("\(Fixture.order).A.\(Fixture.hold).R.OTHER"),
                renewal: RenewalID(rawValue: "pay_1-h1"), amount: Fixture.amount,
                key: IdempotencyKey(rawValue: "k-renew"))
            let answer = try await Fixture.provider(transport).renew(request)
            #expect(End(answer) == end, "\(name): \(answer)")
            #expect(transport.calls[0].line == "POST /v2/payments/authorizations/\(Fixture.hold)/reauthorize")
            #expect(transport.calls[0].key == "k-renew")
            #expect(transport.calls[0].body == #"{"amount":{"currency_code":"EUR","value":"12.50"}}"#)
            if case .approved(let held) = answer {
                #expect(held.reference.rawValue == "\(Fixture.order).A.\(Fixture.hold).R.8AA831015G517922L")
                #expect(held.captureBefore == Timestamp(internetTime: "2027-02-13T08:00:00Z"))
                #expect(held.honoredUntil == Timestamp(internetTime: "2027-01-23T08:00:00Z"))
            }
        }
    }

    @Test("of a renewed hold the new one is captured, the original is voided, and a look names it as before")
    func renewedReference() async throws {
        let reference = "\(Fixture.order).A.\(Fixture.hold).R.8AA831015G517922L"
        let clock = ManualClock()
        clock.advance(by: .days(5))
        let capture = ScriptedTransport([
            .json(201, #"{"id":"2GG","status":"COMPLETED","amount":{"currency_code":"EUR","value":"12.50"}}"#)
        ])
        let provider = try Fixture.provider(capture, clock: clock)
        #expect(End(await provider.capture(Fixture.capture(reference: reference))) == .approved)
        #expect(capture.calls.map(\.line) == ["POST /v2/payments/authorizations/8AA831015G517922L/capture"])
        let void = ScriptedTransport([.json(204, "")])
        #expect(End(try await Fixture.provider(void).void(Fixture.void(reference))) == .approved)
        #expect(void.calls.map(\.line) == ["POST /v2/payments/authorizations/\(Fixture.hold)/void"])
        for name in ["\(Fixture.order).A.\(Fixture.hold)", reference] {
            let holds = [(Fixture.hold, "CREATED"), ("8AA831015G517922L", "CREATED")]
            let look = ScriptedTransport([.json(200, Fixture.order("COMPLETED", holds: holds, intent: "AUTHORIZE"))])
            guard case .approved(let snapshot) = try await Fixture.provider(look).query(Fixture.query(name)),
                case .authorized(let held) = snapshot.standing
            else {
                Issue.record("no hold was seen")
                continue
            }
            #expect(held.reference.rawValue == reference)
        }
    }
}
