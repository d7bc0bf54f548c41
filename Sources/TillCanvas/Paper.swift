/// What a receipt is drawn on.
public struct Paper: Hashable, Sendable {
    /// Its name, as typed: `80`, `58`, `A4`.
    public let name: String
    /// Width in hundredths of a millimetre.
    public let width: Int
    /// Height in hundredths of a millimetre; `nil` for a roll, which is cut where the receipt ends.
    public let height: Int?
    /// Kept free on all sides, in hundredths of a millimetre.
    public let margin: Int
    /// The size of text, in tenths of a point.
    let textSize: Int

    /// An 80 mm roll.
    public static let roll80 = Paper(name: "80", width: 8_000, height: nil, margin: 400, textSize: 90)
    /// A 58 mm roll.
    public static let roll58 = Paper(name: "58", width: 5_800, height: nil, margin: 400, textSize: 75)
    /// A sheet.
    public static let a4 = Paper(name: "A4", width: 21_000, height: 29_700, margin: 2_000, textSize: 100)
    /// A sheet of the American size.
    public static let letter = Paper(name: "Letter", width: 21_590, height: 27_940, margin: 2_000, textSize: 100)

    /// What a printer of so many dots prints on, without margins.
    static func printable(dots: Int) -> Paper {
        Paper(
            name: "\(dots)", width: dots * 2_540 / Canvas.dotsPerInch, height: nil, margin: 0,
            textSize: dots < 480 ? 75 : 90)
    }

    /// For people.
    public var words: String { height == nil ? "\(name) mm roll" : "\(name) sheet" }

    /// A paper by name.
    public static func named(_ name: String) -> Paper? {
        [roll80, roll58, a4, letter].first { $0.name.lowercased() == name.lowercased() }
    }
}
