import Foundation

@testable import TillCounter

extension Pepper {
    /// The key of guests' names for stores without files, in a folder of its own.
    static let ofGuests: Pepper = {
        let folder = NSTemporaryDirectory() + "till-guests-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return Pepper(besideJournal: folder + "/journal")
    }()
}
