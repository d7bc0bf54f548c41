import TillReceipts

/// Whether receipts can be drawn in one language on this machine.
public struct LanguageCoverage: Hashable, Sendable {
    /// The language's code of ISO 639, such as `ja`.
    public let language: String
    /// Scripts of its receipts that no font has; empty: receipts can be drawn in it.
    public let missing: [Script]
}

extension Canvas {
    /// Every language that receipts are written in.
    /// - Throws: ``CanvasError/failed(_:)`` if nothing can be laid out.
    public func languages() throws(CanvasError) -> [LanguageCoverage] {
        var coverage: [LanguageCoverage] = []
        for language in ReceiptLabels.languages {
            let labels = ReceiptLabels(language: language)
            coverage.append(
                LanguageCoverage(
                    language: language, missing: try missingScripts(in: labels.all.map(\.plain).joined(separator: " ")))
            )
        }
        return coverage
    }

    /// The scripts, beyond those of the languages of receipts too, that names in them cannot be drawn in.
    /// - Throws: ``CanvasError/failed(_:)`` if nothing can be laid out.
    public func missingScripts() throws(CanvasError) -> [Script] {
        var glyphs = MissingGlyphs(try typesetter())
        return Script.allCases.filter { !glyphs.draws($0) }
    }

    /// The scripts of a text that no font has.
    func missingScripts(in text: String) throws(CanvasError) -> [Script] {
        var glyphs = MissingGlyphs(try typesetter())
        _ = glyphs.replaced(in: text)
        return Script.allCases.filter(glyphs.scripts.contains)
    }
}
