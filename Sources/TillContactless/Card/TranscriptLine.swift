import TillCore

/// One line of a recording, split into messages by side.
struct TranscriptLine {
    /// Bytes with their label.
    struct Part: Hashable {
        /// The side that sent them; `nil` if the line does not identify it.
        var side: Transcript.Side?
        /// The bytes; redacted digits are zeros.
        var bytes: [UInt8]
        /// `true` if the label marks them as a status word.
        var isStatus = false
        /// `true` if words follow: an explanation, not more of the message.
        var hasWordsAfter = false
    }

    /// The parts, in the line's order.
    private(set) var parts: [Part] = []
    /// The side announced for the bytes on the following lines, if the line is only a label.
    private(set) var opens: Transcript.Side?
    /// `true` for a line without content by intent: empty, a comment, the card's power-on response.
    private(set) var isRemark = false
    /// `true` if digits were redacted.
    private(set) var isRedacted = false
    /// `true` if the line starts with a byte offset, as in dumps.
    private var hasOffset = false

    /// The longest label examined, in bytes.
    private static let longestLabel = 200

    init(_ line: Substring, expectedOffset: Int?) {
        let text = TranscriptLine.cleaned(line)
        guard text.contains(where: { $0 != 0x20 && $0 != 0x09 }), !TranscriptLine.isComment(text) else {
            isRemark = true
            return
        }
        if TranscriptLine.words(text.prefix(40)).contains(where: TranscriptLine.powerWords.contains) {
            isRemark = true
            return
        }
        let runs = runs(text, expectedOffset)
        if readPair(runs) { return }
        var at = 0
        while let found = marked(text, from: at) {
            parts.append(found.part)
            at = found.end
        }
        guard parts.isEmpty else { return }
        let label = text.prefix(TranscriptLine.longestLabel)
        if runs.allSatisfy({ $0.bytes.count < 2 }) {
            opens = TranscriptLine.marks(label).first { TranscriptLine.isOnlyAnnouncement(text[$0.end...]) }?.side
        }
        if opens == nil { readUnmarked(text, runs) }
    }

    // MARK: - Marked bytes

    /// Returns the first marked bytes from a position onward.
    private mutating func marked(_ text: [UInt8], from start: Int) -> (part: Part, end: Int)? {
        let label = text[start..<min(text.count, start + TranscriptLine.longestLabel)]
        for mark in TranscriptLine.marks(label) {
            let direct = HexRun(text, from: HexRun.afterNoise(text, mark.end))
            let run = direct.bytes.count >= 2 ? direct : afterColon(text, mark.end)
            guard let run, run.bytes.count >= 2 else { continue }
            isRedacted = isRedacted || run.isRedacted
            let isStatus = mark.isStatus && run.bytes.count == 2
            let hasWords = run.hasWordsAfter && TranscriptLine.marks(text[run.end...].prefix(40)).isEmpty
            return (
                Part(side: mark.side, bytes: run.bytes, isStatus: isStatus, hasWordsAfter: hasWords), run.end
            )
        }
        return nil
    }

    /// Finds bytes after a later colon or equals sign, as in `response length 64 data: 6F…`.
    private func afterColon(_ text: [UInt8], _ start: Int) -> HexRun? {
        let end = min(text.count, start + 80)
        var at = start
        while at < end {
            if text[at] == UInt8(ascii: ":") || text[at] == UInt8(ascii: "=") {
                let run = HexRun(text, from: HexRun.afterNoise(text, at + 1))
                if run.bytes.count >= 2 { return run }
            }
            at += 1
        }
        return nil
    }

    // MARK: - Unmarked bytes

    /// Returns every run of digits in the line.
    private mutating func runs(_ text: [UInt8], _ expectedOffset: Int?) -> [HexRun] {
        var runs: [HexRun] = []
        var at = 0
        while at < text.count, runs.count < 64 {
            guard TranscriptLine.startsWord(text, at) else {
                at += 1
                continue
            }
            var run = HexRun(text, from: at)
            if let expectedOffset, runs.isEmpty, run.isOffset(expectedOffset, text),
                text[..<at].allSatisfy({ !HexRun.isLetter($0) })
            {
                hasOffset = true
                run = HexRun(text, from: run.afterFirstToken(text))
            }
            if !run.bytes.isEmpty { runs.append(run) }
            at = max(run.end, at + 1)
        }
        return runs
    }

