import Foundation

/// Reads a file or standard input up to a limit. Of a longer one, at most one byte beyond the limit is read.
enum LimitedFile {
    /// The reason that a read failed.
    enum Failure: Error {
        /// The file is missing or not readable.
        case unreadable
        /// The path is a folder.
        case folder
        /// The file exceeds the limit.
        case tooLong
    }

    /// Reads the file, up to its limit.
    /// - Parameter takesInput: `true` if `-` is standard input.
    static func read(_ path: String, limit: Int, takesInput: Bool = true) throws(Failure) -> [UInt8] {
        let handle: FileHandle
        if takesInput, path == "-" {
            handle = .standardInput
        } else {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                throw .folder
            }
            guard let opened = FileHandle(forReadingAtPath: path) else { throw .unreadable }
            handle = opened
        }
        // A handle opened here closes its file when released.
        let data: Data
        do { data = try handle.read(upToCount: limit + 1) ?? Data() } catch { throw .unreadable }
        guard data.count <= limit else { throw .tooLong }
        return Array(data)
    }
}
