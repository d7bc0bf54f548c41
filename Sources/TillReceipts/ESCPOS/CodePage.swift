/// A code page: the meaning of a printer's bytes above 0x7F. The lower half is always ASCII.
public enum CodePage: String, Hashable, Sendable, CaseIterable {
    /// PC437, the power-on default of every printer.
    case cp437
    /// PC850: Western European languages.
    case cp850
    /// PC852: Central European languages in Latin script.
    case cp852
    /// PC858, PC850 with the euro sign.
    case cp858
    /// PC866: Cyrillic.
    case cp866
    /// Windows-1252: Western European.
    case cp1252
    /// Windows-1250: Central European.
    case cp1250

    /// Encodes text in this code page; `nil` if a character is missing from it. Control characters never encode.
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

    /// The characters of bytes 0x80 to 0xFF; U+FFFD for those that are not printable.
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
