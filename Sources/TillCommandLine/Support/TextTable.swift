/// A table in command output that fits the terminal.
enum TextTable {
    /// The space between columns.
    private static let gap = "  "
    /// The least room, in characters, that is left to the last column beside the others.
    private static let leastRoom = 8

    /// Returns the lines of a table. The last column is cut to the room that is left. Where the columns do not fit, the
    /// first one has a line of its own and the rest stands below it, wrapped if need be.
    /// - Parameters:
    ///   - rows: the cells of each row, as many in each.
    ///   - right: the columns whose text ends at the right, such as amounts.
    ///   - cuts: `false` to keep the last column whole.
    ///   - width: the width of the terminal, in characters.
    static func lines(
        _ rows: [[String]], right: Set<Int> = [], cuts: Bool = true, width: Int = Output.resultWidth
    ) -> [String] {
        guard let fewest = rows.map({ $0.count }).min(), fewest > 1 else {
            return rows.flatMap { fitted($0.joined(separator: gap), to: width) }
        }
        let last = fewest - 1
        let widths = (0..<last).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let used = widths.reduce(0) { $0 + $1 + gap.count }
        let longest = rows.map { $0[last].count }.max() ?? 0
        let wanted = cuts ? min(leastRoom, longest) : longest
        let fits = (wanted == 0 ? used - gap.count : used + wanted) <= width
        return rows.flatMap { row -> [String] in
            var cells = (0..<last).map { padded(row[$0], to: widths[$0], isRight: right.contains($0)) }
            let room = width - used + (fits ? 0 : widths[0])
            cells.append(cuts ? String(row[last].prefix(max(leastRoom, room))) : row[last])
            guard !fits else { return [withoutEnd(cells.joined(separator: gap))] }
            let rest = withoutEnd(gap + cells.dropFirst().joined(separator: gap))
            return fitted(row[0], to: width) + (rest.isEmpty ? [] : fitted(rest, to: width))
        }
    }

    /// Returns the text in lines of at most `width` characters: wrapped between words, and within a longer word.
    static func fitted(_ text: String, to width: Int = Output.resultWidth) -> [String] {
        guard text.count > width else { return [text] }
        let lines = Output.wrapped(text, to: width).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            var rest = line
            var parts: [String] = []
            repeat {
                parts.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            } while !rest.isEmpty
            return parts
        }
    }

    private static func padded(_ text: String, to width: Int, isRight: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return isRight ? space + text : text + space
    }

    private static func withoutEnd(_ text: String) -> String { String(text.reversed().drop { $0 == " " }.reversed()) }
}
