/// Sanitizes a shop's text for display and receipts: decodes entities, masks card numbers, removes control characters,
/// limits the length.
package enum DisplayText {
    /// The most Unicode scalars kept of one text.
    package static let maximumLength = 200

    /// Decodes HTML entities once, masks card numbers, removes unprintable characters, collapses white space.
    /// - Parameter limit: the most Unicode scalars kept.
    package static func clean(_ text: String, atMost limit: Int = maximumLength) -> String {
        // Masked again at the end: an unprintable character may have separated the digits.
        CardNumberMask.masked(printable(CardNumberMask.masked(decodingEntities(text)), limit))
    }

    private static func printable(_ text: String, _ limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        var isSpacePending = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpacePending = count > 0
                continue
            }
            guard scalar.isPrintable || scalar.isSpelling(after: kept.last) else { continue }
            if isSpacePending {
                kept.append(" ")
                count += 1
                isSpacePending = false
            }
            guard count < limit - 1 else {
                kept.append("…")
                break
            }
            kept.append(scalar)
            count += 1
        }
        return String(kept)
    }

    /// Sanitizes as ``clean(_:)`` does, without the HTML elements that shops put around the text of attributes.
    package static func cleanMarkup(_ text: String) -> String { clean(removingElements(text)) }

    private static func removingElements(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var kept = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        // The last `>`: behind it no `<` can open an element, which keeps the search linear.
        let lastClose = scalars.lastIndex(of: ">") ?? -1
        var index = 0
        while index < scalars.count {
            let opens = scalars[index] == "<" && index + 1 < scalars.count && index < lastClose
            if opens, scalars[index + 1] == "/" || scalars[index + 1].properties.isAlphabetic {
                while index < scalars.count, scalars[index] != ">" { index += 1 }
                index += 1
                kept.append(" ")
            } else {
                kept.append(scalars[index])
                index += 1
            }
        }
        return String(kept)
    }

    /// Decodes entities once, so that `&amp;lt;` becomes `&lt;`. Anything else is left unchanged.
    private static func decodingEntities(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var decoded = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            if scalars[index] == "&", let (scalar, length) = entity(scalars[(index + 1)...].prefix(12)) {
                decoded.append(scalar)
                index += 1 + length
            } else {
                decoded.append(scalars[index])
                index += 1
            }
        }
        return String(decoded)
    }

    /// Returns the scalar of an entity from the text after its ampersand, and the length of that text.
    private static func entity(_ text: ArraySlice<Unicode.Scalar>) -> (Unicode.Scalar, Int)? {
        guard let end = text.firstIndex(of: ";") else { return nil }
        var name = String(String.UnicodeScalarView(text[..<end]))
        let length = end - text.startIndex + 1
        if let scalar = names[name] { return (scalar, length) }
        guard name.hasPrefix("#") else { return nil }
        name.removeFirst()
        let isHexadecimal = name.hasPrefix("x") || name.hasPrefix("X")
        if isHexadecimal { name.removeFirst() }
        guard let value = UInt32(name, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value) else {
            return nil
        }
        return (scalar, length)
    }

    private static let names: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "times": "×", "divide": "÷",
        "ndash": "–", "mdash": "—", "hellip": "…", "bull": "•", "middot": "·", "deg": "°", "plusmn": "±", "micro": "µ",
        "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "laquo": "«", "raquo": "»",
        "lsaquo": "‹", "rsaquo": "›", "prime": "′", "Prime": "″", "euro": "€", "pound": "£", "yen": "¥", "cent": "¢",
        "curren": "¤", "copy": "©", "reg": "®", "trade": "™", "frac12": "½", "frac14": "¼", "frac34": "¾", "sup2": "²",
        "sup3": "³", "szlig": "ß", "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü",
        "agrave": "à", "aacute": "á", "acirc": "â", "atilde": "ã", "aring": "å", "aelig": "æ", "ccedil": "ç",
        "egrave": "è", "eacute": "é", "ecirc": "ê", "euml": "ë", "igrave": "ì", "iacute": "í", "icirc": "î",
        "iuml": "ï", "ntilde": "ñ", "ograve": "ò", "oacute": "ó", "ocirc": "ô", "otilde": "õ", "oslash": "ø",
        "ugrave": "ù", "uacute": "ú", "ucirc": "û", "Eacute": "É", "Aring": "Å", "Oslash": "Ø", "AElig": "Æ",
        "Ccedil": "Ç", "Ntilde": "Ñ", "iexcl": "¡", "iquest": "¿", "ordm": "º", "ordf": "ª", "sect": "§", "para": "¶",
        "larr": "←", "rarr": "→", "infin": "∞", "ne": "≠", "le": "≤", "ge": "≥",
    ]
}
