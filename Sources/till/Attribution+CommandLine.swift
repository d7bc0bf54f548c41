import Foundation
import TillCore

extension Attribution {
    /// Of a command: whoever the operating system says runs it. No option and no variable changes that.
    static var ofCommand: Attribution {
        let uid = geteuid()
        let name = NSUserName()
        return Attribution(.operatingSystemUser(uid: uid, name: name.isEmpty ? "\(uid)" : name))
    }
}