    /// Reads a command and its response from one line, with any text between them.
    private mutating func readPair(_ runs: [HexRun]) -> Bool {
        guard let command = runs.firstIndex(where: { APDUShape.isCommand($0.bytes) }) else { return false }
        let rest = runs[(command + 1)...]
        var answer = rest.first { APDUShape.isAnswer($0.bytes) }?.bytes
        // The status word may be separate, after the data.
        for (data, status) in zip(rest, rest.dropFirst())
        where APDUShape.isTemplate(data.bytes) && APDUShape.isStatus(status.bytes) {
            answer = data.bytes + status.bytes
        }
        guard let answer else { return false }
        parts = [Part(side: .command, bytes: runs[command].bytes), Part(side: .answer, bytes: answer)]
        isRedacted = runs.contains(where: \.isRedacted)
        return true
    }

    /// Reads the longest run of digits.
    private mutating func readUnmarked(_ text: [UInt8], _ runs: [HexRun]) {
        isRedacted = isRedacted || runs.contains(where: \.isRedacted)
        guard let longest = runs.max(by: { $0.bytes.count < $1.bytes.count }) else { return }
        let isInFront = hasOffset || TranscriptLine.isOnlyLabel(text[..<longest.start])
        parts = [
            Part(
                side: nil, bytes: longest.bytes,
                hasWordsAfter: longest.hasWordsAfter || !(isInFront || APDUShape.isWhole(longest.bytes)))
        ]
    }

    private static func startsWord(_ text: [UInt8], _ at: Int) -> Bool {
        guard HexRun.isWordByte(text[at]) else { return false }
        return at == 0 || !HexRun.isWordByte(text[at - 1])
    }

    // MARK: - Words

