import Foundation
import Testing
import TillPayPalClient
import TillCards
import TillCore
import TillHTTP
import TillPayPal
import TillSandbox
import TillStandInPayPal
import TillTestSupport

@Suite("The card client") struct CardClientTests {
    static let clock = ManualClock()

    struct Shop {
        let transport: SandboxPayPalTransport
        let wire: RecordingTransport
        let server: CardClient<ServerConfig>
        let app: CardClient<CoreConfig>

        init(clock: ManualClock = ManualClock()) throws {
            transport = SandboxPayPalTransport(clock: clock)
            wire = RecordingTransport(transport)
            server = CardClient(
                try Fixture.config(), transport: wire, recorder: MemorySentRequests(), clock: clock)
            app = CardClient(
                try CoreConfig(clientID: "client", environment: .custom("http://127.0.0.1:9")), transport: wire,
                clock: clock)
        }
    }

    static func request(_ value: String = "10.00", _ intent: OrderIntent = .capture) throws -> OrderRequest {
        try OrderRequest(
            intent: intent, purchaseUnits: [PurchaseUnit(amount: Amount(currencyCode: "USD", value: value))])
    }
    static let challenge = ChallengeReturn(base: "shop.example://card", random: (1, 2))
    static func key(_ text: String = "k") -> IdempotencyKey { IdempotencyKey(rawValue: text) }

    @Test("an order and a card make a paid order, with all that a shop asks for")
    func executes() async throws {
        let shop = try Shop()
        let done = try await shop.server.executeOrder(Self.request(), card: Fixture.card(), key: Self.key())
        guard case .paid(let paid) = done.money else {
            Issue.record("\(done.money)")
            return
        }
        #expect(paid.amount == Money(minorUnits: 1000, currency: .usd))
        #expect(done.intent == .capture && done.status == .completed && done.purchaseUnits.count == 1)
        #expect(done.response.captures.first?.fee == Money(minorUnits: 59, currency: .usd))
        #expect(done.response.card?.lastDigits == "7321")
    }

    @Test("a declined card in a completed order is an error that says that nothing moved")
    func declines() async throws {
        let shop = try Shop()
        let request = try Self.request()
        let card = try Fixture.card("CCREJECT-IF")
        do throws(CardClientError) {
            let done = try await shop.server.executeOrder(request, card: card, key: Self.key())
            Issue.record("\(done.status) looks paid")
        } catch {
            guard case .declined(let decline, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(decline.reason == .insufficientFunds && decline.code == "5120")
            #expect(error.moneyMoved == .no)
            #expect(error.customerSentence.contains("not enough funds"))
        }
    }

    @Test("the same key is one sale, also with the completion handler")
    func sameKey() async throws {
        let shop = try Shop()
        let first = try await shop.server.executeOrder(Self.request(), card: Fixture.card(), key: Self.key())
        let request = try Self.request()
        let card = try Fixture.card()
        let second = await withCheckedContinuation { continuation in
            shop.server.executeOrder(request, card: card, key: Self.key()) { continuation.resume(returning: $0) }
        }
        #expect(try second.get().orderID == first.orderID)
        #expect(await shop.transport.ledger().count == 1)
    }

    @Test("beyond the time for which PayPal remembers a key nothing is sent under it; an existing order is read")
    func forgottenKey() async throws {
        let clock = ManualClock()
        let shop = try Shop(clock: clock)
        _ = try await shop.server.executeOrder(Self.request(), card: Fixture.card(), key: Self.key("a"))
        let made = try await shop.server.createOrder(Self.request(), key: Self.key("b"))
        _ = try await shop.server.executeOrder(orderID: made.orderID, card: Fixture.card(), key: Self.key("c"))
        clock.advance(by: .hours(7))
        await #expect(throws: CardClientError.keyForgotten(Self.key("a"))) {
            try await shop.server.executeOrder(Self.request(), card: Fixture.card(), key: Self.key("a"))
        }
        let again = try await shop.server.executeOrder(
            orderID: made.orderID, card: Fixture.card(), key: Self.key("c"))
        guard case .paid = again.money else {
            Issue.record("\(again.money)")
            return
        }
        #expect(await shop.transport.ledger().count == 2)
    }

