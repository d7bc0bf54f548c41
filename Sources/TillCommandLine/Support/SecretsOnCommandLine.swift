import Synchronization
import TillCounter
import TillProvider

/// Secrets given as command-line options, which every user of the machine can read.
enum SecretsOnCommandLine {
    /// The warnings already printed. A command reads its settings several times, but warns once.
    private static let said = Mutex<Set<String>>([])

    /// Returns a sentence for each such secret, without its value.
    static func sentences(_ settings: Settings) -> [String] {
        settings.entries.compactMap { entry in
            guard entry.origin == .commandLine, entry.setting.kind == .secret else { return nil }
            let name = entry.setting.option ?? "“\(entry.setting.key)”"
            return "\(name) stands on the command line, where other users of this machine can see it: "
                + "set \(entry.setting.variable)."
        }
    }

    /// Prints the warnings to standard error.
    static func warn(_ settings: Settings) {
        for sentence in sentences(settings) where said.withLock({ $0.insert(sentence).inserted }) {
            Output.note(sentence)
        }
    }
}
