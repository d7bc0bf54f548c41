import TillReceipts

/// The font coverage of a receipt language on this machine.
public struct LanguageCoverage: Hashable, Sendable {
    /// The language's code of ISO 639, such as `ja`.
    public let language: String
    /// Scripts of its receipts that no font has; empty if receipts can be drawn in it.
    public let missing: [Script]
}

extension Canvas {
    /// Returns the coverage of every receipt language.
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

    /// Returns the scripts without a font, including those that occur only in names.
    /// - Throws: ``CanvasError/failed(_:)`` if nothing can be laid out.
    public func missingScripts() throws(CanvasError) -> [Script] {
        var glyphs = MissingGlyphs(try typesetter())
        return Script.allCases.filter { !glyphs.draws($0) }
    }

    /// Returns the scripts of a text that no font has.
    func missingScripts(in text: String) throws(CanvasError) -> [Script] {
        var glyphs = MissingGlyphs(try typesetter())
        _ = glyphs.replaced(in: text)
        return Script.allCases.filter(glyphs.scripts.contains)
    }
}
