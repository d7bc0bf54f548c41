/// A code page: what a printer's bytes above 0x7F mean. Below that all are ASCII.
public enum CodePage: String, Hashable, Sendable, CaseIterable {
    /// PC437, the one that every printer starts with.
    case cp437
    /// PC850: the languages of western Europe.
    case cp850
    /// PC852: the languages of central Europe in Latin letters.
    case cp852
    /// PC858, PC850 with the euro sign.
    case cp858
    /// PC866: the languages in Cyrillic letters.
    case cp866
    /// Windows 1252, western Europe.
    case cp1252
    /// Windows 1250, central Europe.
    case cp1250

    /// A text in this page's bytes; `nil` if a character is not in it. A control character never is.
    public func encode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        let map = CodePage.maps[self] ?? [:]
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x20, scalar.value < 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if let byte = map[scalar] {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return bytes
    }

    /// The characters of the bytes 0x80 to 0xFF; U+FFFD stands where there is none that prints.
    var upperHalf: String {
        switch self {
        case .cp437:
            "ÇüéâäàåçêëèïîìÄÅ"
                + "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
                + "áíóúñÑªº¿⌐¬½¼¡«»"
                + "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
                + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
                + "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
                + "αßΓπΣσµτΦΘΩδ∞φε∩"
                + "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
        case .cp850:
            "ÇüéâäàåçêëèïîìÄÅ"
                + "ÉæÆôöòûùÿÖÜø£Ø×ƒ"
                + "áíóúñÑªº¿®¬½¼¡«»"
                + "░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
                + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤"
                + "ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀"
                + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´"
                + "\u{FFFD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"
        case .cp852:
            "ÇüéâäůćçłëŐőîŹÄĆ"
                + "ÉĹĺôöĽľŚśÖÜŤťŁ×č"
                + "áíóúĄąŽžĘę¬źČş«»"
                + "░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐"
                + "└┴┬├─┼Ăă╚╔╩╦╠═╬¤"
                + "đĐĎËďŇÍÎě┘┌█▄ŢŮ▀"
                + "ÓßÔŃńňŠšŔÚŕŰýÝţ´"
                + "\u{FFFD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}"
        case .cp858:
            "ÇüéâäàåçêëèïîìÄÅ"
                + "ÉæÆôöòûùÿÖÜø£Ø×ƒ"
                + "áíóúñÑªº¿®¬½¼¡«»"
                + "░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
                + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤"
                + "ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀"
                + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´"
                + "\u{FFFD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"
        case .cp866:
            "АБВГДЕЖЗИЙКЛМНОП"
                + "РСТУФХЦЧШЩЪЫЬЭЮЯ"
                + "абвгдежзийклмноп"
                + "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
                + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
                + "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
                + "рстуфхцчшщъыьэюя"
                + "ЁёЄєЇїЎў°∙·√№¤■\u{A0}"
        case .cp1252:
            "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}"
                + "\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ"
                + "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{FFFD}®¯"
                + "°±²³´µ¶·¸¹º»¼½¾¿"
                + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
                + "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
                + "àáâãäåæçèéêëìíîï"
                + "ðñòóôõö÷øùúûüýþÿ"
        case .cp1250:
            "€\u{FFFD}‚\u{FFFD}„…†‡\u{FFFD}‰Š‹ŚŤŽŹ"
                + "\u{FFFD}‘’“”•–—\u{FFFD}™š›śťžź"
                + "\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{FFFD}®Ż"
                + "°±˛ł´µ¶·¸ąş»Ľ˝ľż"
                + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
                + "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
                + "ŕáâăäĺćçčéęëěíîď"
                + "đńňóôőö÷řůúűüýţ˙"
        }
    }

    private static let maps: [CodePage: [Unicode.Scalar: UInt8]] = {
        var all: [CodePage: [Unicode.Scalar: UInt8]] = [:]
        for page in CodePage.allCases {
            var map: [Unicode.Scalar: UInt8] = [:]
            for (offset, scalar) in page.upperHalf.unicodeScalars.prefix(128).enumerated() where scalar != "\u{FFFD}" {
                map[scalar] = UInt8(truncatingIfNeeded: 0x80 + offset)
            }
            all[page] = map
        }
        return all
    }()
}
