import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("Keys over HTTP")
struct KeyRouteTests {
    private func post(
        _ counter: RoutedCounter, _ path: String, _ body: String, key: String = "k", as bearer: String = "key"
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
        let response = try await counter.ask(
            "POST", path, headers: ["Authorization": "Bearer \(bearer)", "Idempotency-Key": key], body)
        return (response.status, try await RoutedCounter.document(response))
    }

    @Test("A key is in the answer that made it alone, lets in, and is revoked once")
    func life() async throws {
        let counter = try await RoutedCounter()
        let body = #"{"label":"Web shop","scopes":["read","sell"],"valid_days":90}"#
        let made = try await post(counter, "/v1/keys", body)
        #expect(made.status == .created && made.document["state"]?.stringValue == "in_force")
        let text = try #require(made.document["key"]?.stringValue)
        let id = try #require(made.document["id"]?.stringValue)
        #expect(text.wholeMatch(of: /till_[0-9a-f]{64}/) != nil)
        let used = try await counter.ask("GET", "/v1/payments", headers: ["Authorization": "Bearer \(text)"])
        #expect(used.status == .ok)
        let again = try await post(counter, "/v1/keys", body)
        #expect(again.status == .conflict && again.document["code"]?.stringValue == "key_made_before")
        let listed = try await RoutedCounter.text(try await counter.ask("GET", "/v1/keys"))
        #expect(listed.contains(id) && !listed.contains("till_"))
        let foreign = try await post(counter, "/v1/keys/\(id)/revoke", "", as: "other")
        #expect(foreign.status == .notFound && foreign.document["code"]?.stringValue == "key_not_found")
        let revoked = try await post(counter, "/v1/keys/\(id)/revoke", "")
        #expect(revoked.status == .ok && revoked.document["state"]?.stringValue == "revoked")
        #expect(revoked.document["key"] == nil)
        let twice = try await post(counter, "/v1/keys/\(id)/revoke", "")
        #expect(twice.status == .conflict && twice.document["code"]?.stringValue == "key_revoked_before")
        await counter.close()
    }

    @Test("A key makes none that may do more than it, nor one that outlives it")
    func bounds() async throws {
        let counter = try await RoutedCounter()
        let keys = APIKeys(counter.journal, clock: SystemClock())
        // As long as a label may be.
        let made = try await keys.create(
            account: .main, label: String(repeating: "a", count: APIKeys.maximumLabelBytes), scopes: [.read, .admin],
            life: .days(2))
        let bearer = made.key.reveal()
        for (number, body) in [
            #"{"label":"x","scopes":["refund"],"valid_days":1}"#, #"{"label":"x","scopes":["read"]}"#,
            #"{"label":"x","scopes":["read"],"valid_days":3}"#,
            #"{"label":"x","scopes":["read"],"valid_minutes":60,"renewable_days":3}"#,
        ].enumerated() {
            let refused = try await post(counter, "/v1/keys", body, key: "k-\(number)", as: bearer)
            #expect(refused.status == .forbidden, "\(body)")
            #expect(refused.document["code"]?.stringValue == "key_exceeds_yours")
        }
        #expect(try await keys.all().count == 1)
        let least = #"{"label":"x","scopes":["read"],"valid_days":1}"#
        let taken = try await post(counter, "/v1/keys", least, key: "k", as: bearer)
        #expect(taken.status == .created, "\(taken.document)")
        #expect(taken.document["created_by"]?.stringValue == "key \(made.record.id.rawValue)")
        await counter.close()
    }

    @Test("A device renews its own session, with nothing but its own key, and is out once the session is revoked")
    func session() async throws {
        let counter = try await RoutedCounter()
        let body = #"{"label":"iPad 3","scopes":["read","sell"],"valid_minutes":60,"renewable_days":7}"#
        let made = try await post(counter, "/v1/keys", body)
        #expect(made.status == .created && made.document["renewable_until"]?.stringValue != nil)
        let text = try #require(made.document["key"]?.stringValue)
        let id = try #require(made.document["id"]?.stringValue)
        let renewed = try await post(counter, "/v1/keys/renew", "", as: text)
        #expect(renewed.status == .ok && renewed.document["id"]?.stringValue == id)
        #expect(renewed.document["key"] == nil && renewed.document["current"]?.boolValue == true)
        let left = try #require(renewed.document["expires_in"]?.int64Value)
        #expect((3_500...3_600).contains(left))
        // A key of the settings, and one that a person made for a program.
        let plain = try await post(counter, "/v1/keys", #"{"label":"x","scopes":["read"]}"#, key: "k-2")
        for other in ["key", try #require(plain.document["key"]?.stringValue)] {
            let refused = try await post(counter, "/v1/keys/renew", "", as: other)
            #expect(refused.status == .conflict && refused.document["code"]?.stringValue == "key_not_renewable")
        }
        #expect(plain.document["renewable_until"]?.isNull == true && plain.document["expires_in"]?.isNull == true)
        #expect(try await post(counter, "/v1/keys/\(id)/revoke", "").status == .ok)
        // Refused at once, also within the second for which a process may still know the key.
        let lost = try await post(counter, "/v1/keys/renew", "", as: text)
        #expect(lost.status == .unauthorized || lost.status == .conflict)
        #expect(lost.document["code"]?.stringValue?.hasPrefix("key_revoked") == true)
        await counter.close()
    }

    @Test("What is no label, no scope and no time is refused")
    func refused() async throws {
        let counter = try await RoutedCounter()
        for body in [
            #"{"scopes":["read"]}"#, #"{"label":" ","scopes":["read"]}"#, #"{"label":"x"}"#,
            #"{"label":"x","scopes":[]}"#, #"{"label":"x","scopes":["all"]}"#,
            #"{"label":"x","scopes":["read"],"valid_days":0}"#, #"{"label":"x","scopes":["read"],"valid_days":3651}"#,
            #"{"label":"x","scopes":["read"],"account":"other"}"#,
            #"{"label":"x","scopes":["read"],"valid_minutes":60}"#,
            #"{"label":"x","scopes":["read"],"renewable_days":7}"#,
            #"{"label":"x","scopes":["read"],"valid_minutes":14,"renewable_days":7}"#,
            #"{"label":"x","scopes":["read"],"valid_minutes":10080,"renewable_days":6}"#,
            #"{"label":"x","scopes":["sell"],"valid_minutes":60,"renewable_days":7}"#,
            #"{"label":"x","scopes":["read"],"valid_minutes":60,"renewable_days":7,"valid_days":7}"#,
        ] {
            #expect(try await post(counter, "/v1/keys", body).status == .unprocessableContent, "\(body)")
        }
        #expect(try await APIKeys(counter.journal, clock: SystemClock()).all().isEmpty)
        await counter.close()
    }
}
