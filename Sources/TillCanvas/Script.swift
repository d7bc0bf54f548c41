/// A writing system of receipts or the names on them, and the Debian package with its fonts.
///
/// Characters outside these scripts (pictographs, scholarly marks) never prevent a receipt from being drawn: without a
/// font they become `?`, as on a printer that lacks them.
public enum Script: String, Hashable, Sendable, CaseIterable {
    case latin, greek, cyrillic, armenian, georgian, hebrew, arabic, ethiopic
    case devanagari, bengali, gurmukhi, gujarati, oriya, tamil, telugu, kannada, malayalam, sinhala
    case thai, lao, tibetan, burmese, khmer
    case hangul, kana, han
    /// U+20A0 to U+20CF; `$`, `£` and `¥` are Latin.
    case currencySigns

    /// The script's name and its languages, for display: `Han (Chinese and Japanese)`.
    public var name: String {
        switch self {
        case .devanagari: "Devanagari (Hindi, Marathi and Nepali)"
        case .gurmukhi: "Gurmukhi (Punjabi)"
        case .ethiopic: "Ethiopic (Amharic and Tigrinya)"
        case .hangul: "Hangul (Korean)"
        case .kana: "Kana (Japanese)"
        case .han: "Han (Chinese and Japanese)"
        case .currencySigns: "currency signs"
        case .latin, .greek, .cyrillic, .armenian, .georgian, .hebrew, .arabic, .bengali, .gujarati, .oriya, .tamil,
            .telugu, .kannada, .malayalam, .sinhala, .thai, .lao, .tibetan, .burmese, .khmer:
            rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }

    /// The Debian package with fonts of the script.
    public var package: String {
        switch self {
        case .han, .kana, .hangul: "fonts-noto-cjk"
        default: "fonts-noto-core"
        }
    }

    /// Returns the Debian packages of some scripts, without duplicates.
    public static func packages(for scripts: some Sequence<Script>) -> [String] { Set(scripts.map(\.package)).sorted() }

    /// Characters that every font of this script has. A machine that lacks one of these needs the package; a rarer
    /// character that is missing beside them is not in it.
    var probe: String {
        switch self {
        case .latin: "Aa0éßñŁżœ"
        case .greek: "Ωμέ"
        case .cyrillic: "Жї"
        case .armenian: "Աբ"
        case .georgian: "აბ"
        case .hebrew: "אש"
        case .arabic: "عگ٣"
        case .ethiopic: "ሀበ"
        case .devanagari: "कन"
        case .bengali: "কন"
        case .gurmukhi: "ਕਨ"
        case .gujarati: "કન"
        case .oriya: "କନ"
        case .tamil: "கந"
        case .telugu: "కన"
        case .kannada: "ಕನ"
        case .malayalam: "കന"
        case .sinhala: "කන"
        case .thai: "กน"
        case .lao: "ກນ"
        case .tibetan: "ཀན"
        case .burmese: "ကန"
        case .khmer: "កន"
        case .hangul: "한국"
        case .kana: "あアー"
        case .han: "漢国简體、"
        case .currencySigns: "€₪₹"
        }
    }

    /// The script of a character; `nil` if it is in none of these.
    init?(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        guard let block = Script.blocks.first(where: { $0.range.contains(value) }) else { return nil }
        self = block.script
    }

    /// Unicode's blocks, including the punctuation in them.
    private static let blocks: [(range: ClosedRange<UInt32>, script: Script)] = [
        (0x0020...0x024F, .latin), (0x1E00...0x1EFF, .latin), (0x2010...0x203A, .latin), (0xFB00...0xFB06, .latin),
        (0x0370...0x03FF, .greek), (0x1F00...0x1FFF, .greek), (0x0400...0x052F, .cyrillic),
        (0x0531...0x058F, .armenian), (0xFB13...0xFB17, .armenian), (0x10A0...0x10FF, .georgian),
        (0x1C90...0x1CBF, .georgian), (0x2D00...0x2D2F, .georgian), (0x0591...0x05F4, .hebrew),
        (0xFB1D...0xFB4F, .hebrew), (0x0600...0x06FF, .arabic), (0x0750...0x077F, .arabic),
        (0x0870...0x08FF, .arabic), (0xFB50...0xFDFF, .arabic), (0xFE70...0xFEFC, .arabic),
        (0x1200...0x139F, .ethiopic), (0x2D80...0x2DDE, .ethiopic), (0x0900...0x097F, .devanagari),
        (0xA8E0...0xA8FF, .devanagari), (0x0980...0x09FF, .bengali), (0x0A00...0x0A7F, .gurmukhi),
        (0x0A80...0x0AFF, .gujarati), (0x0B00...0x0B7F, .oriya), (0x0B80...0x0BFF, .tamil),
        (0x0C00...0x0C7F, .telugu), (0x0C80...0x0CFF, .kannada), (0x0D00...0x0D7F, .malayalam),
        (0x0D80...0x0DFF, .sinhala), (0x0E00...0x0E7F, .thai), (0x0E80...0x0EFF, .lao), (0x0F00...0x0FFF, .tibetan),
        (0x1000...0x109F, .burmese), (0xAA60...0xAA7F, .burmese), (0x1780...0x17FF, .khmer),
        (0x1100...0x11FF, .hangul), (0x3130...0x318F, .hangul), (0xA960...0xA97F, .hangul),
        (0xAC00...0xD7FF, .hangul), (0x3040...0x30FF, .kana), (0x31F0...0x31FF, .kana), (0xFF61...0xFF9F, .kana),
        (0x2E80...0x303F, .han), (0x3100...0x312F, .han), (0x3190...0x31EF, .han), (0x3200...0x4DBF, .han),
        (0x4E00...0x9FFF, .han), (0xF900...0xFAFF, .han), (0xFE30...0xFE4F, .han), (0xFF01...0xFF60, .han),
        (0xFFE0...0xFFE6, .han), (0x2_0000...0x3_FFFD, .han), (0x20A0...0x20CF, .currencySigns),
    ]
}
