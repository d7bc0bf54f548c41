import TillCore

/// Assembles the lines of a recording into messages by their marks, lengths and form.
struct TranscriptAssembler {
    struct Message {
        let side: Transcript.Side
        var bytes: [UInt8]
        /// A status word given separately.
        var status: [UInt8]?
        let line: Int
        /// The last line that contributed to it.
        var lastLine: Int
        /// `true` if only its form identifies it as command or response.
        var isUnmarked = false

        var isComplete: Bool {
            switch side {
            case .command: APDUShape.isWholeCommand(bytes)
            case .answer:
                status == nil ? APDUShape.isAnswer(bytes) : bytes.isEmpty || APDUShape.isTemplate(bytes)
            }
        }
    }

    private(set) var messages: [Message] = []
    /// Numbers of unrecognized lines, from 1.
    private(set) var unread: [Int] = []
    private(set) var isRedacted = false
    /// `true` if a response had no status word and 9000 was assumed.
    private(set) var lacksStatus = false
    private var pending: Message?
    private var fields = FieldLines()
    private var number = 0

    mutating func take(_ line: Substring) {
        number += 1
        if takeFields(line) { return }
        let isOpen = pending.map { !$0.isComplete || $0.bytes.isEmpty } ?? false
        let read = TranscriptLine(line, expectedOffset: isOpen ? pending?.bytes.count : nil)
        isRedacted = isRedacted || read.isRedacted
        if read.isRemark { return }
        if read.parts.isEmpty {
            guard let side = read.opens else { return unread.append(number) }
            flush()
            pending = Message(side: side, bytes: [], line: number, lastLine: number)
        }
        for part in read.parts { take(part) }
    }

    /// Handles lines that write a message as fields.
    private mutating func takeFields(_ line: Substring) -> Bool {
        let messages = FieldForm.read(line)
        for message in messages { take(TranscriptLine.Part(side: message.side, bytes: message.bytes)) }
        guard messages.isEmpty, !FieldForm.isController(line) else { return true }
        switch fields.take(line) {
        case .nothing: return false
        case .taken: return true
        case .command(let bytes, let isOver):
            take(TranscriptLine.Part(side: .command, bytes: bytes))
            return !isOver
        case .answer(let bytes):
            begin(.answer, bytes)
            return true
        }
    }

    /// Adds one message of a known side.
    mutating func take(_ side: Transcript.Side, _ bytes: [UInt8], line: Int) {
        number = line
        take(TranscriptLine.Part(side: side, bytes: bytes))
    }

    mutating func finish() {
        if let command = fields.finish() { take(TranscriptLine.Part(side: .command, bytes: command)) }
        flush()
    }

    private mutating func take(_ part: TranscriptLine.Part) {
        switch part.side {
        case nil: takeUnmarked(part)
        case .command?:
            if pending?.side == .command, APDUShape.isAnswer(part.bytes) {
                begin(.answer, part.bytes)
            } else if pending?.side != .command || pending?.bytes != part.bytes {
                begin(.command, part.bytes)
            }
        case .answer?:
            if part.isStatus || APDUShape.isStatus(part.bytes) {
                takeStatus(part.bytes)
            } else if pending?.side != .command, APDUShape.isCommand(part.bytes) {
                begin(.command, part.bytes)
            } else if let last = pending, last.side == .answer, last.bytes + (last.status ?? []) == part.bytes {
                break
            } else if let last = pending, last.side == .answer, !last.isComplete,
                APDUShape.isAnswer(last.bytes + part.bytes) || last.bytes.isEmpty
            {
                append(part.bytes)
            } else {
                begin(.answer, part.bytes)
            }
        }
    }

    /// The shortest command recognized between words, in bytes: digits in prose are shorter.
    private static let shortestAmongWords = 7

