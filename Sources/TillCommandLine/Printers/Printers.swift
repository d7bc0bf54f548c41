import ArgumentParser
import TillCore

/// `till printers …`: finds and manages receipt printers, and prints test pages.
struct Printers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers",
        abstract: "Finds, names, asks and tests receipt printers.",
        subcommands: [
            Discover.self, Add.self, Remove.self, List.self, Status.self, Test.self, Drawer.self, Reencode.self,
            Commands.self,
        ])

    /// Formats rows in aligned columns of at most 80 characters. The last column moves to an indented line of its own
    /// if the row would be wider.
    static func table(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<max(0, columns - 1)).map { column in
            rows.compactMap { $0.indices.contains(column) ? $0[column].count : nil }.max() ?? 0
        }
        return rows.map { row in
            let first = zip(row.dropLast(), widths).map { text, width in
                text + String(repeating: " ", count: max(0, width - text.count) + 2)
            }.joined()
            let last = row.last ?? ""
            return first.count + last.count <= 80 || row.count < 2 ? first + last : trimmed(first) + "\n    " + last
        }.joined(separator: "\n")
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }
}
