import Foundation
import TillCore

extension Attribution {
    /// The attribution of a command: the operating system's effective user. No option and no variable can override it.
    static var ofCommand: Attribution {
        Attribution(.operatingSystemUser(uid: geteuid(), name: CommandUser.name))
    }
}
