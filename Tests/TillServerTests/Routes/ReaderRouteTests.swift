import HTTPTypes
import Hummingbird
import Synchronization
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillProvider

@testable import TillServer
@testable import TillWeb

/// A provider whose account has the readers that are registered with it.
private final class ReaderAccount: ReaderFleet, ReaderManagement {
    private let all = Mutex<[CounterReader]>([])
    let isManaged: Bool

    init(isManaged: Bool) {
        self.isManaged = isManaged
        if !isManaged {
            all.withLock { $0.append(CounterReader(id: "rd-1", label: "Fixed", deviceType: "set", status: .online)) }
        }
    }

    var provider: ProviderName { ReaderModule.name }
    var management: (any ReaderManagement)? { isManaged ? self : nil }

    private func named(_ name: String) throws(ReaderError) -> CounterReader {
        guard let found = all.withLock({ $0.first { $0.id == name || $0.label == name } }) else {
            throw .notFound(name)
        }
        return found
    }

    func readers() async throws(ReaderError) -> [CounterReader] { all.withLock { $0 } }
    func reader(named name: String) async throws(ReaderError) -> CounterReader { try named(name) }
    func readers(at location: String?) async throws(ReaderError) -> [CounterReader] { all.withLock { $0 } }
    func anyReader(named name: String) async throws(ReaderError) -> CounterReader { try named(name) }
    func tender(at reader: CounterReader, tipping: CardPresentPayload.Tipping?) -> Tender {
        .cardPresent(CardPresentPayload(reader: reader.label, sealed: Secret(reader.id), card: nil))
    }
    func cancel(_ id: String) async throws(ReaderError) -> CounterReader { try named(id) }
    func cancelWaiting() async -> [String] { [] }
    func steps() -> AsyncStream<ReaderStep> { ReaderFeed().steps() }

    func register(code: String, label: String?, location: String?) async throws(ReaderError) -> CounterReader {
        guard code == "quick-brown-fox" else {
            throw ReaderError(
                .invalid(field: "code"), code: "registration_code_invalid", "There is no such code.", next: "Read it.")
        }
        return all.withLock { all in
            let made = CounterReader(
                id: "rd-\(all.count + 1)", label: label ?? "Reader", deviceType: "made", location: location)
            all.append(made)
            return made
        }
    }
    func rename(_ id: String, to label: String) async throws(ReaderError) -> CounterReader {
        let old = try named(id)
        let new = CounterReader(id: old.id, label: label, deviceType: old.deviceType, location: old.location)
        all.withLock { all in all = all.map { $0.id == id ? new : $0 } }
        return new
    }
    func remove(_ id: String) async throws(ReaderError) {
        _ = try named(id)
        all.withLock { $0.removeAll { $0.id == id } }
    }
    func display(_ order: Order?, at id: String) async throws(ReaderError) -> CounterReader { try named(id) }
    func setRebootWindow(_ window: RebootWindow, at location: String) async throws(ReaderError) {}
    func locations() async throws(ReaderError) -> [ReaderLocation] { [] }
    func createLocation(_ name: String, _ address: ReaderLocation.Address) async throws(ReaderError) -> ReaderLocation {
        ReaderLocation(id: "lc-1", displayName: name, address: address)
    }
    func updateLocation(
        _ id: String, name: String?, address: ReaderLocation.Address?
    ) async throws(ReaderError) -> ReaderLocation {
        throw .notFound(id)
    }
    func removeLocation(_ id: String) async throws(ReaderError) { throw .notFound(id) }
}

private struct ReaderModule: ProviderModule {
    static let name = ProviderName(rawValue: "readers")
    static let title = "Readers"
    static let settings: [Setting] = []
    static let required: [Setting] = []
    static let hosts: [String] = []

    let account: ReaderAccount

    static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> ReaderModule? { nil }

    var mode: PaymentMode { .test }
    var addresses: [String] { [] }
    var providers: [any PaymentServiceProvider] { [] }
    var readers: (any ReaderFleet)? { account }
}

@Suite("Readers over HTTP")
struct ReaderRouteTests {
    private func ask(
        _ counter: RoutedCounter, _ method: String, _ path: String, _ body: String = "", as bearer: String = "key"
    ) async throws -> (status: HTTPResponse.Status, document: JSONValue) {
        let response = try await counter.ask(method, path, headers: ["Authorization": "Bearer \(bearer)"], body)
        return (response.status, try await RoutedCounter.document(response))
    }

    private func listed(_ counter: RoutedCounter) async throws -> [JSONValue] {
        try await ask(counter, "GET", "/v1/terminal/readers").document["readers"]?.arrayValue ?? []
    }

