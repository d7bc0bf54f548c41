/// A roll or a sheet that receipts are drawn on: its size, margins and text size.
public struct Paper: Hashable, Sendable {
    /// The name in settings and commands: `80`, `58`, `A4`, `Letter`.
    public let name: String
    /// The width in hundredths of a millimeter, margins included.
    public let width: Int
    /// The height in hundredths of a millimeter; `nil` for a roll, which is cut at the end of the receipt.
    public let height: Int?
    /// The margin on all sides, in hundredths of a millimeter.
    public let margin: Int
    /// The size of text, in tenths of a point.
    let textSize: Int

    /// An 80 mm roll with 72 mm of text, the most common receipt paper.
    public static let roll80 = Paper(name: "80", width: 8_000, height: nil, margin: 400, textSize: 90)
    /// A 58 mm roll with 50 mm of text, for small and mobile printers.
    public static let roll58 = Paper(name: "58", width: 5_800, height: nil, margin: 400, textSize: 75)
    /// An A4 sheet, 210 by 297 mm.
    public static let a4 = Paper(name: "A4", width: 21_000, height: 29_700, margin: 2_000, textSize: 100)
    /// A US Letter sheet, 8.5 by 11 inches.
    public static let letter = Paper(name: "Letter", width: 21_590, height: 27_940, margin: 2_000, textSize: 100)

    /// Returns the printable area of a printer with this many dots, without margins.
    static func printable(dots: Int) -> Paper {
        Paper(
            name: "\(dots)", width: dots * 2_540 / Canvas.dotsPerInch, height: nil, margin: 0,
            textSize: dots < 480 ? 75 : 90)
    }

    /// The name in a sentence: `80 mm roll`, `A4 sheet`.
    public var words: String { height == nil ? "\(name) mm roll" : "\(name) sheet" }

    /// Returns the paper with a ``name``, case-insensitive; `nil` if there is none.
    public static func named(_ name: String) -> Paper? {
        [roll80, roll58, a4, letter].first { $0.name.lowercased() == name.lowercased() }
    }
}
