import TillCore
import TillCounter

/// An API key as commands show it, without its secret.
struct KeyLine {
    /// The width of the terminal, in columns.
    private static let width = 80
    private static let labelWidth = 36

    private let key: APIKeyRecord
    private let lastUsedAt: Timestamp?

    init(_ key: APIKeyRecord, lastUsedAt: Timestamp?) {
        self.key = key
        self.lastUsedAt = lastUsedAt
    }

    /// Returns the lines for display: identifier, label and account; below them validity, last use and scopes.
    func lines(at now: Timestamp) -> [String] {
        let label = key.label.prefix(KeyLine.labelWidth)
        let space = String(repeating: " ", count: KeyLine.labelWidth - label.count)
        let name = KeyLine.padded(key.id.rawValue, 20)
        let end =
            switch key.standing(at: now) {
            case .revoked(let then): "revoked \(KeyLine.day(then))"
            case .expired(let then): "expired \(KeyLine.day(then))"
            case .inForce: key.expiresAt.map { "until \(KeyLine.day($0))" } ?? "no end"
            }
        let used = lastUsedAt.map { "used \(KeyLine.day($0))" } ?? "never used"
        let scopes = key.scopes == .all ? "all" : key.scopes.words.joined(separator: ",")
        return [
            "\(name)  \(label)\(space)  \(key.account)",
            "  \(KeyLine.padded(end, 18))  \(KeyLine.padded(used, 15))  \(scopes.isEmpty ? "nothing" : scopes)",
        ].map { String($0.prefix(KeyLine.width)) }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Returns the date alone, in UTC, so that the table fits 80 columns.
    private static func day(_ moment: Timestamp) -> Substring { moment.description.prefix(10) }

    /// The JSON object for programs.
    var document: String {
        var writer = JSONWriter()
        write(into: &writer)
        return writer.text
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        members(into: &writer)
        writer.endObject()
    }

    /// Writes the members of the JSON object.
    func members(into writer: inout JSONWriter) { key.members(lastUsedAt: lastUsedAt, into: &writer) }
}
