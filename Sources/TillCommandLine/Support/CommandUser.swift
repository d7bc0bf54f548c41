import Foundation

/// The user that runs the command, for display and the audit log.
enum CommandUser {
    /// The operating system's name of the effective user; `user 61003` without one, as in many containers.
    static var name: String {
        let name = NSUserName()
        return name.isEmpty ? "user \(geteuid())" : name
    }
}
