import TillCore

/// A mail server's reply: a code, and lines of text.
struct SMTPReply: Hashable, Sendable {
    /// Three digits: 2 accepted, 3 continue, 4 refused for now, 5 refused.
    let code: Int
    /// The text of each line, printable ASCII.
    let lines: [String]

    var isPositive: Bool { (200..<300).contains(code) }
    /// The server waits for more.
    var isIntermediate: Bool { (300..<400).contains(code) }

    /// The code and text for a log, without words that contain an address.
    var shown: String {
        let words = (lines.last ?? "").split(separator: " ").filter { !$0.contains("@") }.joined(separator: " ")
        return words.isEmpty ? "\(code)" : "\(code) \(ProviderText.line(words, atMost: 120))"
    }

    /// Returns the parameters of an extension named in one of the lines after the first; `nil` if it is not offered.
    func parameters(of name: String) -> [String]? {
        for line in lines.dropFirst() {
            let words = line.split(separator: " ").map { $0.uppercased() }
            if words.first == name { return Array(words.dropFirst()) }
        }
        return nil
    }
}

/// An incremental parser of replies. Its memory is bounded by ``SMTPLimits``.
struct SMTPReplyParser {
    private var line: [UInt8] = []
    private var lines: [String] = []
    private var code: Int?

    /// `true` if no part of a reply is pending.
    var isEmpty: Bool { line.isEmpty && lines.isEmpty }

    /// Consumes a byte.
    /// - Returns: a reply if this byte completed one.
    /// - Throws: ``SMTPParseError`` if it is not a reply, or too long.
    mutating func take(_ byte: UInt8) throws(SMTPParseError) -> SMTPReply? {
        guard byte == 0x0A else {
            guard line.count < SMTPLimits.lineBytes else { throw SMTPParseError() }
            line.append(byte)
            return nil
        }
        if line.last == 0x0D { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        guard line.count >= 3, line.prefix(3).allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { throw SMTPParseError() }
        let number = line.prefix(3).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        guard (200..<600).contains(number), code == nil || code == number, lines.count < SMTPLimits.lines else {
            throw SMTPParseError()
        }
        let separator = line.count > 3 ? line[3] : 0x20
        guard separator == 0x20 || separator == 0x2D else { throw SMTPParseError() }
        // Only printable characters are kept, since this text is written to logs and screens.
        let words = line.dropFirst(4).map { $0 >= 0x20 && $0 < 0x7F ? $0 : 0x3F }
        lines.append(String(decoding: words, as: UTF8.self))
        code = number
        guard separator == 0x20 else { return nil }
        defer {
            lines = []
            code = nil
        }
        return SMTPReply(code: number, lines: lines)
    }
}

/// The received data is not a reply of RFC 5321.
struct SMTPParseError: Error {}
