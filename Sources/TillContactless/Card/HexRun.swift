import TillCore

/// A run of hexadecimal digits in a line, in any notation: pairs, words, `0x` prefixes, commas or colons between. The
/// text is in lowercase.
struct HexRun {
    private(set) var bytes: [UInt8] = []
    /// The start position of the run.
    let start: Int
    /// The position after the run.
    private(set) var end: Int
    /// `true` if words follow that are not the bytes as text.
    private(set) var hasWordsAfter = false
    /// `true` if digits were redacted.
    private(set) var isRedacted = false
    private var tokens: [(range: Range<Int>, bytes: [UInt8])] = []

    init(_ text: [UInt8], from start: Int) {
        self.start = start
        end = start
        var at = start
        var onlyPairsFollow: Bool?
        // Characters that wrap the whole run: quotes, brackets.
        while at < text.count, HexRun.isWrapping(text[at]) { at += 1 }
        while at < text.count {
            let from = at
            while at < text.count, HexRun.isTokenByte(text[at]) { at += 1 }
            guard at > from, let token = HexRun.token(text[from..<at], isFirst: tokens.isEmpty, &isRedacted) else {
                at = from
                break
            }
            tokens.append((from..<at, token))
            end = at
            let gap = at
            while at < text.count, HexRun.isSeparator(text[at]) { at += 1 }
            // Between long words a comma separates two messages; between pairs it separates two bytes.
            if text[gap..<at].contains(UInt8(ascii: ",")), token.count > 1 || HexRun.isLongWord(text, at) { break }
            // A wide gap ends the run, unless only pairs follow: dumps group bytes by eight.
            let isWide = at - gap >= 2 && text[gap..<at].allSatisfy { $0 == 0x20 }
            guard isWide else { continue }
            let follow = onlyPairsFollow ?? HexRun.onlyPairsFollow(text, at)
            onlyPairsFollow = follow
            if !follow { break }
        }
        cutText(text)
        bytes = tokens.flatMap(\.bytes)
        end = tokens.last?.range.upperBound ?? start
        let rest = text[min(end, text.count)...].drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
        // A table column ends here; the next one describes the message and is not part of it.
        hasWordsAfter = rest.first != UInt8(ascii: "|") && rest.contains(where: HexRun.isWordByte) && !isText(text)
    }

    /// Removes the ASCII rendering at the end of a dump's line, which may itself resemble digits.
    private mutating func cutText(_ text: [UInt8]) {
        guard tokens.count > 1 else { return }
        for count in (1..<tokens.count).reversed() where count <= 32 {
            let kept = tokens[..<count].flatMap(\.bytes)
            let rest = text[tokens[count].range.lowerBound...]
            if HexRun.shows(rest, kept) {
                tokens.removeSubrange(count...)
                return
            }
        }
    }

