/// Finds the characters of a receipt that no font on this machine has. A font draws a box with hexadecimal digits for
/// them, unreadable for the customer and unnoticed by the shop, so none may be drawn.
struct MissingGlyphs {
    private let typesetter: any Typesetter
    private var isDrawable: [Script: Bool] = [:]
    /// Scripts without a font: a receipt with one of them is not drawn.
    private(set) var scripts: Set<Script> = []

    init(_ typesetter: any Typesetter) { self.typesetter = typesetter }

    /// Returns the text with `?` for each character that no font package would supply. Scripts that a package would
    /// supply are recorded in ``scripts``.
    mutating func replaced(in text: String) -> String {
        var kept = ""
        for character in text {
            let isKnown = character.isASCII || Self.unknown(String(character), typesetter) == 0
            let isMended = !isKnown && note(character)
            kept.append(isKnown || isMended ? character : "?")
        }
        // The characters may be known but not their combination; the remainder is in every font.
        guard scripts.isEmpty, Self.unknown(kept, typesetter) > 0 else { return kept }
        guard draws(.latin) else {
            scripts.insert(.latin)
            return kept
        }
        return String(text.map { $0.isASCII ? $0 : "?" })
    }

    /// Returns `true` if the fonts of this machine have a script.
    mutating func draws(_ script: Script) -> Bool {
        if let known = isDrawable[script] { return known }
        let draws = Self.unknown(script.probe, typesetter) == 0
        isDrawable[script] = draws
        return draws
    }

    /// Records the scripts of a character that no font has.
    /// - Returns: `true` if there is one, so that a font package would supply it.
    private mutating func note(_ character: Character) -> Bool {
        let missing = character.unicodeScalars.compactMap(Script.init).filter { !draws($0) }
        scripts.formUnion(missing)
        return !missing.isEmpty
    }

    private static func unknown(_ text: String, _ typesetter: any Typesetter) -> Int {
        typesetter.layout(text, width: nil, size: 100, isBold: false, alignment: .left)?.unknownGlyphs ?? 0
    }
}
