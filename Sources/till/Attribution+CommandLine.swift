import Foundation
import TillCore

extension Attribution {
    /// Of a command: whoever the operating system says runs it. No option and no variable changes that.
    static var ofCommand: Attribution {
        Attribution(.operatingSystemUser(uid: geteuid(), name: CommandUser.name))
    }
}