    private func isText(_ text: [UInt8]) -> Bool {
        let rest = text[min(end, text.count)...].drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: "|") }
        return HexRun.shows(rest, bytes)
    }

    /// Returns `true` if the text renders the line's last bytes as characters, with a substitute for unprintable ones.
    private static func shows(_ text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> Bool {
        var text = text
        var spaces = 0
        while let last = text.last, last == 0x20 || last == 0x0D || last == UInt8(ascii: "|") {
            spaces += last == 0x20 ? 1 : 0
            text = text.dropLast()
        }
        // Trailing 20 bytes are rendered as spaces too, indistinguishable from those after the text.
        let blanks = min(spaces, bytes.reversed().prefix { $0 == 0x20 }.count)
        return isText(text, of: bytes) || blanks > 0 && isText(text, of: bytes.dropLast(blanks))
    }

    private static func isText(_ text: ArraySlice<UInt8>, of bytes: [UInt8]) -> Bool {
        guard text.count >= 2, text.count <= bytes.count, bytes.count - text.count < 16 else { return false }
        let shown = bytes.suffix(text.count)
        return zip(text, shown).allSatisfy { character, byte in
            switch byte {
            case 0x41...0x5A: character == byte | 0x20 || character == UInt8(ascii: ".")
            case 0x21...0x7E: character == byte || character == UInt8(ascii: ".")
            default: !isLetter(character) && !(0x30...0x39).contains(character)
            }
        } && text.contains { $0 == UInt8(ascii: ".") || isLetter($0) || (0x30...0x39).contains($0) }
    }

    /// Returns `true` if the first word of a dump's line is the offset of its bytes.
    func isOffset(_ expected: Int, _ text: [UInt8]) -> Bool {
        guard let first = tokens.first, first.bytes.count == 2 || first.bytes.count == 4,
            first.bytes.reduce(0, { $0 << 8 | Int($1) }) == expected
        else { return false }
        if tokens.count > 1 { return tokens[1].bytes.count == 1 }
        return !HexRun(text, from: afterFirstToken(text)).bytes.isEmpty
    }

    func afterFirstToken(_ text: [UInt8]) -> Int {
        var at = tokens.first?.range.upperBound ?? end
        while at < text.count, HexRun.isSeparator(text[at]) { at += 1 }
        return at
    }

    /// Skips text between a mark and its bytes: spaces, signs, `(20 bytes)`, `[sel ]`, `t=1`.
    static func afterNoise(_ text: [UInt8], _ start: Int) -> Int {
        var at = start
        while at < text.count {
            let byte = text[at]
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") {
                let close = byte == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "]")
                guard let end = text[at...].prefix(64).firstIndex(of: close), holdsDigits(text, end + 1) else {
                    return at
                }
                at = end + 1
            } else if byte == UInt8(ascii: "t"), at + 2 < text.count, text[at + 1] == UInt8(ascii: "=") {
                at += 3
            } else if isSeparator(byte) || [UInt8](">-=.|*".utf8).contains(byte) || isWrapping(byte) {
                at += 1
            } else if let word = noiseWords.first(where: { text[at...].starts(with: $0.utf8) }),
                at + word.utf8.count >= text.count || !isWordByte(text[at + word.utf8.count])
            {
                at += word.utf8.count
            } else {
                return at
            }
        }
        return at
    }

    private static let noiseWords = [
        "apdu", "hex", "data", "pdu", "bytes", "raw", "status", "command", "response", "sw1sw2", "sw1", "sw", "to",
        "from",
        "card", "buffer",
    ]

    private static func holdsDigits(_ text: [UInt8], _ start: Int) -> Bool {
        guard start < text.count else { return false }
        return HexRun(text, from: afterNoise(text, start)).bytes.count >= 2
    }

    private static func token(_ text: ArraySlice<UInt8>, isFirst: Bool, _ isRedacted: inout Bool) -> [UInt8]? {
        var text = text
        if text.starts(with: "0x".utf8) { text = text.dropFirst(2) }
        while text.last == UInt8(ascii: "!") || text.last == UInt8(ascii: "h") && text.count == 3 {
            text = text.dropLast()
        }
        if text.count == 1, !isFirst, let value = Hex.value(of: text[text.startIndex]) { return [value] }
        guard text.count >= 2, text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var (high, blacked): (UInt8?, Bool) = (nil, false)
        for character in text {
            var value = Hex.value(of: character)
            if value == nil, !isFirst || bytes.count >= 2, "x*?".utf8.contains(character) {
                (value, blacked) = (0, true)
            }
            guard let value else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        isRedacted = isRedacted || blacked
        return bytes
    }

    private static func onlyPairsFollow(_ text: [UInt8], _ start: Int) -> Bool {
        let rest = text[start...].prefix { $0 != UInt8(ascii: "|") }
        guard !rest.isEmpty else { return true }
        return rest.split(whereSeparator: { isSeparator($0) }).allSatisfy { word in
            word.count == 2 && word.allSatisfy { Hex.value(of: $0) != nil }
                || word.count > 2 && word.count.isMultiple(of: 2) && word.allSatisfy { Hex.value(of: $0) != nil }
        }
    }

    private static func isLongWord(_ text: [UInt8], _ at: Int) -> Bool {
        let word = text[at...].prefix(5).prefix(while: isTokenByte)
        return word.count > 2 && !word.starts(with: "0x".utf8)
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    static func isWordByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
    }
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?")
            || byte == UInt8(ascii: "!")
    }
    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
    private static func isWrapping(_ byte: UInt8) -> Bool { "\"'[({ ".utf8.contains(byte) }
}

/// Classification of unmarked bytes as command or response.
enum APDUShape {
    private static let classes: Set<UInt8> = [0x00, 0x0C, 0x80, 0x84, 0x8C, 0x90]
    private static let instructions: Set<UInt8> = [
        0xA4, 0xB2, 0xB0, 0xC0, 0x88, 0x82, 0x84, 0x20, 0xA8, 0xAE, 0x2A, 0xEA, 0xD0, 0xCA, 0x50, 0x53, 0xDA, 0xE2,
        0x16,
        0x18, 0x1E, 0x24, 0xCB, 0x5A, 0x60, 0xBD, 0xAF, 0x87, 0x86,
    ]

    /// Returns `true` for a known class and instruction with consistent lengths.
    static func isCommand(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, classes.contains(bytes[0]), instructions.contains(bytes[1]), !isAnswer(bytes) else {
            return false
        }
        return isWholeCommand(bytes)
    }