    @Test("capture later needs the authorization's identifier only")
    func captureLater() async throws {
        let shop = try Shop()
        let done = try await shop.server.executeOrder(
            Self.request("10.00", .authorize), card: Fixture.card(), key: Self.key())
        guard case .held(let hold) = done.money else {
            Issue.record("\(done.money)")
            return
        }
        let part = try await shop.server.capture(
            hold.id, amount: Money(minorUnits: 400, currency: .usd), isFinal: false, key: Self.key("c1"))
        #expect(part.capture.amount.minorUnits == 400)
        let rest = try await shop.server.capture(
            hold.id, amount: Money(minorUnits: 600, currency: .usd), key: Self.key("c2"))
        let back = try await shop.server.refund(rest.capture.id, key: Self.key("r1"))
        #expect(back.amount.minorUnits == 600)
        #expect(
            shop.wire.exchanges.filter { $0.path.contains("/payments/") }.allSatisfy { !$0.body.contains("number") })
    }

    @Test("an app attaches a card, the bank asks, the server takes the money")
    func appAndServer() async throws {
        let shop = try Shop()
        let made = try await shop.server.createOrder(Self.request(), key: Self.key("o"))
        let step = try await shop.app.approveOrder(
            made.orderID, card: Fixture.card(), challenge: Self.challenge, verification: .always)
        guard case .challenge(let action) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(action.url.contains(made.orderID.rawValue))
        #expect(await shop.transport.answerChallenge(made.orderID.rawValue, succeeds: true))
        let back = try shop.app.finishChallenge(
            made.orderID, challenge: Self.challenge, callback: Self.challenge.returnURL)
        #expect(back.attemptedChallenge)
        let done = try await shop.server.executeApprovedOrder(made.orderID, key: Self.key("c"))
        guard case .paid = done.money else {
            Issue.record("\(done.money)")
            return
        }
    }

    @Test("after the bank's challenge no money is asked for that the shop's liability policy does not want")
    func liability() async throws {
        let shop = try Shop()
        let order = try await shop.server.createOrder(Self.request(), key: Self.key("o")).orderID
        _ = try await shop.app.approveOrder(
            order, card: Fixture.card(), challenge: Self.challenge, verification: .always)
        #expect(await shop.transport.answerChallenge(order.rawValue, succeeds: true))
        // The sandbox's bank answers POSSIBLE; this shop wants YES only.
        do throws(CardClientError) {
            let done = try await shop.server.executeApprovedOrder(
                order, policy: LiabilityPolicy(verdicts: ["YES": .proceed]), key: Self.key("strict"))
            Issue.record("\(done.money)")
        } catch {
            guard case .declined(let decline, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(decline.code == "LIABILITY_SHIFT" && error.moneyMoved == .no)
        }
        #expect(await shop.transport.ledger().allSatisfy { $0["captured"]?.int64Value == 0 })
        guard case .paid = try await shop.server.executeApprovedOrder(order, key: Self.key("usual")).money else {
            Issue.record("the standard policy takes it")
            return
        }
    }

    @Test("a cancel redirect, another address and another state are no success")
    func callbacks() async throws {
        let shop = try Shop()
        let order = try PayPalOrderID(Fixture.order)
        func fault(_ callback: String) -> String? {
            do throws(CardClientError) {
                _ = try shop.app.finishChallenge(order, challenge: Self.challenge, callback: callback)
                return nil
            } catch { return error.code }
        }
        #expect(fault(Self.challenge.returnURL) == nil)
        #expect(fault(Self.challenge.returnURL + "&liability_shift=YES") == nil)
        #expect(fault(Self.challenge.cancelURL) == "challenge_canceled")
        let other = ChallengeReturn(base: "shop.example://card", random: (3, 4))
        for text in [
            other.returnURL, "shop.example://card/success", Self.challenge.returnURL + "&state=1",
            "https://shop.example/success?state=12", "shop.example://evil/success?state=12", "", "%%%",
            Self.challenge.returnURL.replacing("success", with: "success/x"),
        ] { #expect(fault(text) == "foreign_callback", "\(text)") }
    }

    @Test("a stored card pays without number and code")
    func vault() async throws {
        let shop = try Shop()
        let setup = try await shop.server.createSetupToken(card: Fixture.card(), key: Self.key("s"))
        let stored = try await shop.server.createPaymentToken(from: setup, key: Self.key("p"))
        let done = try await shop.server.executeOrder(Self.request(), stored: stored, key: Self.key("o"))
        guard case .paid = done.money else {
            Issue.record("\(done.money)")
            return
        }
        try await shop.server.deletePaymentToken(stored)
    }

    @Test("the transcript of all calls holds no number and no code")
    func transcript() async throws {
        let shop = try Shop()
        _ = try await shop.server.executeOrder(Self.request(), card: Fixture.card("Ada"), key: Self.key("1"))
        _ = try? await shop.server.executeOrder(Self.request(), card: Fixture.card("CCREJECT-SF"), key: Self.key("2"))
        _ = try await shop.server.createSetupToken(card: Fixture.card(), key: Self.key("3"))
        let made = try await shop.server.createOrder(Self.request(), key: Self.key("4"))
        _ = try await shop.app.validate(orderID: made.orderID, card: Fixture.card())
        let text = shop.wire.exchanges.map { "\($0)" }.joined()
        #expect(!text.contains(Fixture.number) && !text.contains(Fixture.code) && !text.contains("markedsecret"))
        #expect(shop.wire.exchanges.count > 5)
    }

    @Test("a request is in the file before it leaves, and is found there after a restart")
    func recorded() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sent-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try FileSentRequests(path: path)
        let at = Timestamp(milliseconds: 5)
        #expect(try await first.willSend(Self.key("a"), call: "POST /x", at: at) == at)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        _ = try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"key":"cut"#.utf8))
        let second = try FileSentRequests(path: path)
        #expect(try await second.willSend(Self.key("a"), call: "POST /x", at: Timestamp(milliseconds: 9)) == at)
        #expect(
            try await second.willSend(Self.key("b"), call: "POST /x", at: Timestamp(milliseconds: 9)).milliseconds == 9)
        let third = try FileSentRequests(path: path)
        #expect(
            try await third.willSend(Self.key("b"), call: "POST /x", at: Timestamp(milliseconds: 11)).milliseconds == 9)
    }

    @Test("identifiers of the first interface and with a slash are refused by name before anything is sent")
    func identifiers() {
        func fault(_ text: String) -> TokenSourceError? {
            do throws(TokenSourceError) { _ = try PayPalOrderID(text) } catch { return error }
            return nil
        }
        #expect(fault("EC-60U79048BN7719609") == .firstVersion("EC-"))
        #expect(fault("PAYID-MABC") == .firstVersion("PAYID-"))
        #expect(fault("BA-1") == .firstVersion("BA-"))
        #expect(fault("") == .empty)
        #expect(fault("5O19/../x") == .unprintable)
        #expect(fault("5o19") == .unprintable)
        #expect(fault(String(repeating: "A", count: 37)) == .tooLong)
        #expect(fault(Fixture.order) == nil)
    }

    @Test("orders that PayPal would refuse are refused here, with the place")
    func orders() throws {
        func fault(_ make: () throws(OrderRequestError) -> Void) -> String {
            do throws(OrderRequestError) { try make() } catch { return "\(error.field) \(error.code)" }
            return "none"
        }
        let usd = { (units: Int64) in Money(minorUnits: units, currency: .usd) }
        #expect(
            fault { () throws(OrderRequestError) in _ = try Amount(currencyCode: "USD", value: "10.005") }
                == "amount/value invalid_amount")
        #expect(
            fault { () throws(OrderRequestError) in _ = try Amount(currencyCode: "HUF", value: "10.50") }
                == "amount/value invalid_amount")
        #expect(
            fault { () throws(OrderRequestError) in _ = try Amount(currencyCode: "KWD", value: "1") }
                == "amount/value invalid_amount")
        #expect(
            fault { () throws(OrderRequestError) in _ = try Amount(currencyCode: "USD", value: "0") }
                == "amount/value invalid_order_request")
        #expect(
            fault { () throws(OrderRequestError) in
                _ = try Amount(usd(1000), breakdown: AmountBreakdown(itemTotal: usd(900), taxTotal: usd(90)))
            } == "amount/breakdown amount_mismatch")
        _ = try Amount(
            usd(1000),
            breakdown: AmountBreakdown(
                itemTotal: usd(1000), shipping: usd(100), handling: usd(10), taxTotal: usd(20), insurance: usd(5),
                shippingDiscount: usd(35), discount: usd(100)))
        let unit = PurchaseUnit(amount: try Amount(usd(1000)))
        #expect(
            fault { () throws(OrderRequestError) in _ = try OrderRequest(purchaseUnits: []) }
                == "purchase_units invalid_order_request")
        #expect(
            fault { () throws(OrderRequestError) in
                _ = try OrderRequest(intent: .authorize, purchaseUnits: [unit, unit])
            } == "intent unsupported_intent")
        #expect(
            fault { () throws(OrderRequestError) in _ = try OrderRequest(purchaseUnits: [unit, unit]) }
                == "purchase_units/@/reference_id invalid_order_request")
        let eleven = Array(repeating: unit, count: 11)
        #expect(
            fault { () throws(OrderRequestError) in _ = try OrderRequest(purchaseUnits: eleven) }
                == "purchase_units invalid_order_request")
    }

    @Test("an app cannot reach plain http elsewhere")
    func hosts() throws {
        #expect(throws: PayPalEnvironmentError.plainHTTP) { try PayPalEnvironment.custom("http://example.com") }
        #expect(throws: PayPalEnvironmentError.plainHTTP) { try PayPalEnvironment.custom("http://127.0.0.1.evil.com") }
        #expect(throws: PayPalEnvironmentError.unusableAddress) { try PayPalEnvironment.custom("ftp://x") }
        #expect(throws: PayPalEnvironmentError.unusableAddress) { try PayPalEnvironment.custom("https://a@b") }
        #expect(try PayPalEnvironment.custom("https://api-m.paypal.com").isLive)
    }
}
