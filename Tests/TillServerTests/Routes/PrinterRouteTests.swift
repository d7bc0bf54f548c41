import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("Printers over HTTP")
struct PrinterRouteTests {
    private func ask(
        _ counter: RoutedCounter, _ method: String, _ path: String, _ body: String = "", as bearer: String = "key"
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
        let response = try await counter.ask(method, path, headers: ["Authorization": "Bearer \(bearer)"], body)
        return (response.status, try await RoutedCounter.document(response))
    }

    @Test("A printer is added once under a name, listed, and removed; the caller is in the audit log")
    func life() async throws {
        let counter = try await RoutedCounter()
        let digest = String(repeating: "ab", count: 32)
        let body = #"{"name":"office","address":"ipps://printer.local","sha256":"\#(digest)"}"#
        let made = try await ask(counter, "POST", "/v1/printers", body)
        #expect(made.status == .created)
        #expect(made.document["address"]?.stringValue == "ipps://printer.local:631/ipp/print")
        #expect(made.document["sha256"]?.stringValue == digest && made.document["profile"]?.stringValue == "80")
        let again = try await ask(counter, "POST", "/v1/printers", #"{"name":"office","address":"socket://b"}"#)
        #expect(again.status == .conflict && again.document["code"]?.stringValue == "printer_exists")
        let listed = try await ask(counter, "GET", "/v1/printers").document["printers"]?.arrayValue ?? []
        #expect(listed == [made.document])
        #expect(try await ask(counter, "DELETE", "/v1/printers/office").status == .noContent)
        #expect(try await ask(counter, "DELETE", "/v1/printers/office").status == .notFound)
        let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
            .filter { $0.subject == "office" }
        #expect(Set(notes.map(\.action)) == [.printerAdded, .printerRemoved])
        #expect(notes.allSatisfy { $0.by.actor != .unattributed })
        await counter.close()
    }

    @Test("What is not accepted of a printer is named with its field, and nothing is added")
    func refusals() async throws {
        let counter = try await RoutedCounter()
        for (body, field, code) in [
            (#"{"address":"socket://b"}"#, "name", "invalid_request"),
            (#"{"name":"two words","address":"socket://b"}"#, "name", "invalid_name"),
            (#"{"name":"bar"}"#, "address", "invalid_request"),
            (#"{"name":"bar","address":"http://b"}"#, "address", "printer_address"),
            (#"{"name":"bar","address":"socket://169.254.169.254"}"#, "address", "printer_address"),
            (#"{"name":"bar","address":"/etc/passwd"}"#, "address", "printer_address"),
            (#"{"name":"bar","address":"/dev/pts/0"}"#, "address", "invalid_request"),
            (#"{"name":"bar","address":"socket://b","profile":"x"}"#, "profile", "unknown_profile"),
            (#"{"name":"bar","address":"socket://b","trust_first":1}"#, "trust_first", "invalid_request"),
            (#"{"name":"bar","address":"socket://b","trust_first":true}"#, "address", "no_certificate"),
            (#"{"name":"bar","address":"ipps://b","sha256":"12"}"#, "sha256", "invalid_fingerprint"),
            (#"{"name":"bar","address":"ipps://b","password_file":"/etc/passwd"}"#, "password_file", "invalid_request"),
        ] {
            let refused = try await ask(counter, "POST", "/v1/printers", body)
            #expect(refused.status == .unprocessableContent && refused.document["code"]?.stringValue == code, "\(body)")
            #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == field, "\(body)")
            #expect(refused.document["money_moved"]?.stringValue == "no")
        }
        #expect(try await PrinterRegistry(counter.journal).all().isEmpty)
        await counter.close()
    }

    @Test("A key for readers and printers uses them, and neither adds nor removes one")
    func scopes() async throws {
        let counter = try await RoutedCounter()
        let made = try await APIKeys(counter.journal, clock: SystemClock()).create(
            account: .main, label: "test", scopes: [.read, .sell, .readers], life: nil)
        try await PrinterRegistry(counter.journal).keep(
            KnownPrinter(name: "bar", address: "socket://127.0.0.1:9", profile: "80"))
        let key = made.key.reveal()
        #expect(try await ask(counter, "GET", "/v1/printers", as: key).status == .ok)
        for (method, path) in [("POST", "/v1/printers"), ("DELETE", "/v1/printers/bar")] {
            let refused = try await ask(counter, method, path, as: key)
            #expect(refused.status == .forbidden && refused.document["scope_needed"]?.stringValue == "admin")
        }
        #expect(try await PrinterRegistry(counter.journal).known("bar") != nil)
        await counter.close()
    }
}
