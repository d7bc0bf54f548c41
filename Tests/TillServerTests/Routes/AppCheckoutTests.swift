import Foundation
import HTTPTypes
import Hummingbird
import Testing
import TillCore
import TillCounter
@testable import TillFeatureCardFields
import TillJournal
import TillTestSupport

@testable import TillWeb

/// The routes of the shop's app, without a socket, over the sandbox.
@Suite("An app that pays without a key")
struct AppCheckoutTests {
    private struct Sale {
        let counter: RoutedCounter
        let payment: String
        let session: String

        /// Asks as the app: with the session's text and no key.
        func ask(
            _ method: String, _ path: String, session: String? = nil, key: String? = nil, _ body: String = ""
        ) async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            var headers = ["X-Till-Session": session ?? self.session]
            if let key { headers["Idempotency-Key"] = key }
            let response = try await counter.ask(
                method, path, isStranger: true, headers: headers, ofThePublic: true, body)
            return (response.status, try await RoutedCounter.document(response))
        }

        func pay(
            _ token: String, _ key: String, session: String? = nil
        ) async throws -> (status: HTTPResponse.Status, json: JSONValue) {
            try await ask(
                "POST", "/app/pay", session: session, key: key, #"{"tender":{"type":"token","token":"\#(token)"}}"#)
        }

        /// The payment as the shop sees it: its status, the amount captured, and the number of attempts.
        func shop() async throws -> (status: String?, captured: Int64?, attempts: Int?) {
            let found = try await RoutedCounter.document(try await counter.ask("GET", "/v1/payments/\(payment)"))
            return (
                found["status"]?.stringValue, found["captured"]?.int64Value, found["attempts"]?.arrayValue?.count
            )
        }
    }

