import Synchronization
import Testing
import TillCore
import TillSandbox
import TillTestSupport

@testable import TillStandInStripe

/// What a shop's other code calls, without a network.
@Suite("Objects of Stripe's stand-in") struct StripeObjectsTests {
    let clock = ManualClock(waits: .moveTime())
    let stripe: SandboxStripe

    init() {
        stripe = SandboxStripe(
            ledger: SandboxLedger(store: SandboxMemoryStore(), clock: clock, rules: SandboxRules(prefix: "pi_")),
            faults: SandboxFaults())
    }

    private func call(
        _ method: String, _ path: String, _ form: String = "", key: String? = nil
    ) async throws -> (status: Int, json: JSONValue, event: StripeAnswer.Event?) {
        let answer = try await stripe.answer(
            SandboxStripe.Request(
                method: method, path: path.split(separator: "/").map(String.init), form: StripeForm(form), key: key,
                authorization: "Bearer sk_test_x"))
        return (answer.status, try JSONValue(parsing: Array(answer.body.utf8)), answer.event)
    }

    private func make(_ path: String, _ form: String = "") async throws -> String {
        let made = try await call("POST", path, form)
        try #require(made.status == 200)
        return try #require(made.json["id"]?.stringValue)
    }

    private let card = "type=card&card[number]=4242424242424242&card[exp_month]=4&card[exp_year]=31&card[cvc]=123"

    @Test("a payment method says its brand, last four digits and expiry, and its id says so after a restart")
    func expiry() async throws {
        let id = try await make("/v1/payment_methods", card)
        let again = try #require(StripePaymentMethod(id: id))
        #expect(again.expiry == StripePaymentMethod.Expiry(month: 4, year: 2031))
        #expect(again.card.lastFour == "4242" && again.card.brand == "visa")
        let read = try await call("GET", "/v1/payment_methods/\(id)")
        #expect(read.json["card"]?["exp_year"]?.int64Value == 2031)
        #expect(read.json["card"]?["number"] == nil)
        #expect(try await make("/v1/payment_methods", card) != id)
        let digits = id.split(whereSeparator: { !$0.isNumber }).map(\.count)
        #expect(digits.allSatisfy { $0 < 12 }, "no run of digits that could be taken for a card number")
    }

    @Test("a damaged id of a payment method names nothing")
    func damagedIDs() {
        for text in ["visa:4242::+::13/2031:", "visa:4242::+::4:", "visa:4242::+::4/20311:", "visa:4242::+::4/2031"] {
            #expect(StripePaymentMethod(id: "pm_" + Hex.lowercase(text.utf8)) == nil, "\(text)")
        }
        #expect(StripePaymentMethod(id: "pm_" + Hex.lowercase("visa:4242::+:".utf8)) != nil)
    }

