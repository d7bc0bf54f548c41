import Foundation
import TillCore

/// A text file that a command was given.
enum TextFile {
    /// Its text.
    /// - Throws: an error that explains itself when there is none, or more than the limit in bytes.
    static func read(_ path: String, limit: Int) throws(CommandError) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandError(
                code: "file_unreadable", what: "\(path) can not be read.", next: "Check its name and its rights.")
        }
        defer { try? handle.close() }
        let data = (try? handle.read(upToCount: limit + 1)) ?? Data()
        guard data.count <= limit else {
            throw CommandError(
                code: "file_too_large", what: "\(path) has more than \(limit) bytes.", next: "Give a smaller file.")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
