/// Finds the characters of a receipt that no font on this machine has. A font draws a box with hexadecimal digits for
/// them, which no customer can read and no shop notices, so none may get on a page.
struct MissingGlyphs {
    private let typesetter: any Typesetter
    private var isDrawable: [Script: Bool] = [:]
    /// Scripts that no font has: a receipt with one of them is not drawn.
    private(set) var scripts: Set<Script> = []

    init(_ typesetter: any Typesetter) { self.typesetter = typesetter }

    /// The text without what no font has: `?` stands for each character that no font package would mend. Scripts that
    /// one would mend are noted in ``scripts``.
    mutating func replaced(in text: String) -> String {
        var kept = ""
        for character in text {
            let isKnown = character.isASCII || Self.unknown(String(character), typesetter) == 0
            let isMended = !isKnown && note(character)
            kept.append(isKnown || isMended ? character : "?")
        }
        // The characters may be known and their junction not; what is left is what every font has.
        guard scripts.isEmpty, Self.unknown(kept, typesetter) > 0 else { return kept }
        guard draws(.latin) else {
            scripts.insert(.latin)
            return kept
        }
        return String(text.map { $0.isASCII ? $0 : "?" })
    }

    /// Whether the fonts of this machine have a script.
    mutating func draws(_ script: Script) -> Bool {
        if let known = isDrawable[script] { return known }
        let draws = Self.unknown(script.probe, typesetter) == 0
        isDrawable[script] = draws
        return draws
    }

    /// Notes the scripts of a character that no font has.
    /// - Returns: whether there is one, so that a font package would mend it.
    private mutating func note(_ character: Character) -> Bool {
        let missing = character.unicodeScalars.compactMap(Script.init).filter { !draws($0) }
        scripts.formUnion(missing)
        return !missing.isEmpty
    }

    private static func unknown(_ text: String, _ typesetter: any Typesetter) -> Int {
        typesetter.layout(text, width: nil, size: 100, isBold: false, alignment: .left)?.unknownGlyphs ?? 0
    }
}