    private mutating func takeUnmarked(_ part: TranscriptLine.Part) {
        if let last = pending, last.lastLine >= number - 1, !part.hasWordsAfter {
            let mayGoOn = !last.isComplete || last.bytes.isEmpty && last.side == .answer
            if mayGoOn, last.side == .command || !APDUShape.isCommand(part.bytes) || last.bytes.count > 2 {
                return append(part.bytes)
            }
        }
        let waits = pending?.side == .command && pending?.isComplete == true
        if APDUShape.isCommand(part.bytes),
            !part.hasWordsAfter || !waits && part.bytes.count >= TranscriptAssembler.shortestAmongWords
        {
            begin(.command, part.bytes)
            pending?.isUnmarked = true
        } else if waits, !part.hasWordsAfter,
            APDUShape.isAnswer(part.bytes)
                || pending?.isUnmarked == true && APDUShape.isStatus(Array(part.bytes.suffix(2)))
        {
            begin(.answer, part.bytes)
        } else {
            unread.append(number)
        }
    }

    private mutating func takeStatus(_ bytes: [UInt8]) {
        guard let last = pending else { return }
        switch last.side {
        case .command:
            begin(.answer, [])
            pending?.status = bytes
        case .answer:
            if last.status == nil, !APDUShape.isAnswer(last.bytes) {
                pending?.status = bytes
                pending?.lastLine = number
            }
        }
    }

    private mutating func append(_ bytes: [UInt8]) {
        guard (pending?.bytes.count ?? 0) + bytes.count <= Transcript.longestMessage else {
            return unread.append(number)
        }
        pending?.bytes += bytes
        pending?.lastLine = number
    }

    private mutating func begin(_ side: Transcript.Side, _ bytes: [UInt8]) {
        flush(isAnswered: side == .answer)
        guard bytes.count <= Transcript.longestMessage else { return unread.append(number) }
        pending = Message(side: side, bytes: bytes, line: number, lastLine: number)
    }

    /// - Parameter isAnswered: a response follows, so an announced but unrecorded command was sent.
    private mutating func flush(isAnswered: Bool = false) {
        guard var message = pending else { return }
        pending = nil
        if isAnswered, message.side == .command, message.bytes.isEmpty { return messages.append(message) }
        guard !message.bytes.isEmpty || message.status != nil else { return unread.append(message.line) }
        if let status = message.status {
            message.bytes += status
        } else if message.side == .answer, !APDUShape.isAnswer(message.bytes), APDUShape.isTemplate(message.bytes) {
            message.bytes += [0x90, 0x00]
            lacksStatus = true
        }
        messages.append(message)
    }
}

/// Over-the-air blocks (ISO 14443-4): a control byte, the message or a part of it, and a checksum.
enum AirFrames {
    /// Returns the messages without their frames if the recording was made over the air; else unchanged.
    static func opened(_ messages: [TranscriptAssembler.Message]) -> [TranscriptAssembler.Message] {
        let isOnAir = messages.contains { message in
            guard message.side == .command, !APDUShape.isCommand(message.bytes), let inside = inside(message.bytes)
            else { return false }
            return APDUShape.isCommand(inside.bytes)
        }
        guard isOnAir else { return messages }
        var opened: [TranscriptAssembler.Message] = []
        var chained: TranscriptAssembler.Message?
        for message in messages {
            guard let inside = inside(message.bytes) else { continue }
            var whole = message
            whole.bytes = inside.bytes
            if let start = chained, start.side == message.side {
                whole = start
                whole.bytes += inside.bytes
            }
            if inside.goesOn, whole.bytes.count <= Transcript.longestMessage {
                chained = whole
            } else {
                chained = nil
                opened.append(whole)
            }
        }
        return opened
    }

    /// Returns the content of an information block; `nil` for any other frame.
    private static func inside(_ frame: [UInt8]) -> (bytes: [UInt8], goesOn: Bool)? {
        guard let control = frame.first, control & 0xE2 == 0x02, frame.count >= 4 else { return nil }
        let head = 1 + (control & 0x08 != 0 ? 1 : 0) + (control & 0x04 != 0 ? 1 : 0)
        let hasChecksum = checksum(frame.dropLast(2)) == Array(frame.suffix(2))
        let bytes = Array(frame.dropFirst(head).dropLast(hasChecksum ? 2 : 0))
        guard hasChecksum || APDUShape.isWhole(bytes) else { return nil }
        return (bytes, control & 0x10 != 0)
    }

    /// Computes CRC_A. Source: ISO 14443-3, annex B.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt16 = 0x6363
        for byte in bytes {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x8408 : sum >> 1 }
        }
        return [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }
}
