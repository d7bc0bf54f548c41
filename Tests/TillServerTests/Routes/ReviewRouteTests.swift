import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer

/// What waits for a person, over HTTP: who sees it, who closes it, and what is written with it.
@Suite("Routes of what is to be reviewed")
struct ReviewRouteTests {
    private static let owner = Incident.Owner(account: .main, order: OrderID(rawValue: "o-1"))
    private static let statement = """
        Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,\
        Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,\
        Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number
        Co,Shop,PSP1,r-1,visa,2026-11-01 09:00:00,CET,Settled,MOD1,EUR,,12.50,1,EUR,,12.38,,0.04,0.01,0.07,7

        """

    private func keep(
        _ owner: Incident.Owner?, _ charge: String = "ch_1", in counter: RoutedCounter
    ) async throws -> String {
        let incident = Incident(
            listed: .unknownCharge, charge, of: .sandbox, about: PaymentID(rawValue: "pay_9"), for: owner,
            document: Array(#"{"charge":"ch_1"}"#.utf8), at: Timestamp(milliseconds: 0))
        try await IncidentLog(counter.journal).keep(incident)
        return incident.id
    }

    private func resolve(
        _ id: String, _ body: String, key: String = "k", as bearer: String = "key", in counter: RoutedCounter
    ) async throws -> (status: Int, body: JSONValue, headers: HTTPFields) {
        let headers = ["Idempotency-Key": key, "Authorization": "Bearer \(bearer)"]
        let response = try await counter.ask("POST", "/v1/incidents/\(id)/resolve", headers: headers, body)
        return (response.status.code, try await RoutedCounter.document(response), response.headers)
    }

    @Test("an incident is resolved once, and the answer under its key is in the same commit")
    func once() async throws {
        var counter = try await RoutedCounter()
        let id = try await keep(Self.owner, in: counter)
        let body = #"{"evidence":"dashboard","actor":"Ada","outcome":"not_paid"}"#
        let done = try await resolve(id, body, in: counter)
        #expect(done.status == 200 && done.body["state"]?.stringValue == "resolved", "\(done.body)")
        #expect(done.body["resolution"]?["actor"]?.stringValue == "Ada")
        let hold = OrderHold.id(account: .main, order: Self.owner.order)
        #expect(try await counter.journal.record(hold) == nil)
        counter.forget()
        let again = try await resolve(id, body, in: counter)
        #expect(again.status == 200 && again.body == done.body)
        #expect(again.headers[.idempotentReplayed] == "true")
        let other = try await resolve(
            id, #"{"evidence":"no","actor":"Grace","outcome":"paid"}"#, key: "k2", in: counter)
        #expect(other.status == 409 && other.body["code"]?.stringValue == "incident_resolved")
        #expect(other.body["detail"]?.stringValue?.contains("by Ada") == true)
        #expect(try await counter.journal.record(hold) == nil, "the first word holds")
        await counter.close()
    }

    @Test("what is missing or wrong is named and nothing is written")
    func refused() async throws {
        let counter = try await RoutedCounter()
        let id = try await keep(nil, in: counter)
        for (index, (body, code)) in [
            (#"{"evidence":"seen","actor":"Ada"}"#, "outcome_missing"),
            (#"{"evidence":"seen","actor":"Ada","outcome":"paid"}"#, "order_missing"),
            (#"{"evidence":" ","actor":"Ada","outcome":"not_paid"}"#, "invalid_evidence"),
            (#"{"evidence":"seen","outcome":"not_paid"}"#, "invalid_evidence"),
            (#"{"evidence":"seen","actor":"Ada","outcome":"perhaps"}"#, "invalid_request"),
            (#"{"evidence":"seen","actor":"Ada","order_id":"o-2"}"#, "invalid_request"),
            (#"{"evidence":"seen","actor":"Ada","outcome":"paid","order_id":"a b"}"#, "invalid_request"),
            (#"{"evidence":"seen","actor":"Ada","outcome":"not_paid","note":"x"}"#, "invalid_request"),
        ].enumerated() {
            let answer = try await resolve(id, body, key: "k\(index)", in: counter)
            #expect(answer.status == 422 && answer.body["code"]?.stringValue == code, "\(body): \(answer.body)")
            #expect(answer.body["money_moved"]?.stringValue == "no")
        }
        #expect(try await Records<Incident>(counter.journal).document(id)?.isOpen == true)
        let paid = #"{"evidence":"seen","actor":"Ada","outcome":"paid","order_id":"o-2"}"#
        #expect(try await resolve(id, paid, key: "paid", in: counter).status == 200)
        let hold = OrderHold.id(account: .main, order: OrderID(rawValue: "o-2"))
        #expect(try await counter.journal.record(hold) != nil)
        await counter.close()
    }

    @Test("an incident of another shop is not seen and not resolved")
    func others() async throws {
        let counter = try await RoutedCounter()
        let id = try await keep(Self.owner, in: counter)
        let seen = try await counter.ask(
            "GET", "/v1/incidents/\(id)", headers: ["Authorization": "Bearer other"])
        #expect(seen.status == .notFound)
        let body = #"{"evidence":"x","actor":"y","outcome":"paid"}"#
        #expect(try await resolve(id, body, as: "other", in: counter).status == 404)
        let nobodys = try await keep(nil, "ch_2", in: counter)
        #expect(try await resolve(nobodys, body, key: "n", as: "other", in: counter).status == 404)
        #expect(try await Records<Incident>(counter.journal).document(id)?.isOpen == true)
        let own = try await counter.ask("GET", "/v1/incidents/\(id)")
        #expect(try await RoutedCounter.document(own)["document"]?.stringValue == #"{"charge":"ch_1"}"#)
        #expect(try await counter.ask("GET", "/v1/incidents/inc_none").status == .notFound)
        await counter.close()
    }

    @Test("a statement is imported by the shop alone, and once")
    func statement() async throws {
        let counter = try await RoutedCounter()
        let path = "/v1/reconciliation/statements?provider=adyen"
        let refused = try await counter.ask("POST", path, headers: ["Authorization": "Bearer other"], Self.statement)
        #expect(refused.status == .forbidden)
        #expect(
            try await RoutedCounter.document(refused)["code"]?.stringValue == "not_the_shops_account")
        #expect(try await counter.journal.count(Incident.collection, matching: nil) == 0)
        let first = try await counter.ask("POST", path, Self.statement)
        let found = try await RoutedCounter.document(first)
        #expect(first.status == .ok && found["imported"]?.int64Value == 1, "\(found)")
        #expect(found["unknown"]?.int64Value == 1 && found["open"]?.int64Value == 1)
        let again = try await RoutedCounter.document(try await counter.ask("POST", path, Self.statement))
        #expect(again["imported"]?.int64Value == 0 && again["known"]?.int64Value == 1)
        // A break of nobody's payment is the shop's own to see.
        for (bearer, open) in [("key", Int64(1)), ("other", 0)] {
            let listed = try await counter.ask(
                "GET", "/v1/reconciliation", headers: ["Authorization": "Bearer \(bearer)"])
            #expect(try await RoutedCounter.document(listed)["open"]?.int64Value == open, "\(bearer)")
        }
        await counter.close()
    }

    @Test("what cannot be read names its line, and nothing of it is imported")
    func unreadable() async throws {
        let counter = try await RoutedCounter()
        let text = Self.statement.replacing("12.38", with: "1x")
        let response = try await counter.ask("POST", "/v1/reconciliation/statements", text)
        let problem = try await RoutedCounter.document(response)
        #expect(response.status == .unprocessableContent, "\(problem)")
        #expect(problem["code"]?.stringValue == "statement_unreadable")
        #expect(problem["detail"]?.stringValue?.contains("line 2") == true, "\(problem)")
        #expect(problem["money_moved"]?.stringValue == "no")
        #expect(try await counter.journal.count(Incident.collection, matching: nil) == 0)
        await counter.close()
    }

    @Test("an order as PayPal writes it is created like a WooCommerce order")
    func payPalOrder() async throws {
        let counter = try await RoutedCounter()
        let order = """
            {"order":{"intent":"CAPTURE","purchase_units":[{"invoice_id":"INV-77","amount":{"currency_code":"USD",\
            "value":"12.00","breakdown":{"item_total":{"currency_code":"USD","value":"10.00"},\
            "tax_total":{"currency_code":"USD","value":"2.00"}}},"items":[{"name":"Tea","quantity":"2",\
            "unit_amount":{"currency_code":"USD","value":"5.00"},"tax":{"currency_code":"USD","value":"1.00"}}]}]}}
            """
        let response = try await counter.ask("POST", "/v1/payments", headers: ["Idempotency-Key": "a"], order)
        let made = try await RoutedCounter.document(response)
        #expect(response.status == .created, "\(made)")
        #expect(made["amount"]?.int64Value == 1200 && made["order_id"]?.stringValue == "INV-77", "\(made)")
        let wrong = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "b"],
            order.replacing(#""value":"12.00""#, with: #""value":"12.01""#))
        #expect(wrong.status == .unprocessableContent)
        await counter.close()
    }

    @Test("who charges a settled order says so by name, and the key is kept beside it")
    func accepted() async throws {
        let counter = try await RoutedCounter()
        let order = """
            "order":{"id":1,"status":"processing","date_paid":"2019-06-06T17:17:58","currency":"EUR","total":"1.00",\
            "line_items":[{"name":"Tea","quantity":1,"total":"1.00","total_tax":"0.00"}]}
            """
        func create(_ more: String, key: String) async throws -> (HTTPResponse.Status, JSONValue) {
            let response = try await counter.ask(
                "POST", "/v1/payments", headers: ["Idempotency-Key": key], "{\(order)\(more)}")
            return (response.status, try await RoutedCounter.document(response))
        }
        #expect(try await create(#","accepted_by":"Ada""#, key: "a").0 == .unprocessableContent)
        #expect(
            try await create(#","accept_paid_order":true,"accepted_by":" ""#, key: "b").0 == .unprocessableContent)
        let (status, made) = try await create(#","accept_paid_order":true,"accepted_by":"Ada""#, key: "c")
        #expect(status == .created, "\(made)")
        let by = made["accepted_paid_order"]?["by"]?.stringValue
        #expect(by?.hasPrefix("Ada, key ") == true, "\(by ?? "-")")
        await counter.close()
    }
}