    @Test("A reader is registered, renamed, chosen and removed; each is in the audit log with the caller")
    func life() async throws {
        let counter = try await RoutedCounter(modules: [ReaderModule(account: ReaderAccount(isManaged: true))])
        let made = try await ask(
            counter, "POST", "/v1/terminal/readers", #"{"code":"quick-brown-fox","label":"Front"}"#)
        #expect(made.status == .created && made.document["label"]?.stringValue == "Front")
        #expect(made.document["managed"]?.boolValue == true && made.document["preferred"]?.boolValue == false)
        let path = "/v1/terminal/readers/rd-1"
        let renamed = try await ask(counter, "PATCH", path, #"{"label":"Bar"}"#)
        #expect(renamed.status == .ok && renamed.document["label"]?.stringValue == "Bar")
        let chosen = try await ask(counter, "PATCH", path, #"{"preferred":true}"#)
        #expect(chosen.status == .ok && chosen.document["preferred"]?.boolValue == true)
        #expect(try await listed(counter).first?["preferred"]?.boolValue == true)
        #expect(ReaderRegistry(counter.journal).chosen()?.id == "rd-1")
        #expect(try await ask(counter, "PATCH", path, #"{"preferred":false}"#).status == .ok)
        #expect(ReaderRegistry(counter.journal).chosen() == nil)
        #expect(try await ask(counter, "PATCH", path, #"{"preferred":true}"#).status == .ok)
        #expect(try await ask(counter, "DELETE", path).status == .noContent)
        #expect(try await listed(counter).isEmpty)
        #expect(ReaderRegistry(counter.journal).chosen() == nil, "it is not there any more")
        #expect(try await ask(counter, "DELETE", path).status == .notFound)
        let notes = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
            .filter { $0.action.rawValue.hasPrefix("reader.") }
        #expect(
            notes.map(\.action.rawValue).sorted() == [
                "reader.changed", "reader.chosen", "reader.chosen", "reader.chosen", "reader.registered",
                "reader.removed",
            ])
        #expect(notes.allSatisfy { $0.by.actor != .unattributed })
        #expect(!notes.flatMap(\.changes).contains { $0.after == "quick-brown-fox" })
        await counter.close()
    }

    @Test("What is not accepted of a reader is named with its field")
    func refusals() async throws {
        let counter = try await RoutedCounter(modules: [ReaderModule(account: ReaderAccount(isManaged: true))])
        for (method, path, body, field, code) in [
            ("POST", "", #"{"label":"x"}"#, "code", "invalid_request"),
            ("POST", "", #"{"code":" "}"#, "code", "invalid_request"),
            ("POST", "", #"{"code":"x"}"#, "code", "registration_code_invalid"),
            ("POST", "", #"{"code":"quick-brown-fox","provider":"none"}"#, "provider", "invalid_request"),
            ("PATCH", "/rd-1", "{}", "label", "invalid_request"),
            ("PATCH", "/rd-1", #"{"label":"x","preferred":true}"#, "label", "invalid_request"),
            ("PATCH", "/rd-1", #"{"preferred":1}"#, "preferred", "invalid_request"),
        ] {
            let refused = try await ask(counter, method, "/v1/terminal/readers" + path, body)
            #expect(refused.status == .unprocessableContent && refused.document["code"]?.stringValue == code, "\(body)")
            #expect(refused.document["errors"]?.arrayValue?.first?["field"]?.stringValue == field, "\(body)")
        }
        #expect(try await listed(counter).isEmpty)
        await counter.close()
    }

    @Test("A reader that is set in the configuration can be chosen, and neither added, renamed nor removed")
    func unmanaged() async throws {
        let counter = try await RoutedCounter(modules: [ReaderModule(account: ReaderAccount(isManaged: false))])
        let list = try await ask(counter, "GET", "/v1/terminal/readers").document
        #expect(list["registers"]?.arrayValue == [] && list["readers"]?.arrayValue?.count == 1)
        let path = "/v1/terminal/readers/rd-1"
        for (method, path, body) in [
            ("POST", "/v1/terminal/readers", #"{"code":"quick-brown-fox"}"#), ("PATCH", path, #"{"label":"x"}"#),
            ("DELETE", path, ""),
        ] {
            let refused = try await ask(counter, method, path, body)
            #expect(refused.status == .conflict && refused.document["code"]?.stringValue == "unsupported", "\(method)")
        }
        #expect(try await ask(counter, "PATCH", path, #"{"preferred":true}"#).status == .ok)
        await counter.close()
    }
}
