import Foundation

/// Random bytes in a file of their own that only its owner may read.
enum SecretFile {
    /// What the file has, made at the first use. Of several processes that make it at once all read the same bytes.
    /// - Returns: `nil` if it cannot be read or made, or has another length.
    static func bytes(at path: String, count: Int) -> [UInt8]? {
        if let data = FileManager.default.contents(atPath: path) { return data.count == count ? Array(data) : nil }
        var generator = SystemRandomNumberGenerator()
        let made = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        let temporary = path + ".\(UInt64.random(in: .min ... .max))"
        guard
            FileManager.default.createFile(
                atPath: temporary, contents: made, attributes: [.posixPermissions: 0o600])
        else { return nil }
        // Whoever links first wins, so a file that is there already is no fault.
        let isMine = link(temporary, path) == 0
        unlink(temporary)
        if isMine { return Array(made) }
        guard let data = FileManager.default.contents(atPath: path), data.count == count else { return nil }
        return Array(data)
    }
}
