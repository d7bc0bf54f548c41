import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureWebhooks
import TillJournal

@Suite("Routes of webhooks")
struct WebhookRouteTests {
    private static let path = "/v1/webhook_endpoints"

    private func ask(
        _ counter: RoutedCounter, _ method: String, _ path: String, key: String = "k", bearer: String = "key",
        _ body: String = ""
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
        let headers = ["Authorization": "Bearer \(bearer)", "Idempotency-Key": key]
        let response = try await counter.ask(method, path, headers: headers, body)
        return (response.status, try await RoutedCounter.document(response))
    }

    @Test("An endpoint's life, from its secret that is shown once to its deletion; each change with its actor")
    func life() async throws {
        let counter = try await RoutedCounter()
        let body = #"{"url":"https://shop.example/till?token=hidden","types":["payment.captured","payment.created"]}"#
        let made = try await ask(counter, "POST", Self.path, body)
        #expect(made.status == .created)
        let id = try #require(made.document["id"]?.stringValue)
        let secret = try #require(made.document["secret"]?.stringValue)
        #expect(WebhookSecret(secret) != nil && made.document["enabled"]?.boolValue == true)
        #expect(
            made.document["types"]?.arrayValue?.compactMap(\.stringValue) == ["payment.created", "payment.captured"])
        let again = try await ask(counter, "POST", Self.path, body)
        #expect(again.status == .conflict && again.document["code"]?.stringValue == "webhook_endpoint_exists")
        #expect(again.document["detail"]?.stringValue?.contains(id) == true)
        let one = "\(Self.path)/\(id)"
        for path in [Self.path, one] {
            let found = try await ask(counter, "GET", path)
            #expect(found.status == .ok)
            let text = String(decoding: found.document.bytes(), as: UTF8.self)
            #expect(text.contains(id) && !text.contains(secret.dropFirst(6)) && !text.contains("sealed"))
        }
        let changed = try await ask(counter, "PATCH", one, #"{"types":["*"],"enabled":false}"#)
        #expect(changed.status == .ok && changed.document["disabled_reason"]?.stringValue == "by_owner")
        let refused = try await ask(counter, "POST", one + "/test")
        #expect(refused.status == .conflict && refused.document["code"]?.stringValue == "webhook_endpoint_disabled")
        #expect(try await ask(counter, "PATCH", one, #"{"enabled":true}"#).document["enabled"]?.boolValue == true)
        let rotated = try await ask(counter, "POST", one + "/rotate")
        #expect(rotated.status == .ok && rotated.document["signing_secrets"]?.int64Value == 2)
        #expect(rotated.document["secret"]?.stringValue.flatMap { WebhookSecret($0) } != nil)
        #expect(rotated.document["secret"]?.stringValue != secret)
        var messages: [String?] = []
        for _ in 0..<3 {
            let test = try await ask(counter, "POST", one + "/test")
            #expect(test.status == .accepted && test.document["type"]?.stringValue == "till.test")
            messages.append(test.document["id"]?.stringValue)
        }
        let page = try await ask(counter, "GET", one + "/deliveries?limit=2").document
        #expect(page["deliveries"]?.arrayValue?.map { $0["id"]?.stringValue } == messages.reversed().dropLast(1))
        let next = try #require(page["next"]?.stringValue)
        let rest = try await ask(counter, "GET", one + "/deliveries?limit=2&before=\(next)").document
        #expect(rest["deliveries"]?.arrayValue?.map { $0["id"]?.stringValue } == [messages[0]])
        #expect(rest["next"]?.isNull == true)
        let message = try #require(messages[0])
        #expect(try await ask(counter, "POST", one + "/deliveries/\(message)/resend").status == .accepted)
        #expect(try await ask(counter, "POST", one + "/deliveries/msg_none/resend").status == .notFound)
        #expect(try await ask(counter, "DELETE", one).status == .noContent)
        #expect(try await ask(counter, "GET", one).status == .notFound)
        let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
            .filter { $0.subject == id }
        #expect(
            notes.map(\.action) == [
                .webhookCreated, .webhookChanged, .webhookChanged, .webhookSecretRotated, .webhookSent, .webhookSent,
                .webhookSent, .webhookSent, .webhookDeleted,
            ])
        #expect(notes.allSatisfy { $0.by.actor.kind == "key" && $0.account == .main })
        // The path of the URL may be a secret.
        let log = notes.flatMap(\.changes).map { "\($0)" }.joined()
        #expect(log.contains("shop.example") && !log.contains("hidden"))
        await counter.close()
    }

    @Test(
        "A request that cannot be meant is refused by its field, in a sentence, and nothing is made",
        arguments: [
            ("{}", "url", "missing"), (#"{"url":"http://shop.example/"}"#, "url", "allow_private"),
            (#"{"url":"https://10.0.0.1/"}"#, "url", "internal"),
            (#"{"url":"https://169.254.169.254/","allow_private":true}"#, "url", "no webhook"),
            (#"{"url":"https://a.example/","types":["payment.paid"]}"#, "types", "payment.captured"),
            (#"{"url":"https://a.example/","types":[]}"#, "types", "list"),
            (#"{"url":"https://a.example/","types":"payment.*"}"#, "types", "list"),
            (#"{"url":"https://a.example/","types":[1]}"#, "types", "text"),
            (#"{"url":"https://a.example/","allow_private":"yes"}"#, "allow_private", "true or false"),
            (#"{"url":"https://a.example/","secret":"x"}"#, "secret", "no such field"), (#"{"url":5}"#, "url", "text"),
        ])
    func refusals(_ body: String, _ field: String, _ words: String) async throws {
        let counter = try await RoutedCounter()
        let answer = try await ask(counter, "POST", Self.path, body)
        #expect(answer.status == .unprocessableContent)
        #expect(answer.document["errors"]?.arrayValue?.first?["field"]?.stringValue == field)
        #expect(answer.document["detail"]?.stringValue?.contains(words) == true, "\(answer.document)")
        #expect(answer.document["money_moved"]?.stringValue == "no")
        #expect(
            try await WebhookEndpoints(
                counter.journal, pepper: Pepper(besideJournal: counter.journal.path), clock: SystemClock(), mode: .test,
                reachesInside: { _ in true }
            ).list(.main).isEmpty)
        await counter.close()
    }

    @Test("Another account has endpoints of its own, sees no others, and does not reach the counter's network")
    func accounts() async throws {
        let counter = try await RoutedCounter()
        let body = #"{"url":"http://127.0.0.1:9/","allow_private":true}"#
        let made = try await ask(counter, "POST", Self.path, body)
        let id = try #require(made.document["id"]?.stringValue)
        let inside = try await ask(counter, "POST", Self.path, bearer: "other", body)
        #expect(inside.document["errors"]?.arrayValue?.first?["field"]?.stringValue == "allow_private")
        let own = try await ask(counter, "POST", Self.path, bearer: "other", #"{"url":"https://a.example/"}"#)
        #expect(own.status == .created && own.document["id"]?.stringValue != id)
        let ownPath = "\(Self.path)/\(own.document["id"]?.stringValue ?? "")"
        let turned = try await ask(counter, "PATCH", ownPath, bearer: "other", #"{"allow_private":true}"#)
        #expect(turned.status == .unprocessableContent)
        let list = try await ask(counter, "GET", Self.path, bearer: "other").document
        #expect(list["webhook_endpoints"]?.arrayValue?.count == 1)
        let one = "\(Self.path)/\(id)"
        for (method, path) in [
            ("GET", one), ("DELETE", one), ("POST", one + "/rotate"), ("POST", one + "/test"),
            ("GET", one + "/deliveries"), ("POST", one + "/deliveries/msg_x/resend"),
        ] {
            let answer = try await ask(counter, method, path, bearer: "other")
            #expect(answer.status == .notFound, "\(method) \(path)")
        }
        #expect(try await ask(counter, "PATCH", one, bearer: "other", #"{"enabled":false}"#).status == .notFound)
        #expect(try await ask(counter, "GET", one).document["enabled"]?.boolValue == true)
        await counter.close()
    }
}
