import Foundation
import HTTPTypes
import TillTestSupport
import Testing
import TillCore
@testable import TillStripe

/// The wire is that of Stripe's own Python library, call by call.
@Suite("Stripe requests") struct StripeRequestTests {
    struct Recorded: Sendable, CustomTestStringConvertible {
        let name: String
        let json: JSONValue
        var testDescription: String { name }
        subscript(key: String) -> String { json[key]?.stringValue ?? "" }
    }

    static let recorded: [Recorded] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Peers/stripe_requests.json")
        guard let data = try? Data(contentsOf: file), let json = try? JSONValue(parsing: Array(data)) else { return [] }
        return (json["calls"]?.arrayValue ?? []).map { Recorded(name: $0["name"]?.stringValue ?? "", json: $0) }
    }()

    @Test("there is a recording of each call that is used")
    func recordingIsThere() {
        let names = Set(Self.recorded.map(\.name))
        #expect(
            names.isSuperset(of: [
                "create", "create_payment_method", "confirm_expanded",
                "confirm_with_return_address", "capture", "cancel", "retrieve",
                "retrieve_expanded", "list", "refund", "retrieve_refund", "list_refunds",
            ]))
    }

    // Accept-Encoding and Connection belong to the connection, not to the call; answers are never asked compressed.
    @Test("method, path, query, body and headers are those of the library", arguments: recorded)
    func equal(_ call: Recorded) {
        let fields = (call.json["fields"]?.arrayValue ?? []).compactMap { pair -> (String, String)? in
            guard let both = pair.arrayValue, both.count == 2, let name = both[0].stringValue else { return nil }
            return (name, both[1].stringValue ?? "")
        }
        var headers: [String: String] = [:]
        for member in call.json["headers"]?.objectValue ?? [] { headers[member.key] = member.value.stringValue }
        let key = headers["Idempotency-Key"].map { IdempotencyKey(rawValue: $0) }
        let request = StripeRequest(
            method: call["method"] == "POST" ? .post : .get, path: call["path"], fields: fields, key: key)
        let (wire, body) = request.wire(
            scheme: "https", authority: "api.stripe.com", secretKey: Secret("sk_test_peer"))
        #expect(wire.method.rawValue == call["method"])
        #expect(wire.path == call["path"] + (call["query"].isEmpty ? "" : "?" + call["query"]))
        #expect(String(decoding: body, as: UTF8.self) == call["body"])
        var ours: [String: String] = [:]
        for field in wire.headerFields { ours[field.name.rawName] = field.value }
        for name in ["User-Agent", "Accept-Encoding", "Connection"] {
            headers[name] = nil
            ours[name] = nil
        }
        #expect(ours == headers)
    }

    @Test("the provider's own calls, in order, with their keys")
    func sequence() async throws {
        let transport = ScriptedTransport([
            .json(200, Fixture.intent("requires_payment_method")), .json(200, Fixture.method),
            .json(200, Fixture.intent("requires_confirmation")),
            .json(200, Fixture.intent("requires_capture", #","amount_capturable":1250"#)),
            .json(200, Fixture.intent("succeeded", #","amount_received":1250"#)),
            .json(200, #"{"id":"re_1","amount":500,"currency":"eur","status":"succeeded","payment_intent":"pi_1"}"#),
        ])
        let provider = try Fixture.provider(transport)
        #expect(
            await provider.prepare(Fixture.authorization(nil)) == .approved(Confirmation(reference: Fixture.reference)))
        let expected = Authorization(
            reference: Fixture.reference, amount: Fixture.amount,
            card: CardSummary(brand: "visa", lastFour: "4242", entryMode: "keyed"))
        #expect(await provider.authorize(Fixture.authorization(), with: try Fixture.card()) == .approved(expected))
        #expect(await provider.capture(Fixture.capture()) == .approved(Confirmation(reference: Fixture.reference)))
        let refund = ProviderReference(rawValue: "re_1")
        #expect(await provider.refund(Fixture.refund()) == .approved(Confirmation(reference: refund)))
        let calls = transport.calls
        #expect(
            calls.map(\.line) == [
                "POST /v1/payment_intents", "POST /v1/payment_methods", "POST /v1/payment_intents/pi_1",
                "POST /v1/payment_intents/pi_1/confirm", "POST /v1/payment_intents/pi_1/capture", "POST /v1/refunds",
            ])
        #expect(
            calls.map(\.key) == [
                "k-prepare", "k-authorize-method", "k-authorize-attach", "k-authorize", "k-capture", "k-refund",
            ])
        let metadata = "metadata[till_account]=main&metadata[till_order]=o-1&metadata[till_payment]=pay_1"
        #expect(
            calls.map(\.body) == [
                "amount=1250&currency=eur&capture_method=manual&payment_method_types[0]=card&\(metadata)"
                    + "&metadata[till_attempt]=pay_1-a1",
                "type=card&card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2034&card[cvc]=987",
                "payment_method=pm_1", "expand[0]=latest_charge", "amount_to_capture=1250",
                "payment_intent=pi_1&amount=500&metadata[till_refund]=pay_1-r1&metadata[till_payment]=pay_1"
                    + "&metadata[till_account]=main",
            ])
    }
    @Test("a confirmation names the address to which the bank sends the attempt's customer back")
    func returnAddress() async throws {
        let transport = ScriptedTransport([
            .json(200, Fixture.method), .json(200, Fixture.intent("requires_confirmation")),
            .json(200, Fixture.intent("requires_capture", #","amount_capturable":1250"#)),
        ])
        var provider = try Fixture.provider(transport)
        provider.returnURL = { "https://shop.example/back/\($0)/success?state=S" }
        _ = await provider.authorize(Fixture.authorization(), with: try Fixture.card())
        #expect(
            transport.calls.last?.body
                == "expand[0]=latest_charge&return_url=https%3A%2F%2Fshop.example%2Fback%2Fpay_1-a1%2Fsuccess%3Fstate%3DS"
        )
    }
}