    /// Converts to lowercase, normalizes arrows, and blanks times and dates.
    private static func cleaned(_ line: Substring) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(line.utf8.count)
        for character in line.unicodeScalars {
            switch character.value {
            case 0x2192, 0x21D2, 0x27F6, 0x21E8: text += Array("->".utf8)
            case 0x2190, 0x21D0, 0x27F5, 0x21E6: text += Array("<-".utf8)
            case 0xA0, 0x2003, 0xFEFF: text.append(0x20)
            case 0x41...0x5A: text.append(UInt8(character.value) | 0x20)
            case ..<0x80: text.append(UInt8(character.value))
            default: text.append(UInt8(ascii: "~"))
            }
        }
        blankDirection(&text)
        for (entity, sign) in entities where text.contains(UInt8(ascii: "&")) || text.contains(UInt8(ascii: "(")) {
            replace(entity, sign, in: &text)
        }
        TimeMarks.blank(&text)
        MarkupTags.blank(&text)
        joinStatusHalves(&text)
        return text
    }

    private static let entities = [("&gt;", ">"), ("&lt;", "<"), ("&nbsp;", " "), ("(byte)", "")]

    private static func replace(_ word: String, _ sign: String, in text: inout [UInt8]) {
        let (word, sign) = (Array(word.utf8), Array(sign.utf8))
        var at = 0
        while at + word.count <= text.count {
            if text[at] == word[0], text[at...].starts(with: word) {
                text.replaceSubrange(at..<at + word.count, with: sign)
            }
            at += 1
        }
    }

    /// Blanks the `i` or `o` with which smart card service monitors begin each line, for input and output.
    private static func blankDirection(_ text: inout [UInt8]) {
        guard let first = text.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }), first > 0, first + 1 < text.count,
            text[first] == UInt8(ascii: "i") || text[first] == UInt8(ascii: "o"), text[first + 1] == 0x20
        else { return }
        text[first] = 0x20
    }

    /// Rewrites `sw1=90, sw2=00` as `sw1=90, 00`.
    private static func joinStatusHalves(_ text: inout [UInt8]) {
        let name = Array("sw2".utf8)
        guard text.count > name.count else { return }
        for at in 1..<max(2, min(text.count - name.count, 4096))
        where text[at] == name[0] && text[at...].starts(with: name) && !HexRun.isWordByte(text[at - 1]) {
            var end = at + name.count
            while end < text.count, [0x20, UInt8(ascii: "="), UInt8(ascii: ":")].contains(text[end]) { end += 1 }
            text.removeSubrange(at..<end)
            return
        }
    }

    private static func isComment(_ text: [UInt8]) -> Bool {
        let start = text.drop { $0 == 0x20 || $0 == 0x09 }
        return start.starts(with: "#".utf8) || start.starts(with: "//".utf8) || start.starts(with: ";".utf8)
            || start.starts(with: "**".utf8) || start.starts(with: "```".utf8) || start.starts(with: "<!--".utf8)
            || start.starts(with: "----".utf8) && !start.contains(UInt8(ascii: ">"))
            || start.starts(with: "====".utf8) && !start.contains(UInt8(ascii: ">"))
    }

    /// Labels of bytes that a card sends before any command.
    private static let powerWords: Set<String> = ["atr", "ats", "uid", "tagid", "rset", "reset", "historical", "atqa"]

    /// Returns `true` if there are no words before the digits, or only `data:`, which adds nothing.
    private static func isOnlyLabel(_ text: ArraySlice<UInt8>) -> Bool {
        let before = words(text).filter { word in word.utf8.contains(where: HexRun.isLetter) }
        let mark = text.last { $0 != 0x20 && $0 != 0x09 }
        return before.isEmpty
            || before == ["data"] && (mark == UInt8(ascii: ":") || mark == UInt8(ascii: "="))
    }

    static func words(_ text: ArraySlice<UInt8>) -> [String] {
        text.split { !HexRun.isWordByte($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isOnlyAnnouncement(_ rest: ArraySlice<UInt8>) -> Bool {
        let left = words(rest).filter { word in
            !["bytes", "byte", "length", "len", "data", "hex", "apdu", "t", "pdu", "from", "to", "card", "reader"]
                .contains(word) && Int(word) == nil
        }
        return left.isEmpty
    }
}

extension TranscriptLine {
    /// A mark that identifies the side of the bytes after it.
    struct Mark {
        let side: Transcript.Side
        let isStatus: Bool
        let start: Int
        let end: Int
    }

    /// Returns the marks of a text in order; at one position the longest.
    static func marks(_ text: ArraySlice<UInt8>) -> [Mark] {
        var found: [Mark] = []
        var at = text.startIndex
        while at < text.endIndex {
            if let mark = arrow(text, at) ?? word(text, at) {
                found.append(mark)
                at = mark.end
            } else {
                at += 1
            }
        }
        // `reader -> card:` names both ends: the first end counts.
        var joined: [Mark] = []
        for mark in found {
            guard let last = joined.last, text[last.end..<mark.start].allSatisfy({ $0 == 0x20 }),
                mark.isArrow(in: text) ? !last.isArrow(in: text) : last.endsInArrow(of: text)
            else {
                joined.append(mark)
                continue
            }
            // In `APDU <--` only the arrow gives the direction: the word names both.
            let isNeutral = text[last.start..<last.end].elementsEqual("apdu".utf8) && mark.isArrow(in: text)
            joined[joined.count - 1] = Mark(
                side: isNeutral ? mark.side : last.side, isStatus: last.isStatus, start: last.start, end: mark.end)
        }
        return joined
    }

    private static let arrows: [(String, Transcript.Side)] = [
        (">>>>", .command), ("<<<<", .answer), (">>>", .command), ("<<<", .answer), ("--->", .command),
        ("<---", .answer), ("-->", .command), ("<--", .answer), ("==>", .command), ("<==", .answer), (">>", .command),
        ("<<", .answer), ("->", .command), ("<-", .answer), ("=>", .command), ("<=", .answer), (">", .command),
        ("<", .answer),
    ]

    private static func arrow(_ text: ArraySlice<UInt8>, _ at: Int) -> Mark? {
        guard [UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "-"), UInt8(ascii: "=")].contains(text[at]) else {
            return nil
        }
        for (sign, side) in arrows where text[at...].starts(with: sign.utf8) {
            return Mark(side: side, isStatus: false, start: at, end: at + sign.utf8.count)
        }
        return nil
    }

    private static let commandWords: Set<String> = [
        "send", "sending", "sent", "tx", "c-apdu", "capdu", "c_apdu", "commandapdu", "command", "cmd", "apdu",
        "request",
        "req", "reader", "terminal", "term", "pcd", "rdr", "ifd", "ifd_tx", "outgoing", "transmit", "transmitting",
        "transceive_in", "write", "pos", "host", "input", "query", "c", "sendapdu", "out", "pbsendbuffer",
        "bsendbuffer",
        "tpdu", "ctpdu",
    ]
    private static let answerWords: Set<String> = [
        "resp", "response", "responseapdu", "recv", "received", "receive", "receiving", "rx", "r-apdu", "rapdu",
        "r_apdu",
        "answer", "res", "rsp", "reply", "card", "tag", "picc", "icc", "incoming", "result", "output", "r", "in", "ret",
        "pbrecvbuffer", "brecvbuffer", "rtpdu", "rpdu",
    ]
    private static let statusWords: Set<String> = [
        "sw", "sw1sw2", "sw12", "status", "statusword", "status_word", "sw1",
    ]

    private static func word(_ text: ArraySlice<UInt8>, _ at: Int) -> Mark? {
        guard HexRun.isLetter(text[at]), at == text.startIndex || !HexRun.isWordByte(text[at - 1]) else { return nil }
        var end = at
        while end < text.endIndex,
            HexRun.isWordByte(text[end])
                || text[end] == UInt8(ascii: "-") && end + 1 < text.endIndex
                    && HexRun.isLetter(text[end + 1])
        {
            end += 1
        }
        // `sw1=90 sw2=00` and `sw1/sw2`: both halves belong together, so the second name is not a mark.
        let word = String(decoding: text[at..<end], as: UTF8.self)
        let isLabel = end == text.endIndex || !HexRun.isWordByte(text[end])
        guard isLabel else { return nil }
        if word.utf8.count == 1 { return letter(word, text, at, end) }
        if commandWords.contains(word) { return Mark(side: .command, isStatus: false, start: at, end: end) }
        if answerWords.contains(word) { return Mark(side: .answer, isStatus: false, start: at, end: end) }
        if statusWords.contains(word) { return Mark(side: .answer, isStatus: true, start: at, end: end) }
        return nil
    }

    /// Recognizes a single letter with a colon, `C:` and `R:`, or before an arrow, `T -> C` and `C -> T`.
    private static func letter(_ word: String, _ text: ArraySlice<UInt8>, _ at: Int, _ end: Int) -> Mark? {
        if end < text.endIndex, text[end] == UInt8(ascii: ":") {
            switch word {
            case "c", "s", "q": return Mark(side: .command, isStatus: false, start: at, end: end)
            case "r", "a": return Mark(side: .answer, isStatus: false, start: at, end: end)
            default: return nil
            }
        }
        let rest = text[end...].drop { $0 == 0x20 }
        guard rest.starts(with: "->".utf8) || rest.starts(with: "=>".utf8) || rest.starts(with: "-->".utf8) else {
            return nil
        }
        switch word {
        case "t", "r", "p": return Mark(side: .command, isStatus: false, start: at, end: end)
        case "c": return Mark(side: .answer, isStatus: false, start: at, end: end)
        default: return nil
        }
    }
}

extension TranscriptLine.Mark {
    fileprivate func isArrow(in text: ArraySlice<UInt8>) -> Bool {
        text[start..<end].allSatisfy { !HexRun.isLetter($0) }
    }

    fileprivate func endsInArrow(of text: ArraySlice<UInt8>) -> Bool {
        !isArrow(in: text)
            && (text[start..<end].last == UInt8(ascii: ">") || text[start..<end].last == UInt8(ascii: "<"))
    }
}
