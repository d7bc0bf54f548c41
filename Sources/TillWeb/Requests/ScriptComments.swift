/// The comments of scripts, which are a fifth of what a page weighs.
enum ScriptComments {
    private static let newline = UInt8(ascii: "\n")
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let tick = UInt8(ascii: "`")
    private static let backslash = UInt8(ascii: "\\")

    /// Returns a script without the comments that have lines of their own. Every line keeps its number, so that a fault
    /// names the place in the file, and no statement ends elsewhere.
    ///
    /// A script stays as it is if a line by itself may not say what a comment is: if a template, a string or a comment
    /// behind code may go on in the next line, and if a line may end elsewhere than at a line feed. So does one with a
    /// comment that asks to stay (`/*!`), as licenses do.
    static func removed(from script: [UInt8]) -> [UInt8] {
        guard endsLinesOnlyWithLineFeeds(script) else { return script }
        var kept: [UInt8] = []
        kept.reserveCapacity(script.count)
        var isFirst = true
        var isInside = false
        for line in script.split(separator: newline, omittingEmptySubsequences: false) {
            if !isFirst { kept.append(newline) }
            isFirst = false
            let text = line.drop(while: isSpace)
            if isInside {
                guard let behind = endOfComment(in: text) else { continue }
                guard text[behind...].allSatisfy(isSpace) else { return script }
                isInside = false
                continue
            }
            if text.starts(with: [slash, slash]) { continue }
            if text.starts(with: [slash, star]) {
                if text.dropFirst(2).first == UInt8(ascii: "!") { return script }
                guard let behind = endOfComment(in: text.dropFirst(2)) else {
                    isInside = true
                    continue
                }
                if text[behind...].allSatisfy(isSpace) { continue }
            }
            guard isClosed(line) else { return script }
            kept += line
        }
        return isInside ? script : kept
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns the place behind the mark that ends a comment; `nil` without one.
    private static func endOfComment(in text: ArraySlice<UInt8>) -> Int? {
        let mark = text.indices.dropLast().first { text[$0] == star && text[$0 + 1] == slash }
        return mark.map { $0 + 2 }
    }

    /// `true` without the other characters that end a line of a script: a carriage return, U+2028 and U+2029.
    private static func endsLinesOnlyWithLineFeeds(_ script: [UInt8]) -> Bool {
        guard !script.contains(UInt8(ascii: "\r")) else { return false }
        return !script.indices.dropLast(2).contains(where: {
            script[$0] == 0xE2 && script[$0 + 1] == 0x80 && (script[$0 + 2] == 0xA8 || script[$0 + 2] == 0xA9)
        })
    }

    /// `true` if nothing begins in a line of code that may go on in the next one.
    private static func isClosed(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.last != backslash, endsItsTemplates(line) else { return false }
        let comment = line.indices.dropLast().last { line[$0] == slash && line[$0 + 1] == star }
        return comment.map { endOfComment(in: line[($0 + 2)...]) != nil } ?? true
    }

    /// `true` if each template that begins in a line surely ends there: no backtick is escaped or in a string, they
    /// come in pairs, and no expression between them is open at the last one.
    private static func endsItsTemplates(_ line: ArraySlice<UInt8>) -> Bool {
        func count(_ byte: UInt8, in part: ArraySlice<UInt8>) -> Int { part.count(where: { $0 == byte }) }
        guard let first = line.firstIndex(of: tick), let last = line.lastIndex(of: tick) else { return true }
        let ticks = count(tick, in: line)
        guard ticks.isMultiple(of: 2) else { return false }
        for (number, part) in line.split(separator: tick, omittingEmptySubsequences: false).enumerated() {
            guard part.last != backslash else { return false }
            guard number.isMultiple(of: 2) else { continue }
            for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] {
                guard count(quote, in: part).isMultiple(of: 2) else { return false }
            }
        }
        let between = line[first...last]
        return count(UInt8(ascii: "{"), in: between) <= count(UInt8(ascii: "}"), in: between)
    }
}
