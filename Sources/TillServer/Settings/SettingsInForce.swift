import Crypto
import TillCore
public import TillJournal
import TillProvider

/// What is set when a counter begins to serve, as the audit log has it: values, and of a secret only a fingerprint.
public struct SettingsInForce: Hashable, Sendable {
    /// Hexadecimal digits of a secret's fingerprint: enough to see that it was changed, and too few to find a short
    /// secret by.
    static let fingerprintDigits = 4

    /// What is set, by name; what has its default value is not.
    let values: [String: String]

    /// Those of a counter that starts.
    public init(_ settings: Settings) {
        var values: [String: String] = [:]
        for entry in settings.entries where entry.origin != .defaultValue {
            values[entry.setting.key] =
                settings.secret(entry.setting).map { SettingsInForce.fingerprint($0) } ?? entry.shown
        }
        self.values = values
    }

    private static func fingerprint(_ secret: Secret<String>) -> String {
        let hash = Hex.lowercase(SHA256.hash(data: Array(secret.reveal().utf8)))
        return "secret " + hash.prefix(fingerprintDigits)
    }

    /// Notes that a counter starts, and what is set otherwise than at the start before; in one commit with what is set.
    /// - Parameter address: where it listens.
    public func start(at address: String, in journal: any RecordStore) async throws(JournalError) {
        let before = try await Records<SettingsInForce>(journal).document(SettingsInForce.key)?.values ?? [:]
        let changes = Set(before.keys).union(values.keys).sorted().filter { before[$0] != values[$0] }
            .map { AuditChange($0, from: before[$0], to: values[$0]) }
        var notes = [
            AuditNote(.counterStarted, subject: address, changes: [AuditChange("settings", to: "\(values.count)")])
        ]
        if !changes.isEmpty { notes.append(AuditNote(.settingsChanged, changes: changes)) }
        try await Records<SettingsInForce>(journal).put(self, noting: notes)
    }
}

extension SettingsInForce: RecordDocument {
    public static let collection: RecordCollection = "settings_in_force"
    static let key = "serve"

    public init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        var values: [String: String] = [:]
        for member in body.json.objectValue ?? [] {
            guard let text = member.value.stringValue else { throw body.damaged("value") }
            values[member.key] = text
        }
        self.values = values
    }

    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        for name in values.keys.sorted() { writer.field(name, values[name]) }
        writer.endObject()
        return Record(RecordID(SettingsInForce.collection, SettingsInForce.key), body: writer.bytes)
    }
}
