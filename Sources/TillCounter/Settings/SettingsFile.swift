import Foundation
import TillCore
import TillProvider

/// The validated settings of a JSON file: the file is trusted, every key is known, every value is valid for its kind,
/// and none is a secret.
struct SettingsFile {
    /// The maximum file size, in bytes.
    static let maximumBytes = 256 << 10
    /// The file that is read by default.
    static let defaultPath = "till.json"

    let path: String
    /// The values by key, as text.
    let values: [String: String]

    /// Reads the whole file and checks each key.
    /// - Throws: ``SettingsError`` with the key, or the line and column.
    init(_ path: String, _ table: [Setting]) throws(SettingsError) {
        let bytes = try SettingsFile.bytes(path)
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(
                parsing: bytes,
                limits: JSONLimits(maximumBytes: SettingsFile.maximumBytes, maximumDepth: 8))
        } catch { throw .file(path, reason: "\(error)".trimmingSuffix(".")) }
        guard document.objectValue != nil else { throw .file(path, reason: "it is no JSON object") }
        var values: [String: String] = [:]
        try SettingsFile.read(document, under: "", of: path, table, into: &values)
        self.path = path
        self.values = values
    }

    private static func bytes(_ path: String) throws(SettingsError) -> [UInt8] {
        do throws(UntrustedFile) {
            return try TrustedFile.read(path, "settings file", limit: maximumBytes)
        } catch {
            throw error.isDistrusted ? .untrusted(error) : .file(path, reason: error.why)
        }
    }

    private static func read(
        _ value: JSONValue, under prefix: String, of path: String, _ table: [Setting],
        into values: inout [String: String]
    ) throws(SettingsError) {
        for member in value.objectValue ?? [] {
            let key = prefix.isEmpty ? member.key : "\(prefix).\(member.key)"
            guard let setting = table.first(where: { $0.key == key }) else {
                let isGroup = table.contains { $0.key.hasPrefix(key + ".") }
                guard isGroup, member.value.objectValue != nil else {
                    guard !isGroup else { throw .wrongValue(place: place(key, path), reason: "must be an object") }
                    throw .unknownKey(
                        String(key.prefix(100)), file: path, known: table.filter { $0.kind != .secret }.map(\.key))
                }
                try read(member.value, under: key, of: path, table, into: &values)
                continue
            }
            values[key] = try text(of: member.value, setting, path, table)
        }
    }

    private static func text(
        of value: JSONValue, _ setting: Setting, _ path: String, _ table: [Setting]
    ) throws(SettingsError) -> String {
        let place = place(setting.key, path)
        switch (setting.kind, value) {
        case (.hosts, _): throw .operatorOnly(place: place, variable: setting.variable)
        case (.secret, _):
            let file = table.first { $0.key == setting.key + "_file" }?.key
            throw .secretInFile(setting.key, file: path, variable: setting.variable, fileKey: file)
        case (.number, .number(let digits)): return digits
        case (.number, _): throw .wrongValue(place: place, reason: "must be a whole number")
        case (_, .string(let text)): return text
        default: throw .wrongValue(place: place, reason: "must be text in quotation marks")
        }
    }

    private static func place(_ key: String, _ path: String) -> String { "“\(key)” in \(path)" }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
