import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("Roles over HTTP")
struct RoleRouteTests {
    private func ask(
        _ counter: RoutedCounter, _ method: String, _ path: String, _ body: String = "", as bearer: String = "key"
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
        let headers = ["Authorization": "Bearer \(bearer)", "Idempotency-Key": method + path]
        let response = try await counter.ask(method, path, headers: headers, body)
        return (response.status, try await RoutedCounter.document(response))
    }

    private func staff(_ counter: RoutedCounter) -> StaffDirectory {
        StaffDirectory(counter.journal, account: .main, clock: SystemClock())
    }

    @Test("A role is made, changed for who has it, and removed once nobody has; the caller is in the audit log")
    func life() async throws {
        let counter = try await RoutedCounter()
        let body = #"{"name":"lead","permissions":["void"],"refund_limits":{"EUR":500}}"#
        let made = try await ask(counter, "POST", "/v1/roles", body)
        #expect(made.status == .created && made.document["built_in"]?.boolValue == false)
        #expect(made.document["permissions"]?.arrayValue?.compactMap(\.stringValue) == ["sell", "void"])
        let again = try await ask(counter, "POST", "/v1/roles", body)
        #expect(again.status == .created && again.document == made.document)
        let other = try await ask(counter, "POST", "/v1/roles", #"{"name":"lead","permissions":["sell"]}"#)
        #expect(other.status == .conflict && other.document["code"]?.stringValue == "role_exists")
        try await staff(counter).add(name: "Carl", role: "lead", pin: nil)
        let changed = try await ask(counter, "PUT", "/v1/roles/lead", #"{"permissions":["refund"]}"#)
        #expect(changed.status == .ok && changed.document["refund_limits"]?.objectValue?.isEmpty == true)
        #expect(try await staff(counter).roles().last?.permissions == [.refund])
        let kept = try await ask(counter, "DELETE", "/v1/roles/lead")
        #expect(kept.status == .conflict && kept.document["code"]?.stringValue == "role_in_use")
        try await staff(counter).add(name: "Olga", role: "owner", pin: nil)
        let carl = try await staff(counter).person("Carl").id
        #expect(try await ask(counter, "DELETE", "/v1/staff/\(carl)").status == .noContent)
        #expect(try await ask(counter, "DELETE", "/v1/staff/\(carl)").status == .notFound)
        let olga = try await staff(counter).person("Olga").id
        let last = try await ask(counter, "DELETE", "/v1/staff/\(olga)")
        #expect(last.status == .conflict && last.document["code"]?.stringValue == "last_person")
        #expect(try await ask(counter, "DELETE", "/v1/roles/lead").status == .noContent)
        let gone = try await ask(counter, "DELETE", "/v1/roles/lead")
        #expect(gone.status == .notFound && gone.document["code"]?.stringValue == "unknown_role")
        let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
            .filter { $0.subject == "lead" || $0.action == .personRemoved }
        #expect(notes.map(\.action) == [.roleChanged, .roleChanged, .personRemoved, .roleRemoved])
        #expect(notes.allSatisfy { $0.by.actor != .unattributed })
        await counter.close()
    }

    @Test("Of two who have read a role the second changes it only after reading it again")
    func changedMeanwhile() async throws {
        let counter = try await RoutedCounter()
        let made = try await ask(counter, "POST", "/v1/roles", #"{"name":"lead","permissions":["sell"]}"#)
        let listed = try await ask(counter, "GET", "/v1/roles").document["roles"]?.arrayValue ?? []
        #expect(listed.last == made.document && listed.allSatisfy { $0["tag"]?.stringValue?.utf8.count == 32 })
        let tag = try #require(made.document["tag"]?.stringValue)
        func change(
            _ permission: String, _ tag: String
        ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
            try await ask(counter, "PUT", "/v1/roles/lead", #"{"permissions":["\#(permission)"],"tag":\#(tag)}"#)
        }
        let first = try await change("refund", #""\#(tag)""#)
        #expect(first.status == .ok && first.document["tag"]?.stringValue != tag)
        let second = try await change("hold", #""\#(tag)""#)
        #expect(second.status == .conflict && second.document["code"]?.stringValue == "role_changed")
        #expect(second.document["errors"]?.arrayValue?.first?["field"]?.stringValue == "tag")
        #expect(second.document["money_moved"]?.stringValue == "no")
        #expect(try await staff(counter).roles().last?.permissions == [.refund])
        let again = try await change("refund", #""\#(tag)""#)
        #expect(again.status == .ok && again.document == first.document, "the same again is done already")
        let no = try await change("hold", "1")
        #expect(no.status == .unprocessableContent)
        #expect(no.document["errors"]?.arrayValue?.first?["field"]?.stringValue == "tag")
        #expect(try await change("readers", "null").status == .ok)
        #expect(try await staff(counter).roles().last?.permissions == [.readers])
        await counter.close()
    }

    @Test("What is not accepted of a role is named with its field, and nothing is made")
    func refusals() async throws {
        let counter = try await RoutedCounter()
        let limits = (0..<17).map { #""A\#($0)":1"# }.joined(separator: ",")
        let cases: [(body: String, field: String, code: String)] = [
            (#""permissions":["sell"]"#, "name", "invalid_request"),
            (#""name":"Big Boss","permissions":["sell"]"#, "name", "invalid_role_name"),
            (#""name":"x""#, "permissions", "invalid_request"),
            (#""name":"x","permissions":[]"#, "permissions", "invalid_request"),
            (#""name":"x","permissions":"sell""#, "permissions", "invalid_request"),
            (#""name":"x","permissions":[1]"#, "permissions", "invalid_request"),
            (#""name":"x","permissions":["fly"]"#, "permissions", "unknown_permission"),
            (#""name":"x","permissions":["sell"],"refund_limits":[]"#, "refund_limits", "invalid_request"),
            (#""name":"x","permissions":["sell"],"refund_limits":{"EUR":0}"#, "refund_limits", "invalid_limit"),
            (
                #""name":"x","permissions":["sell"],"refund_limits":{"EUR":1000000000000}"#, "refund_limits",
                "invalid_limit"
            ),
            (#""name":"x","permissions":["sell"],"refund_limits":{"EUR":1,"eur":2}"#, "refund_limits", "invalid_limit"),
            (#""name":"x","permissions":["sell"],"discount_limits":{"EUR":1.5}"#, "discount_limits", "invalid_limit"),
            (#""name":"x","permissions":["sell"],"discount_limits":{"XXX":1}"#, "discount_limits", "invalid_limit"),
            (#""name":"x","permissions":["sell"],"refund_limits":{\#(limits)}"#, "refund_limits", "invalid_request"),
            (#""name":"x","permissions":["sell"],"built_in":true"#, "built_in", "invalid_request"),
        ]
        for (body, field, code) in cases {
            let refused = try await ask(counter, "POST", "/v1/roles", "{\(body)}")
            #expect(refused.status == .unprocessableContent && refused.document["code"]?.stringValue == code, "\(body)")
            #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == field, "\(body)")
            #expect(refused.document["money_moved"]?.stringValue == "no")
        }
        #expect(try await staff(counter).roles() == StaffRole.builtIn)
        await counter.close()
    }

    @Test("A key makes, changes and removes no role, and removes nobody, that may do more than the key")
    func rank() async throws {
        let counter = try await RoutedCounter()
        let made = try await APIKeys(counter.journal, clock: SystemClock()).create(
            account: .main, label: "test", scopes: [.read, .sell, .staff], life: nil)
        let key = made.key.reveal()
        try await staff(counter).put(try StaffRole(name: "boss", permissions: .all))
        try await staff(counter).add(name: "Olga", role: "owner", pin: nil)
        try await staff(counter).add(name: "Carl", role: "cashier", pin: nil)
        let olga = try await staff(counter).person("Olga").id
        for (method, path, body) in [
            ("POST", "/v1/roles", #"{"name":"own","permissions":["sell","refund"]}"#),
            ("PUT", "/v1/roles/boss", #"{"permissions":["sell"]}"#), ("DELETE", "/v1/roles/boss", ""),
            ("DELETE", "/v1/staff/\(olga)", ""),
        ] {
            let refused = try await ask(counter, method, path, body, as: key)
            #expect(refused.status == .forbidden, "\(method) \(path)")
            #expect(refused.document["code"]?.stringValue == "role_exceeds_yours", "\(method) \(path)")
        }
        let own = try await ask(counter, "POST", "/v1/roles", #"{"name":"own","permissions":["sell"]}"#, as: key)
        #expect(own.status == .created)
        let raised = try await ask(counter, "PUT", "/v1/roles/own", #"{"permissions":["settings"]}"#, as: key)
        #expect(raised.status == .forbidden)
        #expect(try await staff(counter).roles().last?.permissions == [.sell])
        #expect(try await staff(counter).all().count == 2)
        await counter.close()
    }
}
