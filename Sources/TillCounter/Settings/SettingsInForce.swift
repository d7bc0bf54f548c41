import Crypto
import TillCore
public import TillJournal
import TillProvider

/// The settings at a counter's start, as recorded in the audit log: values, and only a fingerprint of each secret.
public struct SettingsInForce: Hashable, Sendable {
    /// The number of hexadecimal digits of a secret's fingerprint: enough to detect a change, too few to recover a
    /// short secret.
    static let fingerprintDigits = 4

    /// The values by name, without those at their default.
    package let values: [String: String]

    /// The settings of a counter that starts.
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

    /// Records the counter's start, and the settings changed since the previous start, in one commit with the settings.
    /// - Parameter address: the address on which the counter listens.
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
    package static let key = "serve"

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
