import TillCore

/// Messages written one field per line: `CLA: 00`, `INS: A4`, … `Data: 32 50…`; and responses written one object per
/// line: `Tag 6F: …`, `Length: 23`, `Value: 84 0E…` over several lines, where the first object contains the others.
struct FieldLines {
    enum Outcome {
        /// The line is not of this form.
        case nothing
        /// The line is part of a message.
        case taken
        /// A command is complete; with `isOver` the line itself is not part of it.
        case command([UInt8], isOver: Bool)
        /// The data of a response are complete.
        case answer([UInt8])
    }

    private var head: [String: UInt8] = [:]
    private var data: [UInt8] = []
    private var expected = 0
    /// `true` after a command in this form, when its response may follow in it.
    private var awaitsAnswer = false
    private var tag: [UInt8] = []
    private var length: Int?
    private var value: [UInt8] = []

    mutating func take(_ line: Substring) -> Outcome {
        guard line.utf8.count <= FieldLines.longestLine else { return .nothing }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].trimmed.lowercased()
        let rest = parts.count > 1 ? parts[1].trimmed : ""
        if ["cla", "ins", "p1", "p2", "lc", "le"].contains(name), parts.count == 2, let byte = FieldLines.byte(rest) {
            if name == "cla" { (head, data, expected, awaitsAnswer) = ([:], [], 0, false) }
            guard name == "cla" || head["cla"] != nil else { return .nothing }
            head[name] = byte
            if name == "lc" { expected = Int(byte) }
            return .taken
        }
        if isCommandOpen {
            if name == "data", let bytes = FieldLines.digits(rest) {
                data += bytes
                return .taken
            }
            if !data.isEmpty, data.count < expected, parts.count == 1, let bytes = FieldLines.digits(line) {
                data += bytes
                return .taken
            }
            return finish().map { Outcome.command($0, isOver: true) } ?? .nothing
        }
        return awaitsAnswer ? takeAnswer(line, name, rest) : .nothing
    }

    /// Returns the pending command, if it is complete.
    mutating func finish() -> [UInt8]? {
        guard isCommandOpen, let cla = head["cla"], let ins = head["ins"], let p1 = head["p1"], let p2 = head["p2"],
            data.count <= 255
        else { return nil }
        let count = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]
        let command = [cla, ins, p1, p2] + count + data + (head["le"].map { [$0] } ?? [])
        (head, data, expected) = ([:], [], 0)
        (awaitsAnswer, tag, length, value) = (true, [], nil, [])
        return command
    }

    private var isCommandOpen: Bool { ["cla", "ins", "p1", "p2"].allSatisfy { head[$0] != nil } }

    private mutating func takeAnswer(_ line: Substring, _ name: String, _ rest: Substring) -> Outcome {
        if name.hasPrefix("tag "), tag.isEmpty, let bytes = FieldLines.digits(name.dropFirst(4)) {
            tag = bytes
            return .taken
        }
        guard !tag.isEmpty else { return .nothing }
        if name == "length", length == nil, let bytes = FieldLines.digits(rest), bytes.count <= 2 {
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
            return .taken
        }
        guard let length, value.count < length else { return name.hasPrefix("sw") ? end() : .taken }
        guard let bytes = FieldLines.digits(name == "value" ? rest : line) else { return .nothing }
        value += bytes
        guard value.count >= length else { return .taken }
        guard value.count == length else { return end() }
        return .answer(tag + FieldLines.count(length) + value)
    }

    /// Ends a response at its status word; the rest belongs to another message.
    private mutating func end() -> Outcome {
        awaitsAnswer = false
        return .nothing
    }

    /// The longest line examined, in bytes.
    private static let longestLine = 4096

    private static func count(_ length: Int) -> [UInt8] {
        switch length {
        case ..<0x80: [UInt8(truncatingIfNeeded: length)]
        case ..<0x100: [0x81, UInt8(truncatingIfNeeded: length)]
        default: [0x82, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        }
    }

    private static func byte(_ text: Substring) -> UInt8? {
        guard let bytes = digits(text), bytes.count == 1 else { return nil }
        return bytes[0]
    }

    /// Parses hexadecimal digits; a comment after `//` is dropped.
    private static func digits(_ text: some StringProtocol) -> [UInt8]? {
        let line = Substring(text)
        let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        guard let bytes = Hex.bytes(ifValid: text), !bytes.isEmpty else { return nil }
        return bytes
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text = text.dropLast() }
        return text
    }
}
