/// A roll or a sheet that receipts are drawn on: its size, margins and size of text.
public struct Paper: Hashable, Sendable {
    /// What settings and commands call it: `80`, `58`, `A4`, `Letter`.
    public let name: String
    /// Width in hundredths of a millimeter, margins included.
    public let width: Int
    /// Height in hundredths of a millimeter; `nil` for a roll, which is cut where the receipt ends.
    public let height: Int?
    /// Kept free on all sides, in hundredths of a millimeter.
    public let margin: Int
    /// The size of text, in tenths of a point.
    let textSize: Int

    /// An 80 mm roll with 72 mm of text, the most common receipt paper.
    public static let roll80 = Paper(name: "80", width: 8_000, height: nil, margin: 400, textSize: 90)
    /// A 58 mm roll with 50 mm of text, of small and mobile printers.
    public static let roll58 = Paper(name: "58", width: 5_800, height: nil, margin: 400, textSize: 75)
    /// An A4 sheet, 210 by 297 mm.
    public static let a4 = Paper(name: "A4", width: 21_000, height: 29_700, margin: 2_000, textSize: 100)
    /// A US Letter sheet, 8.5 by 11 inches.
    public static let letter = Paper(name: "Letter", width: 21_590, height: 27_940, margin: 2_000, textSize: 100)

    /// What a printer of this many dots prints on, without margins.
    static func printable(dots: Int) -> Paper {
        Paper(
            name: "\(dots)", width: dots * 2_540 / Canvas.dotsPerInch, height: nil, margin: 0,
            textSize: dots < 480 ? 75 : 90)
    }

    /// Its name in a sentence: `80 mm roll`, `A4 sheet`.
    public var words: String { height == nil ? "\(name) mm roll" : "\(name) sheet" }

    /// The paper of a ``name``, in any case; `nil` if there is none.
    public static func named(_ name: String) -> Paper? {
        [roll80, roll58, a4, letter].first { $0.name.lowercased() == name.lowercased() }
    }
}
