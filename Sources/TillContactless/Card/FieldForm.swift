import TillCore

/// A message written as fields on one line: `cla=0x00; ins=0xa4; p1=0x04; p2=0x00; data=4f53…; le=0` and `sw1=0x90;
/// sw2=0x00; data=6f1d…`; also the log of a phone's NFC controller, and of a card explorer.
enum FieldForm {
    typealias Message = (side: Transcript.Side, bytes: [UInt8])

    /// Returns the messages of a line; empty if it is not of this form.
    static func read(_ line: Substring) -> [Message] {
        if let message = fields(line) ?? controller(line) { return [message] }
        return explorer(line)
    }

    /// Returns `true` for a line of a phone's NFC controller, whether or not it carries a message.
    static func isController(_ line: Substring) -> Bool { line.firstRange(of: "NxpNci") != nil }

    /// Parses `NxpNciX : len = 23 > 00001400A4…`: three controller bytes, then the message.
    private static func controller(_ line: Substring) -> Message? {
        guard let name = line.firstRange(of: "NxpNci"), let sign = line[name.upperBound...].firstIndex(of: ">") else {
            return nil
        }
        let side: Transcript.Side = line[name.upperBound...].hasPrefix("X") ? .command : .answer
        guard let bytes = Hex.bytes(ifValid: line[line.index(after: sign)...]), bytes.count > 4,
            bytes[0] == 0, bytes[1] == 0, Int(bytes[2]) == bytes.count - 3
        else { return nil }
        return (side, Array(bytes.dropFirst(3)))
    }

    /// Parses a line of a card explorer's log: command, status word and data, as `C:00A404…:9000:6F…`.
    private static func explorer(_ line: Substring) -> [Message] {
        let parts = line.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "C" || parts[0] == "c", parts[2].count == 4,
            let command = Hex.bytes(ifValid: parts[1]), command.count >= 4, let status = Hex.bytes(ifValid: parts[2]),
            let data = Hex.bytes(ifValid: parts[3])
        else { return [] }
        return [(.command, command), (.answer, data + status)]
    }

    private static func fields(_ line: Substring) -> Message? {
        guard line.utf8.count <= Transcript.longestMessage * 3,
            line.contains("p1") || line.contains("P1")
                || line.contains("sw2") || line.contains("SW2")
        else { return nil }
        let text = Array(line.lowercased().utf8)
        if let cla = byte("cla", text), let ins = byte("ins", text), let p1 = byte("p1", text),
            let p2 = byte("p2", text)
        {
            let data = run("data", text) ?? []
            guard data.count <= 255 else { return nil }
            let length = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]
            return (.command, [cla, ins, p1, p2] + length + data + (place("le", text) == nil ? [] : [0]))
        }
        if let first = byte("sw1", text), let second = byte("sw2", text), place("data", text) != nil {
            return (.answer, (run("data", text) ?? []) + [first, second])
        }
        return nil
    }

    /// Returns the position after `name=` or `name:`.
    private static func place(_ name: String, _ text: [UInt8]) -> Int? {
        let name = Array(name.utf8)
        guard text.count > name.count else { return nil }
        for at in 0..<(text.count - name.count)
        where text[at] == name[0] && (at == 0 || !HexRun.isWordByte(text[at - 1])) && text[at...].starts(with: name) {
            var end = at + name.count
            if text[end] == UInt8(ascii: "\"") || text[end] == UInt8(ascii: "'") { end += 1 }
            while end < text.count, text[end] == 0x20 { end += 1 }
            guard end < text.count, text[end] == UInt8(ascii: "=") || text[end] == UInt8(ascii: ":") else { continue }
            end += 1
            while end < text.count, " \"'".utf8.contains(text[end]) { end += 1 }
            return end
        }
        return nil
    }

    private static func byte(_ name: String, _ text: [UInt8]) -> UInt8? {
        guard let start = place(name, text) else { return nil }
        var word = text[start...].prefix { HexRun.isWordByte($0) }
        if word.starts(with: "0x".utf8) { word = word.dropFirst(2) }
        guard (1...2).contains(word.count) else { return nil }
        return UInt8(String(decoding: word, as: UTF8.self), radix: 16)
    }

    private static func run(_ name: String, _ text: [UInt8]) -> [UInt8]? {
        guard let start = place(name, text), start < text.count, HexRun.isWordByte(text[start]) else { return nil }
        return HexRun(text, from: start).bytes
    }
}