    /// Returns `true` if the lengths are consistent and a command that requires data has some.
    static func isWholeCommand(_ bytes: [UInt8]) -> Bool {
        guard let command = CommandAPDU(bytes: bytes) else { return false }
        let needsData =
            switch command.ins {
            case 0xA4: command.p1 == 4
            case 0xA8, 0xAE, 0x88, 0x2A: true
            default: false
            }
        return !(needsData && command.data.isEmpty && (bytes.count == 4 || bytes.count == 5 && bytes[4] != 0))
    }

    /// Returns `true` for a status word, optionally after data objects.
    static func isAnswer(_ bytes: [UInt8]) -> Bool {
        guard let answer = ResponseAPDU(bytes: bytes), isStatus(Array(bytes.suffix(2))) else { return false }
        return answer.data.isEmpty || isTemplate(answer.data)
    }

    /// Returns `true` for data objects in a known response template, with nothing after them.
    static func isTemplate(_ data: [UInt8]) -> Bool {
        guard let first = data.first, [0x6F, 0x70, 0x77, 0x80, 0x61, 0x73, 0x9F, 0x71, 0x72, 0x90].contains(first),
            let objects = DataObject.parse(ifValid: data)
        else { return false }
        return objects.count == 1 || first == 0x9F
    }

    /// Returns `true` for a status word that cards use.
    static func isStatus(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 2 else { return false }
        let word = StatusWord(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        return bytes[0] == 0x61 || bytes[0] == 0x6C || bytes[0] == 0x91 || bytes[0] == 0x93 || bytes[0] == 0x94
            || word.meaning != "not a status that is known" || bytes[0] == 0x90 && bytes[1] < 0x20
    }

    static func isWhole(_ bytes: [UInt8]) -> Bool { isCommand(bytes) || isAnswer(bytes) }
}

/// Times and dates in a log line, which resemble message digits.
enum TimeMarks {
    /// Replaces them with spaces, within the first part of the line.
    static func blank(_ text: inout [UInt8]) {
        var at = 0
        let end = min(text.count, 64)
        while at < end {
            guard isDigit(text, at), at == 0 || !HexRun.isWordByte(text[at - 1]) && text[at - 1] != UInt8(ascii: ":")
            else {
                at += 1
                continue
            }
            if let length = length(text, at) {
                for index in at..<at + length { text[index] = 0x20 }
                at += length
            } else {
                while at < end, isDigit(text, at) { at += 1 }
                at += 1
            }
        }
    }

    private static let patterns = [
        "dddd-dd-dd", "dddd/dd/dd", "dd/dd/dddd", "dd.dd.dddd", "dd:dd:dd", "d:dd:dd", "dd-dd dd:dd:dd",
    ]

    private static func length(_ text: [UInt8], _ start: Int) -> Int? {
        for pattern in patterns {
            let pattern = Array(pattern.utf8)
            guard text.count - start >= pattern.count else { continue }
            let fits = pattern.indices.allSatisfy { index in
                pattern[index] == UInt8(ascii: "d")
                    ? isDigit(text, start + index) : pattern[index] == text[start + index]
            }
            guard fits else { continue }
            var end = start + pattern.count
            // Not a time: more colon-separated pairs follow, which is also a notation for bytes.
            if end < text.count, text[end] == UInt8(ascii: ":") { return nil }
            while end < text.count, isDigit(text, end) || ".,tz+".utf8.contains(text[end]) {
                if text[end] == UInt8(ascii: "t") || text[end] == UInt8(ascii: ","), !isDigit(text, end + 1) { break }
                end += 1
            }
            if end < text.count, text[end] == UInt8(ascii: ":") {
                while end < text.count, isDigit(text, end) || text[end] == UInt8(ascii: ":") || text[end] == 0x2E {
                    end += 1
                }
            }
            return end - start
        }
        return nil
    }

    private static func isDigit(_ text: [UInt8], _ at: Int) -> Bool {
        at < text.count && (0x30...0x39).contains(text[at])
    }
}

/// XML elements on one line: `<command>00A4…</command>` is a label with its bytes.
enum MarkupTags {
    /// Rewrites them as `command: 00A4…`.
    static func blank(_ text: inout [UInt8]) {
        guard text.contains(UInt8(ascii: "/")), let first = text.firstIndex(of: UInt8(ascii: "<")) else { return }
        var at = first
        while at < text.count {
            guard text[at] == UInt8(ascii: "<"), at + 1 < text.count,
                HexRun.isLetter(text[at + 1]) || text[at + 1] == UInt8(ascii: "/"),
                let end = text[at...].prefix(80).firstIndex(of: UInt8(ascii: ">"))
            else {
                at += 1
                continue
            }
            if text[at + 1] == UInt8(ascii: "/") {
                for index in at...end { text[index] = 0x20 }
            } else {
                text[at] = 0x20
                text[end] = UInt8(ascii: ":")
            }
            at = end + 1
        }
    }
}