    @Test("a detached payment method is never used again")
    func detached() async throws {
        let customer = try await make("/v1/customers", "name=Ada")
        let id = try await make("/v1/payment_methods", card)
        #expect(try await call("POST", "/v1/payment_methods/\(id)/attach", "customer=\(customer)").status == 200)
        let detached = try await call("POST", "/v1/payment_methods/\(id)/detach")
        #expect(detached.event?.type == "payment_method.detached")
        let pay = "amount=100&currency=eur&confirm=true&payment_method=\(id)&customer=\(customer)"
        #expect(try await call("POST", "/v1/payment_intents", pay).status == 400)
        let intent = try await make("/v1/payment_intents", "amount=100&currency=eur&customer=\(customer)")
        let confirmed = try await call("POST", "/v1/payment_intents/\(intent)/confirm", "payment_method=\(id)")
        #expect(confirmed.status == 400)
        #expect(confirmed.json["error"]?["code"]?.stringValue == "payment_method_unexpected_state")
        #expect(
            try await call("GET", "/v1/payment_intents/\(intent)").json["status"] == .string("requires_payment_method"))
    }

    @Test("a customer has a limited number of payment methods")
    func limitOfMethods() async throws {
        let customer = try await make("/v1/customers")
        for _ in 0..<StripeObjects.maximumMethodsOfCustomer {
            let kept = try await call("POST", "/v1/payment_methods/pm_card_visa/attach", "customer=\(customer)")
            #expect(kept.status == 200)
        }
        let more = try await call("POST", "/v1/payment_methods/pm_card_visa/attach", "customer=\(customer)")
        #expect(more.json["error"]?["code"]?.stringValue == "customer_max_payment_methods")
    }

    @Test("payment methods without a customer are forgotten, oldest first, and can be charged all the same")
    func forgotten() async throws {
        let first = try await make("/v1/payment_methods", card + "&metadata[a]=b")
        for _ in 0..<StripeObjects.maximumLoose { _ = try await call("POST", "/v1/payment_methods", card) }
        let remembered = stripe.objects.state.withLock { $0.methods.count }
        #expect(remembered == StripeObjects.maximumLoose)
        #expect(try await call("GET", "/v1/payment_methods/\(first)").json["metadata"] == .object([]))
        let paid = try await call(
            "POST", "/v1/payment_intents", "amount=100&currency=eur&confirm=true&payment_method=\(first)")
        #expect(paid.json["status"]?.stringValue == "succeeded")
    }

    @Test("events are kept up to their maximum, newest first")
    func events() throws {
        let log = StripeEventLog()
        for number in 0..<(StripeEventLog.maximum + 5) {
            _ = log.record(StripeAnswer.Event(type: "t.\(number)", object: .null), at: clock.now())
        }
        let all = log.all()
        #expect(all.count == StripeEventLog.maximum)
        #expect(all.first?.type == "t.\(StripeEventLog.maximum + 4)")
        #expect(all.last?.type == "t.5")
        #expect(Set(all.map(\.id)).count == all.count)
        #expect(log.event(all[3].id) == all[3])
    }

    @Test("pages go in both directions, and an unknown cursor is refused where the list is strict")
    func pages() throws {
        let all = (1...5).map { String($0) }
        func page(_ form: String) -> StripePage<String> { StripePage(of: all, StripeForm(form)) { $0 } }
        #expect(page("limit=2").values == ["1", "2"] && page("limit=2").hasMore)
        #expect(page("limit=2&starting_after=3").values == ["4", "5"])
        #expect(!page("limit=2&starting_after=3").hasMore)
        #expect(page("limit=2&ending_before=4").values == ["2", "3"] && page("limit=2&ending_before=4").hasMore)
        #expect(!page("limit=3&ending_before=4").hasMore)
        #expect(page("ending_before=9").values.isEmpty)
        for form in ["limit=0", "limit=x", "limit=101", "starting_after=9", "starting_after=1&ending_before=3"] {
            #expect(throws: StripeRefusal.self) {
                try StripePage(strictly: all, StripeForm(form), "thing") { $0 }
            }
        }
    }

    @Test("no request can trap", arguments: ["GET", "POST", "DELETE", "PUT"])
    func strangeRequests(_ method: String) async throws {
        let forms = [
            "", "customer=", "limit=-9223372036854775809", "card[exp_month]=99999999999999999999", "metadata=",
            "created[gte]=x&ending_before=", "payment_method=pm_", "payment_method_data[card][number]=1",
        ]
        let names = [
            "customers", "payment_methods", "setup_intents", "charges", "events", "balance_transactions",
            "refunds", "disputes",
        ]
        for name in names {
            for rest in ["", "/x", "/ch_d", "/re_", "/x/attach", "/x/detach", "/x/confirm", "/x/payment_methods/y/z"] {
                for form in forms {
                    let answer = try await call(method, "/v1/\(name)\(rest)", form)
                    #expect((200..<500).contains(answer.status))
                }
            }
        }
    }
}
