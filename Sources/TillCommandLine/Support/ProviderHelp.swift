import ArgumentParser

/// The help topic of the options that every command with providers takes.
enum ProviderHelp {
    /// The line in the help of such a command.
    static let line = "Options of providers: till help providers"

    /// Returns the help of a command with the line about the options of providers; `nil` for any other text, and for
    /// commands that do not take them.
    static func help(_ text: String, _ arguments: [String]) -> String? {
        let command = CommandWords.command(arguments)
        guard text.hasPrefix("OVERVIEW: "), !(command is Providers.Type), takesProviders(command) else { return nil }
        return String(text.reversed().drop { $0.isNewline }.reversed()) + "\n\n" + line
    }

    private static func takesProviders(_ command: any ParsableCommand.Type) -> Bool {
        Till.helpMessage(for: command, includeHidden: true).contains("--provider-hosts")
    }
}
