import HTTPTypes
import Testing
import TillCore
import TillStatements
import TillTestSupport

@testable import TillStripe

@Suite("Stripe's lists of charges") struct ChargeListingTests {
    private typealias Step = ScriptedTransport.Step

    private func intent(_ id: String, _ status: String, _ metadata: String) -> String {
        #"{"id":"\#(id)","object":"payment_intent","amount":1250,"currency":"eur","status":"\#(status)","metadata":{\#(metadata)}}"#
    }

    private func page(_ items: [String], more: Bool = false) -> Step {
        .json(200, #"{"data":[\#(items.joined(separator: ","))],"has_more":\#(more)}"#)
    }

    private func all(_ steps: [Step]) async throws -> ([ListedCharge], [String], ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        let listing = StripeChargeListing(provider: try Fixture.provider(transport))
        var (found, cursors, cursor): ([ListedCharge], [String], String?) = ([], [], nil)
        repeat {
            guard
                case .listed(let charges, let next) = await listing.charges(
                    since: Timestamp(milliseconds: 1_700_000_000_500), after: cursor)
            else { return (found, cursors, transport) }
            found += charges
            cursor = next
            if let next { cursors.append(next) }
        } while cursor != nil
        return (found, cursors, transport)
    }

    @Test("are read in pages, intents first and then refunds, with what was written into them")
    func pages() async throws {
        let ours = #""till_payment":"pay_1","till_attempt":"pay_1-a1","till_order":"o-1","till_account":"main""#
        let refund =
            #"{"id":"re_1","object":"refund","amount":500,"currency":"eur","status":"succeeded","payment_intent":"pi_3","metadata":{"till_refund":"pay_1-r1"}}"#
        let (found, cursors, transport) = try await all([
            page([intent("pi_3", "succeeded", ours), intent("pi_2", "requires_capture", "")], more: true),
            page([intent("pi_1", "requires_confirmation", ours)]), page([refund]),
        ])
        #expect(cursors == ["intents/pi_2", "refunds/"])
        #expect(found.map(\.reference.rawValue) == ["pi_3", "pi_2", "pi_1", "re_1"])
        #expect(found.map(\.mayHaveMoved) == [true, true, false, true])
        #expect(found[0].payment == PaymentID(rawValue: "pay_1") && found[0].attempt?.rawValue == "pay_1-a1")
        #expect(found[0].order == OrderID(rawValue: "o-1") && found[0].account == .main)
        #expect(found[1].payment == nil)
        #expect(found[3].kind == .refund && found[3].payment == PaymentID(rawValue: "pay_1"))
        let paths = transport.calls.map { $0.request.path ?? "" }
        #expect(paths[0] == "/v1/payment_intents?created%5Bgte%5D=1700000000&limit=100")
        #expect(paths[1].hasSuffix("&starting_after=pi_2") && paths[2].hasPrefix("/v1/refunds?created%5Bgte%5D="))
    }

    @Test("have an intent that a reader may still charge among what may have moved") func atReader() async throws {
        let open =
            #"{"id":"pi_1","object":"payment_intent","amount":1250,"currency":"eur","status":"requires_payment_method","payment_method_types":["card_present"],"metadata":{"till_payment":"pay_1","till_order":"o-1","till_account":"main"}}"#
        let online = open.replacing("pi_1", with: "pi_2").replacing("card_present", with: "card")
        let (found, _, _) = try await all([page([open, online]), page([])])
        #expect(found.map(\.mayHaveMoved) == [true, false])
        #expect(found.first?.attempt == nil && found.first?.order == OrderID(rawValue: "o-1"))
    }

    @Test("of which one of ours cannot be read conclude nothing; another program's keeps nobody from selling")
    func unreadable() async throws {
        let strange =
            #"{"id":"pi_9","object":"payment_intent","amount":1,"currency":"zzz","status":"succeeded","metadata":{"#
        let listing = StripeChargeListing(
            provider: try Fixture.provider(
                ScriptedTransport([
                    page([strange + #""till_payment":"pay_1"}}"#]), page([strange + "}}"]), .json(500, "{}"),
                ])))
        let since = Timestamp(milliseconds: 0)
        guard case .failed = await listing.charges(since: since, after: nil) else {
            Issue.record("a charge of ours was passed over")
            return
        }
        guard case .listed(let found, next: "refunds/") = await listing.charges(since: since, after: nil) else {
            Issue.record("a foreign charge stops the sweep")
            return
        }
        #expect(found.map(\.payment) == [nil])
        guard case .failed = await listing.charges(since: since, after: "refunds/") else {
            Issue.record("a failure is an empty list")
            return
        }
    }
}
