import HTTPTypes
import Hummingbird
import Testing
import TillAdyen
import TillCore
@testable import TillFeatureCardFields
import TillJournal
import TillTestSupport

/// An app that reports the end of Adyen's session. Each report costs the counter a call to Adyen.
@Suite("The results of an app's session are asked for at Adyen within its tries")
struct AppSessionResultTests {
    private struct Sale {
        let counter: RoutedCounter
        let adyen: ScriptedTransport
        let session: String

        func ask(
            _ path: String, key: String? = nil, _ body: String
        ) async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            var headers = ["X-Till-Session": session]
            if let key { headers["Idempotency-Key"] = key }
            let response = try await counter.ask(
                "POST", path, isStranger: true, headers: headers, ofThePublic: true, body)
            return (response.status, try await RoutedCounter.document(response))
        }

        func report() async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            try await ask("/app/session_result", #"{"session_result":"X3XtfGC9!"}"#)
        }

        func tries() async throws -> Int? {
            try await PaymentSessions(counter.journal, clock: SystemClock()).session(of: session)?.tries
        }
    }

    /// Returns a sale whose app was handed a session of Adyen's.
    /// - Parameter status: What Adyen says of the session, however often it is asked.
    private func sale(_ status: String) async throws -> Sale {
        let opened = ScriptedTransport.Step.json(201, #"{"id":"CS1","sessionData":"x"}"#)
        let stands = ScriptedTransport.Step.json(200, #"{"id":"CS1","status":"\#(status)"}"#)
        let adyen = ScriptedTransport([opened] + Array(repeating: stands, count: 2 * PaymentSession.maximumTries))
        let config = try AdyenConfig(
            merchantAccount: "TillTest", apiKey: Secret("key"),
            webhookKeys: [Secret(String(repeating: "0f", count: 32))])
        let counter = try await RoutedCounter(providers: [
            AdyenProvider(config: config, transport: adyen, book: AdyenNotificationLog())
        ])
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "create"],
            #"{"order_id":"o-1","amount":1250,"currency":"EUR"}"#)
        let payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
        let answer = try await counter.ask("POST", "/v1/payments/\(payment)/app_session", "{}")
        let session = try #require(try await RoutedCounter.document(answer)["session"]?.stringValue)
        let sale = Sale(counter: counter, adyen: adyen, session: session)
        let handed = try await sale.ask("/app/pay", key: "k-1", #"{"tender":{"type":"adyen_session"}}"#)
        #expect(handed.json["status"]?.stringValue == "action")
        #expect(handed.json["adyen_session"]?["id"]?.stringValue == "CS1")
        #expect(adyen.calls.count == 1)
        return sale
    }

    @Test("beyond a session's tries Adyen is not asked, and its webhook pays alone")
    func usedUp() async throws {
        let sale = try await sale("active")
        for _ in 0..<(PaymentSession.maximumTries + 2) {
            let answer = try await sale.report()
            // Nothing is refused: the customer may still pay, and hears how it stands.
            #expect(answer.status == .ok && answer.json["status"]?.stringValue == "action")
        }
        // The session itself is the first of its tries.
        #expect(sale.adyen.calls.count == PaymentSession.maximumTries)
        #expect(try await sale.tries() == PaymentSession.maximumTries)
        await sale.counter.close()
    }

    @Test("a session that is finished is asked for once: a later result of it is none of the tries")
    func finished() async throws {
        let sale = try await sale("completed")
        for _ in 0..<3 {
            let answer = try await sale.report()
            #expect(answer.status == .ok && answer.json["status"]?.stringValue == "pending")
            #expect(answer.json["money_moved"]?.stringValue == "unknown")
            #expect(answer.json["adyen_session"] == nil)
        }
        #expect(sale.adyen.calls.count == 2)
        #expect(try await sale.tries() == 2)
        await sale.counter.close()
    }
}
