import Foundation
import Testing
import TillProvider

@testable import TillCommandLine
@testable import TillCounter

@Suite("The description of the settings")
struct SettingsDocumentTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs/SETTINGS.md")

    /// The table's row of a setting.
    private func row(_ setting: Setting) -> String {
        let kind =
            switch setting.kind {
            case .text: "text"
            case .path: "a file"
            case .number: "a number"
            case .span: "a time, as `50ms`, `30s`, `2min`"
            case .choice: "a word"
            case .secret: "a secret"
            case .lines: "lines, with `\\n` between"
            case .pairs: "names and values, as `SIRET=732829320; NAF=4719B`"
            case .country: "two letters"
            case .locale: "a language, as `fr_CA`"
            case .timeZone: "a zone, as `Europe/Berlin`"
            case .webAddress: "a web address"
            case .hosts: "hosts, with commas"
            }
        let option = setting.option.map { "`\($0)`" } ?? ""
        let defaultValue = setting.defaultValue.map { "`\($0)`" } ?? ""
        return "| `\(setting.key)` | `\(setting.variable)` | \(option) | \(kind) | \(defaultValue) | \(setting.about) |"
    }

    @Test("has a row for each, and no other")
    func table() throws {
        let table = Setting.all(ProviderModules.all)
        let text = try String(contentsOf: SettingsDocumentTests.file, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(rows == table.map(row), "The rows must be:\n\(table.map(row).joined(separator: "\n"))")
    }
}
