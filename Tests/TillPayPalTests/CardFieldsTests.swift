import Testing
import TillCards
import TillCheckout
import TillCore
import TillPayPalClient
import TillProvider
import TillSandbox
import TillStandInPayPal
import TillTestSupport
@testable import TillPayPal

/// Cards that PayPal's own fields attach to an order which the counter prepares and executes.
@Suite("Cards of PayPal's own fields") struct CardFieldsTests {
    private static let waiting = CustomerAction(kind: PayPalProvider.attachAction, order: Fixture.order)
    private static let challenged = CustomerAction(
        kind: PayPalProvider.payerAction, url: "https://www.paypal.com/x", order: Fixture.order)

    // MARK: The judgment

    /// - Parameter result: The challenge's result, as PayPal writes it; `nil` for none.
    private static func order(
        _ status: String, _ result: String?, custom: String = "pay_1-a1", value: String = "12.50"
    ) -> String {
        let result = result.map { #","authentication_result":\#($0)"# } ?? ""
        return Fixture.order(
            status, more: #","payment_source":{"card":{"last_digits":"7321","brand":"VISA"\#(result)}}"#,
            value: value, custom: custom)
    }

    /// - Returns: `nil` if the query had no answer that can be used.
    private func standing(
        _ order: String, _ policy: ThreeDSecure = .whenOffered, after action: CustomerAction = CardFieldsTests.waiting
    ) async throws -> ProviderSnapshot.Standing? {
        let provider = PayPalProvider(
            config: try Fixture.config(), transport: ScriptedTransport([.json(200, order), .json(204, "")]),
            clock: ManualClock(), threeDSecure: policy)
        var query = Fixture.query()
        query.action = action
        guard case .approved(let snapshot) = await provider.query(query) else { return nil }
        #expect(snapshot.captured.isZero)
        return snapshot.standing
    }

    private func isDeclined(_ standing: ProviderSnapshot.Standing?, _ code: String) -> Bool {
        guard case .declined(let decline)? = standing else { return false }
        return decline.code?.hasPrefix(code) == true
    }

    @Test("the challenge's result decides, also while the order is still CREATED", arguments: ThreeDSecure.allCases)
    func judges(policy: ThreeDSecure) async throws {
        for status in ["CREATED", "APPROVED"] {
            for action in [Self.waiting, Self.challenged] {
                for shift in ["YES", "POSSIBLE"] {
                    let order = Self.order(status, #"{"liability_shift":"\#(shift)"}"#)
                    #expect(try await standing(order, policy, after: action) == .continuable, "\(status), \(shift)")
                }
                for result in [
                    #"{"liability_shift":"NO"}"#, #"{"liability_shift":"UNKNOWN"}"#,
                    #"{"liability_shift":"ON_THE_MOON"}"#, "{}",
                ] {
                    let found = try await standing(Self.order(status, result), policy, after: action)
                    #expect(isDeclined(found, "LIABILITY_SHIFT_"), "\(status), \(result): \(String(describing: found))")
                }
            }
        }
    }

    @Test("without a result an order goes on only if no challenge was demanded")
    func absent() async throws {
        #expect(try await standing(Self.order("APPROVED", nil)) == .continuable)
        for policy in ThreeDSecure.allCases {
            let found = try await standing(Self.order("APPROVED", nil), policy, after: Self.challenged)
            #expect(isDeclined(found, "LIABILITY_SHIFT_"), "\(policy)")
            for action in [Self.waiting, Self.challenged] {
                #expect(try await standing(Self.order("CREATED", nil), policy, after: action) == .unconfirmed)
            }
        }
        let required = try await standing(Self.order("APPROVED", nil), .required)
        #expect(isDeclined(required, "LIABILITY_SHIFT_"))
    }

    @Test("only the attempt's own order, in its amount and with a card, goes on")
    func identity() async throws {
        let passed = #"{"liability_shift":"YES"}"#
        for status in ["CREATED", "APPROVED"] {
            #expect(try await standing(Self.order(status, passed, custom: "pay_2-a1")) == nil)
            #expect(try await standing(Self.order(status, passed, value: "12.51")) == nil)
        }
        let account = Fixture.order("APPROVED", more: #","payment_source":{"paypal":{"account_id":"QYR5Z8XDVJNXQ"}}"#)
        for order in [account, Fixture.order("APPROVED")] {
            let found = try await standing(order)
            #expect(isDeclined(found, "PAYMENT_SOURCE"))
        }
        // An attempt that was given another order is judged as any other one.
        let other = CustomerAction(kind: PayPalProvider.attachAction, order: "7TK53561YB803214S")
        let found = try await standing(Self.order("APPROVED", nil), after: other)
        #expect(isDeclined(found, "LIABILITY_SHIFT_"))
    }

    @Test("a challenge that is demanded is kept, with the order; before there is a card none is")
    func challenge() async throws {
        let page = #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#
        let card = #","payment_source":{"card":{"last_digits":"7321"}}"#
        let demanded = Fixture.order("PAYER_ACTION_REQUIRED", more: card + page)
        #expect(try await standing(demanded) == .requiresAction(Self.challenged))
        #expect(try await standing(Fixture.order("PAYER_ACTION_REQUIRED", more: page)) == .unconfirmed)
    }

    @Test("an order for the fields asks for a challenge where one is required", arguments: ThreeDSecure.allCases)
    func prepares(policy: ThreeDSecure) async throws {
        for attaches in [true, false] {
            let transport = ScriptedTransport([.json(201, Fixture.order("CREATED"))])
            let provider = PayPalProvider(
                config: try Fixture.config(), transport: transport, clock: ManualClock(), threeDSecure: policy)
            var request = Fixture.authorization(nil)
            request.attachesCard = attaches
            guard case .approved = await provider.prepare(request) else {
                Issue.record("not prepared")
                return
            }
            let body = try #require(transport.calls.first).body
            #expect(body.contains("SCA_ALWAYS") == (attaches && policy == .required))
            #expect(!body.contains("number"))
        }
    }

    private func continued(
        _ steps: [ScriptedTransport.Step], after action: CustomerAction = CardFieldsTests.waiting
    ) async throws -> (ProviderAnswer<Authorization>, [String]) {
        let transport = ScriptedTransport(steps)
        let provider = PayPalProvider(config: try Fixture.config(), transport: transport, clock: ManualClock())
        let answer = await provider.continueAuthorization(
            ContinuationRequest(
                context: Fixture.query().context, amount: Fixture.amount, captureMode: .automatic,
                key: IdempotencyKey(rawValue: "pay_1-a1-continue-1"), action: action))
        return (answer, transport.calls.map(\.body))
    }

    @Test("another card that is attached after the judgment is judged before its money is asked for")
    func exchanged() async throws {
        let refused = Self.order("APPROVED", #"{"liability_shift":"NO"}"#)
        let (answer, bodies) = try await continued([.json(200, refused), .json(204, "")])
        guard case .declined(let decline) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(decline.code?.hasPrefix("LIABILITY_SHIFT_") == true)
        // Read, and closed: nothing was asked for, and nothing ever is.
        #expect(bodies.count == 2 && bodies[1].contains("void-pay_1-a1"))
        let (unread, asked) = try await continued([.json(500, "{}")])
        guard case .notSent = unread else {
            Issue.record("\(unread)")
            return
        }
        #expect(asked.count == 1)
    }

    @Test("money that others moved since the judgment is judged before it counts, and nothing is asked for")
    func movedMeanwhile() async throws {
        func paid(_ result: String, _ custom: String = "pay_1-a1") -> ScriptedTransport.Step {
            let card = #","payment_source":{"card":{"last_digits":"7321","authentication_result":\#(result)}}"#
            return .json(
                200,
                Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")], more: card, custom: custom))
        }
        let refused = #"{"liability_shift":"NO"}"#
        let passed = #"{"liability_shift":"YES"}"#
        for step in [paid(refused), paid(passed, "pay_2-a1"), paid(passed, "void-pay_1-a1")] {
            let (answer, bodies) = try await continued([step])
            // The next query books it with its objection.
            #expect(answer == .requiresAction(Self.waiting), "\(answer)")
            #expect(bodies.count == 1)
        }
        // It may be the counter's own, of a request whose answer was lost.
        let (own, _) = try await continued([
            paid(passed), .json(422, Fixture.error("ORDER_ALREADY_CAPTURED")), paid(passed),
        ])
        guard case .approved(let authorization) = own else {
            Issue.record("\(own)")
            return
        }
        #expect(authorization.isCaptured && authorization.amount == Fixture.amount)
    }

    @Test("money that others move after the last look is judged once PayPal refuses the request, and not before")
    func movedAfterLook() async throws {
        let card =
            #","payment_source":{"card":{"last_digits":"7321","authentication_result":{"liability_shift":"YES"}}}"#
        let fitting = Fixture.order("COMPLETED", captures: [(Fixture.taken, "COMPLETED")], more: card)
        let custom = #""custom_id":"pay_1-a1""#
        let look = ScriptedTransport.Step.json(200, Self.order("APPROVED", #"{"liability_shift":"YES"}"#))
        let refused = ScriptedTransport.Step.json(422, Fixture.error("ORDER_ALREADY_CAPTURED"))
        for (word, other) in [
            (#""liability_shift":"YES""#, #""liability_shift":"NO""#), (custom, #""custom_id":"pay_2-a1""#),
            (custom, #""custom_id":"void-pay_1-a1""#), (custom, custom + #","invoice_id":"pay_2-a1""#),
            ("12.50", "12.49"), ("EUR", "USD"),
        ] {
            let moved = fitting.replacing(word, with: other)
            #expect(moved != fitting)
            let (answer, bodies) = try await continued([look, refused, .json(200, moved)])
            // The next query books it with its objection.
            #expect(answer == .requiresAction(Self.waiting), "\(other): \(answer)")
            #expect(bodies.count == 3)
        }
        // So is what PayPal still reviews: of a request that stays open the amount alone would be compared later.
        let reviewed = Fixture.order("COMPLETED", captures: [(Fixture.taken, "PENDING")], more: card)
        let other = reviewed.replacing(custom, with: #""custom_id":"pay_2-a1""#)
        #expect(try await continued([look, refused, .json(200, other)]).0 == .requiresAction(Self.waiting))
        guard case .unknown = try await continued([look, refused, .json(200, reviewed)]).0 else {
            Issue.record("decided while it is reviewed")
            return
        }
        let (unasked, asked) = try await continued([.json(200, other)])
        #expect(unasked == .requiresAction(Self.waiting) && asked.count == 1)
        let (own, _) = try await continued([look, refused, .json(200, fitting)])
        guard case .approved(let authorization) = own else {
            Issue.record("\(own)")
            return
        }
        #expect(authorization.isCaptured && authorization.amount == Fixture.amount)
    }

    @Test("a bank that wants to be asked when the money is asked for has its page, and the order stays judged")
    func lateDemand() async throws {
        let approved = ScriptedTransport.Step.json(200, Self.order("APPROVED", nil))
        let page = #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#
        let (answer, _) = try await continued([
            approved, .json(422, Fixture.error("PAYER_ACTION_REQUIRED", more: page)),
        ])
        #expect(answer == .requiresAction(Self.challenged))
    }

    @Test(
        "without a page for the bank the order is closed, and declined only then, also while it stays approved",
        arguments: ["CREATED", "APPROVED"])
    func lateDemandWithoutPage(status: String) async throws {
        let open = ScriptedTransport.Step.json(200, Self.order(status, nil))
        let (answer, bodies) = try await continued([
            .json(200, Self.order("APPROVED", nil)), .json(422, Fixture.error("PAYER_ACTION_REQUIRED")), open, open,
            .json(204, ""),
        ])
        guard case .declined(let decline) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(decline.code == "PAYER_ACTION_REQUIRED" && bodies.last?.contains("void-pay_1-a1") == true)
    }

    @Test("an approved order of a PayPal account is closed too, and its money is not asked for again and again")
    func lateDemandOfAccount() async throws {
        let approved = ScriptedTransport.Step.json(
            200, Fixture.order("APPROVED", more: #","payment_source":{"paypal":{"account_id":"QYR5Z8XDVJNXQ"}}"#))
        let (answer, bodies) = try await continued(
            [.json(422, Fixture.error("PAYER_ACTION_REQUIRED")), approved, approved, .json(204, "")],
            after: CustomerAction(kind: PayPalProvider.payerAction, url: "https://www.paypal.com/x"))
        guard case .declined(let decline) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(decline.code == "PAYER_ACTION_REQUIRED" && bodies.last?.contains("void-pay_1-a1") == true)
    }

    @Test("an order that cannot be closed is not declined: nobody knows that nothing will be charged")
    func lateDemandNotClosed() async throws {
        let asked = ScriptedTransport.Step.json(
            200, Fixture.order("PAYER_ACTION_REQUIRED", more: #","payment_source":{"card":{"last_digits":"7321"}}"#))
        let (answer, _) = try await continued([
            .json(200, Self.order("APPROVED", nil)), .json(422, Fixture.error("PAYER_ACTION_REQUIRED")), asked, asked,
            .json(422, Fixture.error("ORDER_ALREADY_COMPLETED")),
        ])
        #expect(
            answer == .requiresAction(CustomerAction(kind: PayPalProvider.payerAction, order: Fixture.order)))
    }

    @Test("a challenge that the request for the money asks for keeps the order: its card is judged before the next one")
    func askedByTheCapture() async throws {
        let passed = Self.order("APPROVED", #"{"liability_shift":"YES"}"#)
        let page = #","links":[{"rel":"payer-action","href":"https://www.paypal.com/x"}]"#
        let ways: [[ScriptedTransport.Step]] = [
            [.json(422, Fixture.error("PAYER_ACTION_REQUIRED", more: page))],
            [.json(200, Fixture.order("PAYER_ACTION_REQUIRED", more: page))],
            [.json(422, Fixture.error("PAYER_ACTION_REQUIRED")), .json(200, Fixture.order("CREATED", more: page))],
            [.json(422, Fixture.error("PAYER_ACTION_REQUIRED")), .json(200, Fixture.order("APPROVED", more: page))],
        ]
        for steps in ways {
            let (answer, _) = try await continued([.json(200, passed)] + steps)
            #expect(answer == .requiresAction(Self.challenged), "\(answer)")
        }
    }

    @Test("an order that is refused and cannot be closed yet is not declined yet")
    func notClosed() async throws {
        let refused = Self.order("APPROVED", #"{"liability_shift":"NO"}"#)
        let provider = PayPalProvider(
            config: try Fixture.config(), transport: ScriptedTransport([.json(200, refused), .json(500, "{}")]),
            clock: ManualClock())
        var query = Fixture.query()
        query.action = Self.waiting
        guard case .unknown = await provider.query(query) else {
            Issue.record("it counts as declined")
            return
        }
    }

    @Test("the frame allows named hosts of PayPal's and its sandbox's only where that is used")
    func sources() {
        for mode in [PaymentMode.live, .test] {
            let sources = PayPalModule.sources(mode)
            let named = sources.scripts + sources.frames + sources.images
            #expect(!named.contains { $0.contains("*") } && !named.contains("https:"))
            #expect(sources.connections == ["https://*.paypal.com"])
            let isTest = mode == .test
            #expect(named.contains("https://www.sandbox.paypal.com") == isTest)
            #expect(sources.frames.contains("https://www.paypal.com"))
            #expect(!sources.frames.contains("https://www.paypalobjects.com"))
            #expect(sources.usesNonce && !sources.asksBanks)
        }
    }

    // MARK: The whole way

    /// A payment whose order awaits its card.
    private func prepared(
        _ shop: MortalShop, _ mode: CaptureMode = .automatic
    ) async throws -> (payment: PaymentID, order: PayPalOrderID) {
        let (engine, wire) = try shop.engine()
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Fixture.amount)
        let id = try await engine.create(engine.draft(account: .main, order: order, captureMode: mode)).id
        let payment = try await engine.confirm(
            id, account: .main, provider: ProviderName(rawValue: "paypal"), tender: .payPalCard)
        #expect(payment.status == .requiresAction)
        #expect(wire.asked == ["POST /v2/checkout/orders"])
        return (id, try #require(try await self.order(of: id, in: shop)))
    }

    private func order(of id: PaymentID, in shop: MortalShop) async throws -> PayPalOrderID? {
        guard case .requiresAction(let action)? = try await shop.payment(id).currentAttempt?.state else { return nil }
        return action.order.flatMap { PayPalOrderID(ifValid: $0) }
    }

    /// Attaches a card as PayPal's fields do: with the client id alone.
    private func attach(_ holder: String? = nil, to order: PayPalOrderID, in shop: MortalShop) async throws {
        let app = CardClient(
            try CoreConfig(clientID: "client", environment: .custom("http://127.0.0.1:9")), transport: shop.payPal,
            clock: shop.clock)
        _ = try await app.approveOrder(
            order, card: try Fixture.card(holder),
            challenge: ChallengeReturn(base: "shop.example://card", random: (1, 2)))
    }

    @Test("prepared here, attached there, executed here, once", arguments: [true, false])
    func executes(isAutomatic: Bool) async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop, isAutomatic ? .automatic : .manual)
        let (engine, wire) = try shop.engine()
        try await engine.query(id)
        #expect(try await shop.payment(id).status == .requiresAction)
        try await attach(to: order, in: shop)
        #expect(await shop.taken() == 0)
        try await engine.query(id)
        try await engine.query(id)
        let payment = try await shop.payment(id)
        #expect(payment.status == (isAutomatic ? .succeeded : .requiresCapture))
        #expect(await shop.taken() == (isAutomatic ? 1250 : 0))
        #expect(payment.attempts.count == 1 && payment.tender?.kind == .card)
        #expect(payment.tender?.card?.lastFour == "7321")
        #expect(wire.asked.count(where: { $0.hasSuffix(isAutomatic ? "/capture" : "/authorize") }) == 1)
    }

    @Test(
        "a challenge that was passed pays, and another one does not",
        arguments: [
            ("SCA-REQUIRED", true, true), ("SCA-CREATED", true, true), ("SCA-REQUIRED", false, false),
            ("SCA-CREATED", false, false), ("SCA-UNREPORTED", true, false),
        ])
    func challenges(holder: String, succeeds: Bool, pays: Bool) async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        try await attach(holder, to: order, in: shop)
        let engine = try shop.engine().engine
        try await engine.query(id)
        #expect(try await shop.payment(id).status == .requiresAction)
        #expect(try await self.order(of: id, in: shop) == order)
        #expect(await shop.payPal.answerChallenge(order.rawValue, succeeds: succeeds))
        try await engine.query(id)
        #expect(try await shop.payment(id).status == (pays ? .succeeded : .declined))
        try await shop.settle()
        #expect(await shop.taken() == (pays ? 1250 : 0))
    }

    @Test("a declined card takes nothing, and the next one has an order of its own")
    func declines() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        try await attach("CCREJECT-IF", to: order, in: shop)
        let engine = try shop.engine().engine
        try await engine.query(id)
        #expect(try await shop.payment(id).status == .declined)
        _ = try await engine.confirm(
            id, account: .main, provider: ProviderName(rawValue: "paypal"), tender: .payPalCard)
        let next = try #require(try await self.order(of: id, in: shop))
        #expect(next != order)
        try await attach(to: next, in: shop)
        try await engine.query(id)
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("an order that still awaits its card takes the next one, and is executed once")
    func another() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        try await attach("SCA-REQUIRED", to: order, in: shop)
        try await attach(to: order, in: shop)
        try await shop.engine().engine.query(id)
        let payment = try await shop.payment(id)
        #expect(payment.status == .succeeded && payment.attempts.count == 1)
        #expect(await shop.taken() == 1250)
    }

    @Test("nobody comes back: the order is given up, and a card that is attached later is not charged")
    func abandoned() async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        try await shop.settle([.minutes(59)])
        #expect(try await shop.payment(id).status == .requiresAction)
        try await shop.settle([.minutes(10), .minutes(10)])
        #expect(try await shop.payment(id).status == .requiresPaymentMethod)
        try await attach(to: order, in: shop)
        try await shop.settle()
        #expect(await shop.taken() == 0)
    }

    @Test(
        "whatever becomes of the answer, the money is taken once",
        arguments: [SandboxFault.timeoutAfterCommit, .timeoutBeforeCommit, .serverErrorAfterSuccess])
    func lost(fault: SandboxFault) async throws {
        let shop = MortalShop()
        let (id, order) = try await prepared(shop)
        try await attach(to: order, in: shop)
        shop.payPal.faults.fail(.authorize, with: fault, times: 1)
        try await shop.engine().engine.query(id)
        try await shop.settle()
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }
}
