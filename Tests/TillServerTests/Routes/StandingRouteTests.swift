import HTTPTypes
import Hummingbird
import Testing
import TillCore
import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("What the settings' page asks")
struct StandingRouteTests {
    private func read(_ counter: RoutedCounter, _ name: String) async throws -> JSONValue {
        let response = try await counter.ask("GET", "/v1/settings/" + name)
        #expect(response.status == .ok, "\(name)")
        return try await RoutedCounter.document(response)
    }

    @Test("The last backup is the newest in the audit log, with the head by which it is verified")
    func backups() async throws {
        let counter = try await RoutedCounter()
        let none = try await read(counter, "backups")
        #expect(none["last_backup"]?.isNull == true && none["copy"]?.isNull == true && none["restore"]?.isNull == true)
        for (path, head) in [("/mnt/a.db", "1:aa"), ("/mnt/b.db", "2:bb")] {
            try await counter.journal.note([
                AuditNote(.journalBackedUp, subject: path, changes: [AuditChange("head", to: head)])
            ])
        }
        let last = try await read(counter, "backups")["last_backup"]
        #expect(last?["path"]?.stringValue == "/mnt/b.db" && last?["head"]?.stringValue == "2:bb")
        await counter.close()
    }

    @Test("Health and providers are sentences, what needs somebody first")
    func sentences() async throws {
        let counter = try await RoutedCounter()
        let health = try await read(counter, "health")
        #expect(health["ready"]?.boolValue != nil)
        let marks = health["findings"]?.arrayValue?.compactMap { $0["ok"]?.boolValue } ?? []
        let ordered = marks.filter { !$0 } + marks.filter { $0 }
        #expect(marks.count >= 4 && marks == ordered)
        let providers = try await read(counter, "providers")
        #expect(providers["mode"]?.stringValue == "test" || providers["mode"]?.stringValue == "live")
        #expect(providers["providers"]?.arrayValue != nil && providers["findings"]?.arrayValue != nil)
        await counter.close()
    }

    @Test("A sample receipt is there in every language, and says that it is none")
    func samples() async throws {
        let counter = try await RoutedCounter()
        let set = try await read(counter, "receipts")
        let languages = set["languages"]?.arrayValue?.compactMap { $0["language"]?.stringValue } ?? []
        #expect(languages.count == 9)
        // Nothing was set of the shop but its name, which has a default.
        #expect(set["missing"]?.arrayValue?.compactMap(\.stringValue) == ["store_address"])
        #expect(set["mode"]?.stringValue == "test")
        for language in languages {
            let path = "/v1/settings/receipts/preview?format=text&language=\(language)"
            let text = try await RoutedCounter.text(try await counter.ask("GET", path))
            #expect(text.contains("Sample."), "\(language)")
        }
        let page = try await counter.ask("GET", "/v1/settings/receipts/preview?language=he")
        #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
        #expect(try await RoutedCounter.text(page).contains("dir=\"rtl\""))
        await counter.close()
    }
}
