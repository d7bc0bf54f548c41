import HTTPTypes
import TillTestSupport
import Testing
import TillCards
import TillPayPalClient
import TillCore
import TillPayPal

/// Defects that shipped card clients have had, each by name.
@Suite("Defects of other card clients") struct KnownDefectsTests {
    static func request() throws -> OrderRequest {
        try OrderRequest(purchaseUnits: [PurchaseUnit(amount: Amount(currencyCode: "EUR", value: "12.50"))])
    }

    func clients(_ steps: [ScriptedTransport.Step]) throws -> (
        ScriptedTransport, CardClient<ServerConfig>, CardClient<CoreConfig>
    ) {
        let transport = ScriptedTransport(steps)
        let clock = ManualClock()
        return (
            transport,
            CardClient(try Fixture.config(), transport: transport, recorder: MemorySentRequests(), clock: clock),
            CardClient(
                try CoreConfig(clientID: "c", environment: .custom("http://127.0.0.1:9")), transport: transport,
                clock: clock)
        )
    }

    @Test("the security code is on the wire in every flow")
    func securityCode() async throws {
        let steps = Array(repeating: ScriptedTransport.Step.json(500, "{}"), count: 8)
        let (transport, server, app) = try clients(steps)
        let order = try PayPalOrderID(Fixture.order)
        let card = try Fixture.card()
        let challenge = ChallengeReturn(base: "app://card", random: (1, 2))
        let key = IdempotencyKey(rawValue: "k")
        _ = try? await app.approveOrder(order, card: card, challenge: challenge)
        _ = try? await app.validate(orderID: order, card: card)
        _ = try? await server.executeOrder(try Self.request(), card: card, key: key)
        _ = try? await server.executeOrder(orderID: order, card: card, intent: .capture, key: key)
        _ = try? await server.executeOrder(orderID: order, card: card, intent: .authorize, key: key)
        _ = try? await server.createSetupToken(card: card, key: key)
        _ = try await (Fixture.provider(transport)).authorize(Fixture.authorization(), with: try Fixture.tender())
        #expect(transport.calls.count == 7)
        for call in transport.calls {
            #expect(call.body.contains(#""security_code":"987""#), "\(call.line)")
            #expect(call.body.contains(#""number":"4032036247327321""#) && call.body.contains(#""expiry":"2030-12""#))
        }
    }

    @Test("name and billing address are on the wire in every flow, and in no sentence")
    func billing() async throws {
        let steps = Array(repeating: ScriptedTransport.Step.json(422, Fixture.error("CARD_EXPIRED")), count: 8)
        let (transport, server, app) = try clients(steps)
        let order = try PayPalOrderID(Fixture.order)
        let address = BillingAddress(
            line1: "Weg 1", line2: "Hof", city: "Berlin", region: "BE", postalCode: "10115", country: "DE")
        let card = try PaymentCard(
            number: Fixture.number, expiry: "12/30", securityCode: Fixture.code, holder: "Ada Marked",
            billingAddress: address, now: ManualClock().now())
        let challenge = ChallengeReturn(base: "app://card", random: (1, 2))
        let key = IdempotencyKey(rawValue: "k")
        let request = try Self.request()
        var said: [String] = []
        do { _ = try await app.approveOrder(order, card: card, challenge: challenge) } catch { said.append("\(error)") }
        do { _ = try await app.validate(orderID: order, card: card) } catch { said.append("\(error)") }
        do { _ = try await server.executeOrder(request, card: card, key: key) } catch { said.append("\(error)") }
        do {
            _ = try await server.executeOrder(orderID: order, card: card, intent: .capture, key: key)
        } catch { said.append("\(error)") }
        do { _ = try await server.createSetupToken(card: card, key: key) } catch { said.append("\(error)") }
        let provider = try Fixture.provider(transport)
        let answer = await provider.authorize(Fixture.authorization(), with: .card(card.details))
        said += ["\(answer)", "\(card)", "\(card.details)"]
        #expect(transport.calls.count == 6 && said.count == 8)
        let wanted =
            #""billing_address":{"address_line_1":"Weg 1","address_line_2":"Hof","admin_area_2":"Berlin","#
            + #""admin_area_1":"BE","postal_code":"10115","country_code":"DE"}"#
        for call in transport.calls {
            #expect(call.body.contains(#""name":"Ada Marked""#) && call.body.contains(wanted), "\(call.line)")
        }
        for text in said { #expect(!text.contains("Marked") && !text.contains("Weg 1"), "\(text)") }
    }

    @Test("every call that changes something carries a key, and every refusal keeps PayPal's debug id")
    func keysAndDebugIDs() async throws {
        let steps = Array(repeating: ScriptedTransport.Step.json(422, Fixture.error("ON_THE_MOON")), count: 8)
        let (transport, server, _) = try clients(steps)
        let (card, key) = (try Fixture.card(), IdempotencyKey(rawValue: "k-1"))
        let (order, hold) = (try PayPalOrderID(Fixture.order), try PayPalAuthorizationID(Fixture.hold))
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await server.executeOrder(try Self.request(), card: card, key: key) },
            { _ = try await server.executeOrder(orderID: order, card: card, key: key) },
            { _ = try await server.capture(hold, key: key) },
            { try await server.void(hold, key: key) },
            { _ = try await server.refund(try PayPalCaptureID(Fixture.taken), key: key) },
            { _ = try await server.createSetupToken(card: card, key: key) },
            { _ = try await server.createPaymentToken(from: try SetupTokenID("5C991763VB2781612"), key: key) },
        ]
        for call in calls {
            do {
                try await call()
                Issue.record("a refusal was no error")
            } catch {
                guard case CardClientError.refused(let refusal) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(refusal.debugID == "90957fca61718" && refusal.issue?.rawValue == "ON_THE_MOON")
            }
        }
        #expect(transport.calls.count == calls.count)
        for call in transport.calls { #expect(call.key == "k-1", "\(call.line)") }
    }

