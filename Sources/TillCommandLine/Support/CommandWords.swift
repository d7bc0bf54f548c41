import ArgumentParser

/// The first words of a command line, which name a command.
enum CommandWords {
    /// The maximum length, in characters, of a word that is compared with names of commands and shown.
    static let maximumLength = 40

    /// A word that is no command, where one is expected.
    struct Unknown: Hashable {
        /// The commands before the word, such as `till payments`.
        var path: String
        /// The word, shortened and without characters that no command has.
        var word: String
        /// The name that is nearest to the word; `nil` if none is near.
        var nearest: String?

        /// The refusal for display.
        var sentence: String {
            "There is no command `\(path) \(word)`." + (nearest.map { " Did you mean `\(path) \($0)`?" } ?? "")
        }
    }

    /// Returns the command that the arguments name, up to the first option.
    static func command(_ arguments: [String]) -> any ParsableCommand.Type { walk(arguments).command }

    /// Returns the first word that is no command, where only one can stand; `nil` if the commands are known.
    static func unknown(_ arguments: [String]) -> Unknown? {
        let (command, path, rest) = walk(arguments)
        let known = command.configuration.subcommands
        guard let word = rest, !word.hasPrefix("-"), !known.isEmpty else { return nil }
        let shown = word.prefix(maximumLength).map { (letter: Character) -> Character in
            letter.isLetter || letter.isNumber || letter == "-" || letter == "_" ? letter : "?"
        }
        let names = known.map { $0.configuration }.filter(\.shouldDisplay).compactMap(\.commandName)
        return Unknown(
            path: path.joined(separator: " "), word: String(shown), nearest: nearest(to: word, among: names))
    }

    /// Returns the name with the fewest changed letters, if that is at most a third of them; the first of equals.
    static func nearest(to word: String, among names: [String]) -> String? {
        guard word.count <= maximumLength else { return nil }
        let measured = names.filter { $0.count <= maximumLength }.map { (name: $0, distance: distance(word, $0)) }
        guard let best = measured.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, max(word.count, best.name.count) / 3) ? best.name : nil
    }

    /// Returns how many letters are inserted, removed, replaced or swapped with the next one between two words.
    static func distance(_ one: String, _ other: String) -> Int {
        let (from, to) = (Array(one), Array(other))
        guard !from.isEmpty, !to.isEmpty else { return max(from.count, to.count) }
        var last: [Int] = []
        var row = Array(0...to.count)
        for line in 1...from.count {
            var next = [line]
            for column in 1...to.count {
                let isSame = from[line - 1] == to[column - 1]
                var best = min(row[column] + 1, next[column - 1] + 1, row[column - 1] + (isSame ? 0 : 1))
                if line > 1, column > 1, from[line - 1] == to[column - 2], from[line - 2] == to[column - 1] {
                    best = min(best, last[column - 2] + 1)
                }
                next.append(best)
            }
            last = row
            row = next
        }
        return row[to.count]
    }

    /// Follows the words to a command. `rest` is the first argument that is none of its commands.
    private static func walk(
        _ arguments: [String]
    ) -> (command: any ParsableCommand.Type, path: [String], rest: String?) {
        var command: any ParsableCommand.Type = Till.self
        var path = ["till"]
        let words = arguments.filter { $0 != "--json" }
        for word in words.first == "help" ? words.dropFirst() : words[...] {
            let found = command.configuration.subcommands.first { known in
                known.configuration.commandName == word || known.configuration.aliases.contains(word)
            }
            guard let found else { return (command, path, word) }
            command = found
            path.append(word)
        }
        return (command, path, nil)
    }
}
