import Foundation

/// Reads a file, or standard input, up to a limit: one byte more than may be is all that is ever read of a larger one.
enum LimitedFile {
    /// Why there is nothing to read.
    enum Failure: Error {
        /// There is no such file, or it may not be read.
        case unreadable
        /// It is a folder.
        case folder
        /// It has more bytes than the limit.
        case tooLong
    }

    /// Reads the file, up to its limit.
    /// - Parameter takesInput: `-` is standard input.
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
        // A handle that was opened here closes its file when it is gone.
        let data: Data
        do { data = try handle.read(upToCount: limit + 1) ?? Data() } catch { throw .unreadable }
        guard data.count <= limit else { throw .tooLong }
        return Array(data)
    }
}