    /// A server that never answers, and says when it is left alone.
    private struct SilentTransport: HTTPTransport {
        let left: AsyncStream<Void>.Continuation
        func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
            try? await Task.sleep(for: .seconds(60))
            left.yield()
            throw .unknown(reason: "the caller stopped waiting")
        }
    }

    @Test("a canceled task ends its call, also behind a completion handler")
    func cancellation() async throws {
        let (stream, left) = AsyncStream.makeStream(of: Void.self)
        let client = CardClient(
            try CoreConfig(clientID: "c", environment: .custom("http://127.0.0.1:9")),
            transport: SilentTransport(left: left), clock: ManualClock())
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        let card = try Fixture.card()
        let order = try PayPalOrderID(Fixture.order)
        let task = client.validate(orderID: order, card: card) { result in
            if case .failure = result { end.yield(true) } else { end.yield(false) }
        }
        task.cancel()
        var leaving = stream.makeAsyncIterator()
        var ending = ended.makeAsyncIterator()
        await leaving.next()
        #expect(await ending.next() == true)
    }

    @Test("CARD_EXPIRED arrives as itself with field and debug id, and repeats no card data")
    func cardExpired() async throws {
        let (_, server, _) = try clients([.json(422, Fixture.error("CARD_EXPIRED"))])
        let request = try Self.request()
        let card = try Fixture.card()
        do throws(CardClientError) {
            _ = try await server.executeOrder(request, card: card, key: IdempotencyKey(rawValue: "k"))
            Issue.record("an expired card was taken")
        } catch {
            guard case .refused(let refusal) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(refusal.issue == PayPalIssue(rawValue: "CARD_EXPIRED") && error.code == "card_expired")
            #expect(refusal.details.first?.field == "/payment_source/card/expiry")
            #expect(refusal.debugID == "90957fca61718" && refusal.kind == .fixField)
            #expect(error.moneyMoved == .no && error.customerSentence.contains("expired"))
            #expect(!"\(error) \(refusal)".contains(Fixture.number))
        }
    }

    @Test("payer action without a usable address is not success")
    func payerActionWithoutLink() async throws {
        let links = [
            "", #","links":[]"#, #","links":[{"rel":"self","href":"https://x.example"}]"#,
            #","links":[{"rel":"payer-action","href":"javascript:alert(1)"}]"#,
            #","links":[{"rel":"payer-action","href":"http://evil.example/"}]"#,
        ]
        for more in links {
            let (_, _, app) = try clients([.json(200, Fixture.order("PAYER_ACTION_REQUIRED", more: more))])
            let order = try PayPalOrderID(Fixture.order)
            await #expect(throws: CardClientError.payerActionWithoutAddress(order), "\(more)") {
                try await app.approveOrder(
                    order, card: Fixture.card(), challenge: ChallengeReturn(base: "app://card", random: (1, 2)))
            }
        }
    }

    @Test("spaces and short months are normalized before they are sent")
    func normalized() async throws {
        let (transport, server, _) = try clients([.json(500, "{}")])
        let card = try PaymentCard(
            number: "4032 0362 4732 7321", expiry: "1/27", securityCode: " 987 ",
            now: Timestamp(milliseconds: 1_700_000_000_000))
        _ = try? await server.executeOrder(try Self.request(), card: card, key: IdempotencyKey(rawValue: "k"))
        #expect(
            transport.calls[0].body.contains(#""number":"4032036247327321","security_code":"987","expiry":"2027-01""#))
    }

    @Test("an order is complete and its card declined: not paid, by type")
    func declinedButCompleted() throws {
        let json = try JSONValue(
            parsing: Array(Fixture.order("COMPLETED", captures: [(Fixture.taken, "DECLINED")]).utf8))
        let order = try #require(OrderResponse.reading(json))
        #expect(order.status == .completed)
        #expect(PaidOrder(order) == nil)
        #expect(order.captures.allSatisfy { CompletedCapture($0) == nil })
        for status in ["DECLINED", "PENDING", "FAILED", "DENIED", "", "completed", "Completed "] {
            let text = Fixture.order("COMPLETED", captures: [(Fixture.taken, status)])
            guard let json = try? JSONValue(parsing: Array(text.utf8)), let order = OrderResponse.reading(json) else {
                continue
            }
            #expect(PaidOrder(order) == nil, "\(status)")
        }
    }

    @Test("an answer that came through but whose end is unknown is never told as failed")
    func lostAnswer() async throws {
        let (_, server, _) = try clients([.fail(.unknown(reason: "no answer in time"))])
        let request = try Self.request()
        let card = try Fixture.card()
        do throws(CardClientError) {
            _ = try await server.executeOrder(request, card: card, key: IdempotencyKey(rawValue: "k"))
        } catch {
            #expect(error.moneyMoved == .unknown)
        }
    }

    @Test("every issue of the catalog has a kind, a new one keeps its word")
    func issues() {
        #expect(PayPalIssue.known.count >= 218)
        #expect(PayPalIssue.known.allSatisfy { $0.kind != .unknown })
        let new = PayPalIssue(rawValue: "ON_THE_MOON")
        #expect(new.kind == .unknown && new.rawValue == "ON_THE_MOON")
        #expect(PayPalIssue(rawValue: "PAYMENT_DENIED").kind == .otherCard)
    }
}
