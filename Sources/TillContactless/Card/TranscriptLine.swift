import TillCore

/// One line of a recording: whose it is and its bytes.
struct TranscriptLine {
    let side: Transcript.Side?
    let bytes: [UInt8]

    /// Nil for a line that says nothing: empty, a comment, words.
    init?(_ line: Substring) {
        let text = line.drop { $0 == " " || $0 == "\t" }
        guard let first = text.first, !text.hasPrefix("#"), !text.hasPrefix("//"), first != ";" else { return nil }
        let lowered = text.lowercased()
        var found: (side: Transcript.Side, end: Int, start: Int)?
        for (mark, side) in TranscriptLine.marks {
            guard let range = lowered.utf8Range(of: mark) else { continue }
            // The earliest mark wins, and of two at one place the longer.
            let isBetter =
                found.map { ($0.start, range.upperBound) > (range.lowerBound, $0.end) } ?? true
            if isBetter { found = (side, range.upperBound, range.lowerBound) }
        }
        let rest = found.map { Array(lowered.utf8)[$0.end...] } ?? Array(lowered.utf8)[...]
        let bytes = TranscriptLine.hexadecimal(rest)
        guard found != nil || !bytes.isEmpty else { return nil }
        // Words in front of hexadecimal digits without a mark are a remark, not a continuation.
        if found == nil, TranscriptLine.startsWithWord(lowered) { return nil }
        side = found?.side
        self.bytes = bytes
    }

    /// What announces a command or an answer, in small letters.
    private static let marks: [(String, Transcript.Side)] = [
        ("send:", .command), ("send ", .command), ("sent:", .command), (">>", .command), ("->", .command),
        ("=>", .command), ("--->", .command), ("> ", .command), (">", .command), ("c-apdu", .command),
        ("capdu", .command), ("command", .command), ("cmd", .command), ("apdu:", .command), ("tx", .command),
        ("req:", .command), ("request", .command), ("reader:", .command), ("terminal:", .command), ("pcd:", .command),
        ("resp:", .answer), ("resp ", .answer), ("recv:", .answer), ("recv", .answer), ("received", .answer),
        ("<<", .answer), ("<-", .answer), ("<=", .answer), ("< ", .answer), ("<", .answer), ("r-apdu", .answer),
        ("rapdu", .answer), ("response", .answer), ("rsp", .answer), ("res:", .answer), ("rx", .answer),
        ("sw:", .answer), ("reader -> card", .command), ("terminal -> card", .command), ("reader->card", .command),
        ("terminal->card", .command), ("card -> reader", .answer), ("card -> terminal", .answer),
        ("card->reader", .answer), ("card->terminal", .answer), ("card:", .answer), ("answer", .answer),
        ("picc:", .answer),
    ]

    /// The bytes of the first run of hexadecimal words. Remarks in brackets and words with `=` are passed over; the
    /// run ends at the first other word.
    private static func hexadecimal(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var depth = 0
        var words: [[UInt8]] = [[]]
        for character in text {
            switch character {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case _ where depth > 0: break
            // Space, tab, comma, quotes, bar.
            case 0x20, 0x09, 0x2C, 0x22, 0x27, 0x7C: words.append([])
            case UInt8(ascii: ":") where words.last?.isEmpty ?? true: words.append([])
            default: words[words.count - 1].append(character)
            }
        }
        for word in words where !word.isEmpty {
            if bytes.isEmpty, word.contains(UInt8(ascii: "=")) || word == Array("-".utf8) { continue }
            let text = String(decoding: word, as: UTF8.self)
            if word.count == 1, let value = Hex.value(of: word[0]) {
                bytes.append(value)
            } else if let run = try? Hex.bytes(text), !run.isEmpty {
                bytes += run
            } else {
                break
            }
        }
        return bytes
    }

    private static func startsWithWord(_ text: String) -> Bool {
        guard let word = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).first else { return true }
        return (try? Hex.bytes(word)) == nil
    }
}

extension String {
    /// Where the mark stands, in bytes: at the start of a word, for a mark of letters.
    fileprivate func utf8Range(of mark: String) -> Range<Int>? {
        let (text, mark) = (Array(utf8), Array(mark.utf8))
        guard let first = mark.first, text.count >= mark.count else { return nil }
        let isWord = (0x61...0x7A).contains(first)
        for start in 0...(text.count - mark.count) where text[start..<start + mark.count].elementsEqual(mark) {
            if isWord, start > 0, (0x61...0x7A).contains(text[start - 1]) || (0x30...0x39).contains(text[start - 1]) {
                continue
            }
            var end = start + mark.count
            while isWord, end < text.count, text[end] == 0x3A || text[end] == 0x5F || (0x61...0x7A).contains(text[end])
            {
                if text[end] == 0x3A {
                    end += 1
                    break
                }
                end += 1
            }
            return start..<end
        }
        return nil
    }
}
