import Foundation

/// Who runs the command, for people and the audit log.
enum CommandUser {
    /// The operating system's name for the effective user; `user 61003` where it has none, as in many containers.
    static var name: String {
        let name = NSUserName()
        return name.isEmpty ? "user \(geteuid())" : name
    }
}
