import TillCore

/// A text file that a command was given.
enum TextFile {
    /// Its text.
    /// - Throws: an error that explains itself when there is none, or more than the limit in bytes.
    static func read(_ path: String, limit: Int) throws(CommandError) -> String {
        do throws(LimitedFile.Failure) {
            return String(
                decoding: try LimitedFile.read(path, limit: limit, takesInput: false), as: UTF8.self)
        } catch {
            guard case .tooLong = error else {
                throw CommandError(
                    code: "file_unreadable", what: "\(path) can not be read.", next: "Check its name and its rights.")
            }
            throw CommandError(
                code: "file_too_large", what: "\(path) has more than \(limit) bytes.", next: "Give a smaller file.")
        }
    }
}
