import TillCore

/// A text file given to a command.
enum TextFile {
    /// Reads the file as UTF-8.
    /// - Throws: ``CommandError`` if the file is unreadable or longer than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(CommandError) -> String {
        String(decoding: try bytes(path, limit: limit), as: UTF8.self)
    }

    /// Reads the file's bytes, in any encoding.
    /// - Throws: ``CommandError``, as ``read(_:limit:)`` does.
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
