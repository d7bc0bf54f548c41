import Foundation
import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillSandbox
import TillTestSupport

@testable import TillStandInStripe

@Suite struct StripeServerTests {
    let clock = ManualClock(waits: .moveTime())

    private func stripe() -> SandboxStripe {
        SandboxStripe(
            ledger: SandboxLedger(store: SandboxMemoryStore(), clock: clock, rules: SandboxRules(prefix: "pi_")),
            faults: SandboxFaults())
    }

    private func call(
        _ stripe: SandboxStripe, _ method: String, _ path: String, _ form: String = "", key: String? = nil
    ) async throws -> (answer: StripeAnswer, json: JSONValue) {
        let answer = try await stripe.answer(
            SandboxStripe.Request(
                method: method, path: path.split(separator: "/").map(String.init), form: StripeForm(form), key: key,
                authorization: "Bearer sk_test_x"))
        return (answer, try JSONValue(parsing: Array(answer.body.utf8)))
    }

    private let create = "amount=1250&currency=eur&capture_method=manual&metadata%5Btill_order%5D=o-1"

    @Test func theSameKeyGetsTheSameBytesAndOtherFieldsAnError() async throws {
        let stripe = stripe()
        let (first, json) = try await call(stripe, "POST", "/v1/payment_intents", create, key: "k")
        let id = try #require(json["id"]?.stringValue)
        #expect(id.hasPrefix("pi_"))
        let confirmed = try await call(
            stripe, "POST", "/v1/payment_intents/\(id)/confirm", "payment_method=pm_card_visa", key: "k2")
        #expect(confirmed.json["status"]?.stringValue == "requires_capture")
        let again = try await call(stripe, "POST", "/v1/payment_intents", create, key: "k").answer
        #expect(again.isReplay)
        #expect(again.body == first.body)
        let other = try await call(
            stripe, "POST", "/v1/payment_intents", create.replacing("1250", with: "1251"), key: "k")
        #expect(other.answer.status == 400)
        #expect(other.json["error"]?["type"]?.stringValue == "idempotency_error")
        #expect(try await stripe.ledger.charges().count == 1)
    }

    @Test func amountsAreStripesOnTheWireAndMinorUnitsInTheBooks() async throws {
        let stripe = stripe()
        let (_, json) = try await call(
            stripe, "POST", "/v1/payment_intents",
            "amount=1000&currency=isk&capture_method=manual&confirm=true&payment_method=pm_card_visa")
        #expect(json["amount_capturable"]?.int64Value == 1000)
        #expect(try await stripe.ledger.charges().first?.authorized == 10)
    }

    @Test func aCardsNumberIsNowhereInTheBooksOrAnswers() async throws {
        let stripe = stripe()
        let number = "4000000000009995"
        let card = "card[number]=\(number)&card[exp_month]=12&card[exp_year]=2030&card[cvc]=737"
        let (made, method) = try await call(stripe, "POST", "/v1/payment_methods", "type=card&" + card, key: "m")
        let (_, intent) = try await call(stripe, "POST", "/v1/payment_intents", create)
        let data =
            "payment_method_data[type]=card&"
            + card.split(separator: "&").map { "payment_method_data[card][" + $0.dropFirst(5) }.joined(separator: "&")
        let declined = try await call(
            stripe, "POST", "/v1/payment_intents/\(intent["id"]?.stringValue ?? "")/confirm", data, key: "c")
        #expect(declined.answer.status == 402)
        #expect(declined.json["error"]?["decline_code"]?.stringValue == "insufficient_funds")
        #expect(method["id"]?.stringValue?.hasPrefix("pm_") == true)
        let books = String(decoding: try JSONEncoder().encode(try await stripe.ledger.charges()), as: UTF8.self)
        for text in [books, made.body, declined.answer.body] {
            #expect(!text.contains(number) && !text.contains("=737") && !text.contains("\"737"))
        }
    }

    @Test func liveKeysAndUnknownThingsAreRefused() async throws {
        let stripe = stripe()
        let live = try await stripe.answer(
            SandboxStripe.Request(
                method: "GET", path: ["v1", "payment_intents"], form: StripeForm(""), key: nil,
                authorization: "Bearer sk_live_x"))
        #expect(live.status == 401)
        #expect(try await call(stripe, "GET", "/v1/payment_intents/pi_x").answer.status == 404)
        #expect(try await call(stripe, "GET", "/v1/refunds/re_").answer.status == 404)
        #expect(try await call(stripe, "DELETE", "/v1/customers").answer.status == 404)
        #expect(try await call(stripe, "POST", "/v1/payment_intents", "amount=%&currency=%E2").answer.status == 400)
        let (_, intent) = try await call(
            stripe, "POST", "/v1/payment_intents", create + "&confirm=true&payment_method=pm_card_visa")
        let id = intent["id"]?.stringValue ?? ""
        for amount in ["-1", "0", "1251", "9223372036854775807", "x"] {
            let path = "/v1/payment_intents/\(id)/capture"
            #expect(try await call(stripe, "POST", path, "amount_to_capture=\(amount)").answer.status == 400)
        }
    }

    @Test func webhooksAreSignedAndDeliveredAsOftenAsAsked() async throws {
        let wire = RecordedWire()
        let webhook = SandboxWebhook(
            url: "http://127.0.0.1:9/hook", secret: Secret("whsec_x"), transport: wire, copies: 2)
        await webhook.deliver(
            StripeEvent(
                id: "evt_1", type: "payment_intent.succeeded", object: .fields(["id": .string("pi_1")]),
                createdAt: clock.now()),
            clock: clock)
        let sent = wire.sent.withLock { $0 }
        #expect(sent.count == 2)
        #expect(Set(sent).count == 1)
        #expect(sent.first?.contains("t=\(clock.now().milliseconds / 1000),v1=") == true)
    }

    static let python = "\(FileManager.default.currentDirectoryPath)/.build/peers/bin/python"
    static var hasPeers: Bool { FileManager.default.isExecutableFile(atPath: python) }

    @Test(
        .enabled(if: hasPeers, "Stripe's Python library is not installed: run Tests/Peers/setup"),
        .timeLimit(.minutes(30)))
    func stripesOwnLibraryIsServed() async throws {
        let server = SandboxStripeServer(store: SandboxMemoryStore(), stall: .milliseconds(10))
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let serving = Task { try await server.run(port: 0) { found.yield($0) } }
        defer { serving.cancel() }
        var port = 0
        for await ready in ports {
            port = ready
            break
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("stripe_library.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = [script.path, String(port)]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(status == 0, "\(text)")
        let charges = try await server.ledger.charges()
        #expect(charges.first?.captured == 1000)
        #expect(charges.first?.refunded == 500)
    }
}

private final class RecordedWire: HTTPTransport {
    let sent = Mutex<[String]>([])

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let signature = HTTPField.Name("Stripe-Signature").flatMap { request.headerFields[$0] } ?? ""
        sent.withLock { $0.append("\(request.path ?? "") \(signature) \(String(decoding: body, as: UTF8.self))") }
        return HTTPReply(response: HTTPResponse(status: .ok), body: [])
    }
}
