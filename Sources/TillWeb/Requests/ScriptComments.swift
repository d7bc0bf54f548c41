/// The comments of scripts, which are a fifth of what a page weighs.
enum ScriptComments {
    private static let newline = UInt8(ascii: "\n")
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")

    /// Returns a script without the comments that have lines of their own. Every line keeps its number, so that a fault
    /// names the place in the file, and no statement ends elsewhere.
    ///
    /// A script stays as it is if a line by itself may not say what a comment is: if a template, a string or a comment
    /// behind code may go on in the next line.
    static func removed(from script: [UInt8]) -> [UInt8] {
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

    /// `true` if nothing begins in a line of code that may go on in the next one.
    private static func isClosed(_ line: ArraySlice<UInt8>) -> Bool {
        let ticks = line.reduce(0) { $1 == UInt8(ascii: "`") ? $0 + 1 : $0 }
        guard line.last != UInt8(ascii: "\\"), ticks.isMultiple(of: 2) else { return false }
        let comment = line.indices.dropLast().last { line[$0] == slash && line[$0 + 1] == star }
        return comment.map { endOfComment(in: line[($0 + 2)...]) != nil } ?? true
    }
}
