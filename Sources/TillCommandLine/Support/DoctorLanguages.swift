import Foundation
import TillCanvas
import TillCore

/// The font check of `till doctor` for receipts: supported languages, missing scripts, and the Debian packages that add
/// them.
struct DoctorLanguages {
    private var languages: [LanguageCoverage] = []
    private var missing: [Script] = []
    private var failure: CanvasError?

    /// Checks the fonts of this machine.
    init() {
        do throws(CanvasError) {
            let canvas = try Canvas()
            languages = try canvas.languages()
            missing = try canvas.missingScripts()
        } catch { failure = error }
    }

    /// The findings as sentences; a fault ends with the packages to install.
    var findings: [(isFine: Bool, text: String)] {
        if let failure { return [(false, "\(failure.what) \(failure.next)")] }
        var findings: [(isFine: Bool, text: String)] = []
        let drawn = languages.filter(\.missing.isEmpty).map { name(of: $0.language) }
        if !drawn.isEmpty { findings.append((true, "Receipts can be drawn in \(list(drawn)).")) }
        for language in languages where !language.missing.isEmpty {
            findings.append(
                (
                    false,
                    "Receipts in \(name(of: language.language)) cannot be drawn: no font has "
                        + "\(list(language.missing.map(\.name))). \(install(language.missing))"
                ))
        }
        let others = missing.filter { script in !languages.contains { $0.missing.contains(script) } }
        if !others.isEmpty {
            findings.append(
                (
                    false,
                    "Receipts with names in \(list(others.map(\.name))) cannot be drawn: no font has them. "
                        + install(others)
                ))
        }
        return findings
    }

    /// Writes `languages`, the nine languages of receipts, and `missing_scripts`, the scripts without a font.
    func write(to writer: inout JSONWriter) {
        writer.key("languages")
        writer.beginArray()
        for language in languages {
            writer.beginObject()
            writer.field("language", language.language)
            writer.field("drawn", language.missing.isEmpty)
            write("missing_scripts", language.missing.map(\.rawValue), to: &writer)
            write("packages", Script.packages(for: language.missing), to: &writer)
            writer.endObject()
        }
        writer.endArray()
        write("missing_scripts", missing.map(\.rawValue), to: &writer)
        let packages = failure == nil ? Script.packages(for: missing) : CanvasError.packages
        write("packages", packages, to: &writer)
    }

    private func write(_ key: String, _ texts: [String], to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }

    private func install(_ scripts: [Script]) -> String {
        "Install \(Script.packages(for: scripts).joined(separator: " ")) (Debian)."
    }

    private func name(of language: String) -> String {
        Locale(identifier: "en_US").localizedString(forLanguageCode: language) ?? language
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
