import Synchronization
import TillProvider
import TillServer

/// Keys and passwords that were given as options: every user of the machine can read them there.
enum SecretsOnCommandLine {
    /// A command reads its settings more than once, and says it once.
    private static let said = Mutex<Set<String>>([])

    /// A sentence for each of them, without its value.
    static func sentences(_ settings: Settings) -> [String] {
        settings.entries.compactMap { entry in
            guard entry.origin == .commandLine, entry.setting.kind == .secret else { return nil }
            let name = entry.setting.option ?? "“\(entry.setting.key)”"
            return "\(name) stands on the command line, where other users of this machine can see it: "
                + "set \(entry.setting.variable)."
        }
    }

    /// Says it on standard error.
    static func warn(_ settings: Settings) {
        for sentence in sentences(settings) where said.withLock({ $0.insert(sentence).inserted }) {
            Output.note(sentence)
        }
    }
}