    private func create(
        _ counter: RoutedCounter, _ order: String, capture: String = "automatic"
    ) async throws -> String {
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "create-\(order)"],
            #"{"order_id":"\#(order)","amount":1250,"currency":"EUR","capture":"\#(capture)"}"#)
        return try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
    }

    private func opened(_ counter: RoutedCounter, _ payment: String) async throws -> String {
        let answer = try await counter.ask("POST", "/v1/payments/\(payment)/app_session", "{}")
        #expect(answer.status == .created)
        let json = try await RoutedCounter.document(answer)
        #expect(json["payment_id"]?.stringValue == payment && json["expires_at"]?.stringValue != nil)
        #expect(json["amount"]?.int64Value == 1250 && json["currency"]?.stringValue == "EUR")
        return try #require(json["session"]?.stringValue)
    }

    private func sale(capture: String = "automatic") async throws -> Sale {
        let counter = try await RoutedCounter()
        let payment = try await create(counter, "o-1", capture: capture)
        return Sale(counter: counter, payment: payment, session: try await opened(counter, payment))
    }

    @Test("a press that comes again pays once, also in a process that remembers nothing")
    func once() async throws {
        var sale = try await sale()
        let before = try await sale.ask("GET", "/app/payment")
        #expect(before.json["status"]?.stringValue == "open" && before.json["money_moved"]?.stringValue == "no")
        #expect(before.json["payment_id"]?.stringValue == sale.payment)
        for isNew in [false, false, true] {
            if isNew {
                var counter = sale.counter
                counter.forget()
                sale = Sale(counter: counter, payment: sale.payment, session: sale.session)
            }
            let paid = try await sale.pay("pm_card_visa", "k-1")
            #expect(paid.status == .ok && paid.json["status"]?.stringValue == "paid")
            #expect(paid.json["money_moved"]?.stringValue == "yes")
        }
        // Another press finds it paid.
        let other = try await sale.pay("pm_card_mastercard", "k-2")
        #expect(other.json["status"]?.stringValue == "paid" && other.json["begun"]?.boolValue == false)
        #expect(try await sale.shop() == ("succeeded", 1250, 1))
        let late = try await sale.counter.ask("POST", "/v1/payments/\(sale.payment)/app_session", "{}")
        #expect(late.status == .conflict)
        #expect(try await RoutedCounter.document(late)["money_moved"]?.stringValue == "yes")
        await sale.counter.close()
    }

    @Test("a decline is the answer to its own press, and another token pays")
    func declines() async throws {
        let sale = try await sale()
        let first = try await sale.pay("pm_card_chargeDeclinedInsufficientFunds", "k-1")
        #expect(first.json["status"]?.stringValue == "declined" && first.json["begun"]?.boolValue == true)
        let second = try await sale.pay("pm_card_chargeDeclinedExpiredCard", "k-2")
        #expect(second.json["status"]?.stringValue == "declined")
        #expect(first.json["message"] != second.json["message"])
        // The first press again, after another decline: its own reason, and no third attempt.
        let again = try await sale.pay("pm_card_chargeDeclinedInsufficientFunds", "k-1")
        #expect(again.json["message"] == first.json["message"])
        let mixed = try await sale.pay("pm_card_visa", "k-1")
        #expect(mixed.json["code"]?.stringValue == "idempotency_mismatch")
        #expect(try await sale.shop() == ("declined", 0, 2))
        let paid = try await sale.pay("pm_card_visa", "k-3")
        #expect(paid.json["status"]?.stringValue == "paid")
        // What a declined press hears afterwards is that the order is paid.
        let late = try await sale.pay("pm_card_chargeDeclinedInsufficientFunds", "k-1")
        #expect(late.json["status"]?.stringValue == "paid")
        #expect(try await sale.shop() == ("succeeded", 1250, 3))
        await sale.counter.close()
    }

    @Test("a bank that asks is open, and nothing says that nothing was charged")
    func challenged() async throws {
        let sale = try await sale()
        let asked = try await sale.pay("pm_card_authenticationRequired", "k-1")
        #expect(asked.json["status"]?.stringValue == "action" && asked.json["money_moved"]?.stringValue == "unknown")
        // Another token waits for the end of the first.
        let other = try await sale.pay("pm_card_visa", "k-2")
        #expect(other.json["status"]?.stringValue == "action" && other.json["begun"]?.boolValue == false)
        let stored = try await PaymentSessions(sale.counter.journal, clock: SystemClock()).session(of: sale.session)
        #expect(stored?.tries == 1, "what was not tried is not counted")
        let canceled = try await sale.ask("POST", "/app/cancel", "{}")
        #expect(canceled.json["status"]?.stringValue == "action")
        let receipt = try await sale.ask("GET", "/app/receipt")
        #expect(receipt.status == .conflict && receipt.json["money_moved"]?.stringValue == "unknown")
        #expect(try await sale.shop() == ("requires_action", 0, 1))
        await sale.counter.close()
    }

    @Test("the result of a session that the payment does not await changes nothing, and is none of its tries")
    func sessionResult() async throws {
        let sale = try await sale()
        let answer = try await sale.ask("POST", "/app/session_result", #"{"session_result":"X3XtfGC9!"}"#)
        #expect(answer.json["status"]?.stringValue == "open" && answer.json["adyen_session"] == nil)
        let stored = try await PaymentSessions(sale.counter.journal, clock: SystemClock()).session(of: sale.session)
        #expect(stored?.tries == 0)
        for wrong in ["{}", #"{"session_result":"a b"}"#, #"{"session_result":"x","status":"completed"}"#] {
            let refused = try await sale.ask("POST", "/app/session_result", wrong)
            #expect(refused.json["code"]?.stringValue != nil && refused.json["status"]?.stringValue == nil)
        }
        // The sandbox has no such sessions.
        let tender = #"{"tender":{"type":"adyen_session"}}"#
        let unsupported = try await sale.ask("POST", "/app/pay", key: "k-1", tender)
        #expect(unsupported.json["code"]?.stringValue == "unsupported")
        #expect(try await sale.shop() == ("requires_payment_method", 0, 0))
        await sale.counter.close()
    }

    @Test("only its own session pays a payment: none that is wrong, of a page, or over")
    func sessions() async throws {
        let sale = try await sale()
        let other = try await create(sale.counter, "o-2")
        let made = try await sale.counter.ask(
            "POST", "/v1/payments/\(sale.payment)/card_session", #"{"origin":"https://shop.example"}"#)
        let page = try #require(try await RoutedCounter.document(made)["session"]?.stringValue)
        let last = try #require(sale.session.last)
        let wrong = [
            String(sale.session.dropLast()) + (last == "a" ? "b" : "a"), String(sale.session.prefix(23)), page,
            String(repeating: "x", count: 200), "key",
        ]
        for text in wrong {
            for (method, path) in [
                ("GET", "/app/payment"), ("POST", "/app/pay"), ("POST", "/app/cancel"), ("GET", "/app/receipt"),
                ("GET", "/app/card_fields"), ("POST", "/app/session_result"),
            ] {
                let body = method == "GET" ? "" : #"{"tender":{"type":"token","token":"pm_card_visa"}}"#
                let answer = try await sale.ask(method, path, session: text, key: "k", body)
                #expect(answer.status == .notFound && answer.json["code"]?.stringValue == "app_session_unknown")
                // Whether it was paid is not known to whoever has no session.
                #expect(answer.json["money_moved"]?.stringValue == "unknown")
            }
        }
        // An app's session opens no card fields.
        let typed = try await sale.counter.ask(
            "POST", "/card/pay", isStranger: true,
            #"{"session":"\#(sale.session)","tender":{"type":"card","number":"4242424242424242","expiry":"12/34"}}"#)
        #expect(typed.status == .notFound)
        let frame = try await sale.counter.ask("GET", "/card/frame/\(sale.session.split(separator: "_")[0])")
        #expect(frame.status == .notFound)
        #expect(try await sale.shop() == ("requires_payment_method", 0, 0))
        let paid = try await sale.pay("pm_card_visa", "k-1")
        #expect(paid.json["payment_id"]?.stringValue == sale.payment)
        let untouched = try await RoutedCounter.document(try await sale.counter.ask("GET", "/v1/payments/\(other)"))
        #expect(untouched["attempts"]?.arrayValue?.count == 0)
        await sale.counter.close()
    }

    @Test("a session that is over pays and cancels nothing, and still says how the payment stands")
    func over() async throws {
        let counter = try await RoutedCounter()
        let payment = try await create(counter, "o-1")
        let past = ManualClock(SystemClock().now().adding(.minutes(-31)))
        let (_, text) = try await PaymentSessions(counter.journal, clock: past)
            .open(PaymentID(rawValue: payment), of: .main, at: .app)
        let sale = Sale(counter: counter, payment: payment, session: text.reveal())
        let answer = try await sale.pay("pm_card_visa", "k-1")
        #expect(answer.status == .gone && answer.json["code"]?.stringValue == "app_session_over")
        let canceled = try await sale.ask("POST", "/app/cancel", "{}")
        #expect(canceled.status == .gone && canceled.json["money_moved"]?.stringValue == "no")
        #expect(try await sale.ask("GET", "/app/payment").json["status"]?.stringValue == "open")
        #expect(try await sale.shop() == ("requires_payment_method", 0, 0))
        await counter.close()
    }

    @Test("a session tries ten tokens, and a repeated press is none of them")
    func tries() async throws {
        let sale = try await sale()
        for number in 0..<PaymentSession.maximumTries {
            for _ in 0..<2 {
                let answer = try await sale.pay("pm_card_chargeDeclined", "k-\(number)")
                #expect(answer.json["status"]?.stringValue == "declined")
            }
        }
        let refused = try await sale.pay("pm_card_visa", "k-last")
        #expect(refused.status == .tooManyRequests && refused.json["code"]?.stringValue == "app_session_used_up")
        #expect(try await sale.shop() == ("declined", 0, PaymentSession.maximumTries))
        let another = try await opened(sale.counter, sale.payment)
        let paid = try await sale.pay("pm_card_visa", "k-last", session: another)
        #expect(paid.json["status"]?.stringValue == "paid")
        await sale.counter.close()
    }

    @Test("canceling ends an unpaid payment and leaves a paid one as it is")
    func cancels() async throws {
        let sale = try await sale()
        for _ in 0..<2 {
            let canceled = try await sale.ask("POST", "/app/cancel", "{}")
            #expect(canceled.status == .ok && canceled.json["status"]?.stringValue == "closed")
        }
        let late = try await sale.pay("pm_card_visa", "k-1")
        #expect(late.json["status"]?.stringValue == "closed" && late.json["money_moved"]?.stringValue == "no")
        #expect(try await sale.shop() == ("canceled", 0, 0))
        await sale.counter.close()

        let paid = try await self.sale()
        _ = try await paid.pay("pm_card_visa", "k-1")
        let kept = try await paid.ask("POST", "/app/cancel", "{}")
        #expect(kept.json["status"]?.stringValue == "paid" && kept.json["money_moved"]?.stringValue == "yes")
        #expect(try await paid.shop() == ("succeeded", 1250, 1))
        await paid.counter.close()

        // Held money is the shop's to release.
        let held = try await self.sale(capture: "manual")
        _ = try await held.pay("pm_card_visa", "k-1")
        let stays = try await held.ask("POST", "/app/cancel", "{}")
        #expect(stays.json["status"]?.stringValue == "paid")
        #expect(try await held.shop() == ("requires_capture", 0, 1))
        await held.counter.close()
    }

    @Test("a paid payment has a receipt, as a page")
    func receipt() async throws {
        let sale = try await sale()
        let early = try await sale.ask("GET", "/app/receipt")
        #expect(early.status == .conflict && early.json["code"]?.stringValue == "receipt_not_ready")
        _ = try await sale.pay("pm_card_visa", "k-1")
        let response = try await sale.counter.ask(
            "GET", "/app/receipt", isStranger: true, headers: ["X-Till-Session": sale.session])
        #expect(response.status == .ok)
        #expect(response.headers[.contentType]?.hasPrefix("text/html") == true)
        #expect(response.headers[.contentSecurityPolicy] != nil)
        #expect(try await RoutedCounter.text(response).contains("12.50"))
        await sale.counter.close()
    }

    @Test("neither the text of a session nor a token is written anywhere")
    func secrets() async throws {
        let sale = try await sale()
        _ = try await sale.pay("pm_card_chargeDeclined", "k-1")
        _ = try await sale.pay("pm_card_visa", "k-2")
        let secret = try #require(sale.session.split(separator: "_", maxSplits: 1).last)
        let folder = URL(fileURLWithPath: sale.counter.journal.path).deletingLastPathComponent()
        var read = 0
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            guard let bytes = try? Data(contentsOf: file) else { continue }
            read += 1
            for text in [String(secret), "pm_card_chargeDeclined", "pm_card_visa"] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) is in \(file.lastPathComponent)")
            }
        }
        #expect(read > 0)
        let audit = try await RoutedCounter.text(try await sale.counter.ask("GET", "/v1/audit"))
        #expect(!audit.contains(secret) && !audit.contains(sale.session.prefix(20)))
        await sale.counter.close()
    }

    @Test("only a token is taken, under a key, and only where the provider takes tokens")
    func requests() async throws {
        let sale = try await sale()
        for body in [
            #"{"tender":{"type":"cash"}}"#, #"{"tender":{"type":"reader","reader":"simulated"}}"#,
            #"{"tender":{"type":"card","number":"4242424242424242","expiry":"12/34"}}"#,
            #"{"tender":{"type":"token","token":"pm_card_visa"},"provider":"cash"}"#,
            #"{"tender":{"type":"token","token":"pm card"}}"#, "{}",
        ] {
            let answer = try await sale.ask("POST", "/app/pay", key: "k", body)
            #expect(answer.status == .unprocessableContent, "\(body)")
        }
        let keyless = try await sale.ask(
            "POST", "/app/pay", #"{"tender":{"type":"token","token":"pm_card_visa"}}"#)
        #expect(keyless.json["code"]?.stringValue == "idempotency_key_missing")
        #expect(try await sale.shop() == ("requires_payment_method", 0, 0))
        await sale.counter.close()
    }
}
