import TillCore

/// A text file that a command was given.
enum TextFile {
    /// Reads the file as UTF-8.
    /// - Throws: an error that explains itself when there is none, or more than the limit in bytes.
    static func read(_ path: String, limit: Int) throws(CommandError) -> String {
        String(decoding: try bytes(path, limit: limit), as: UTF8.self)
    }

    /// Its bytes, in whatever encoding.
    /// - Throws: like ``read(_:limit:)``.
    static func bytes(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
        do throws(LimitedFile.Failure) {
            return try LimitedFile.read(path, limit: limit, takesInput: false)
        } catch {
            guard case .tooLong = error else {
                throw CommandError(
                    code: "file_unreadable", what: "\(path) cannot be read.", next: "Check its name and its rights.")
            }
            throw CommandError(
                code: "file_too_large", what: "\(path) has more than \(limit) bytes.", next: "Give a smaller file.")
        }
    }
}
