import TillCore
import TillCounter

/// An API key as commands show it, without its secret.
struct KeyLine {
    /// The width of the identifiers, in characters.
    private static let idWidth = 20
    /// The widths of a label, in characters: what a narrow terminal leaves of it, and the most that is shown.
    private static let labelWidths = 8...36

    private let key: APIKeyRecord
    private let lastUsedAt: Timestamp?

    init(_ key: APIKeyRecord, lastUsedAt: Timestamp?) {
        self.key = key
        self.lastUsedAt = lastUsedAt
    }

    /// Returns the lines for display: identifier, label and account; below them validity, last use and scopes.
    /// - Parameter width: the width of the terminal, in characters.
    func lines(at now: Timestamp, width: Int = Output.resultWidth) -> [String] {
        let room = width - KeyLine.idWidth - 2 * 2 - key.account.rawValue.count
        let labelWidth = min(max(room, KeyLine.labelWidths.lowerBound), KeyLine.labelWidths.upperBound)
        let label = KeyLine.padded(String(key.label.prefix(labelWidth)), labelWidth)
        let name = KeyLine.padded(key.id.rawValue, KeyLine.idWidth)
        let end =
            switch key.standing(at: now) {
            case .revoked(let then): "revoked \(KeyLine.day(then))"
            case .expired(let then): "expired \(KeyLine.day(then))"
            case .inForce: key.expiresAt.map { "until \(KeyLine.day($0))" } ?? "no end"
            }
        let used = lastUsedAt.map { "used \(KeyLine.day($0))" } ?? "never used"
        let scopes = key.scopes == .all ? "all" : key.scopes.words.joined(separator: ",")
        return [
            "\(name)  \(label)  \(key.account)",
            "  \(KeyLine.padded(end, 18))  \(KeyLine.padded(used, 15))  \(scopes.isEmpty ? "nothing" : scopes)",
        ].flatMap { TextTable.fitted($0, to: width) }
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
