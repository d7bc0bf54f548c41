import TillCore

/// A file that a command reads whole, such as a certificate, a key or a token.
enum InputFile {
    /// The maximum file size. Certificates, keys and tokens have a few thousand bytes.
    static let maximumBytes = 1 << 20

    /// Reads the file; `-` is standard input.
    static func read(_ path: String, _ what: String) throws(CommandError) -> [UInt8] {
        do throws(LimitedFile.Failure) { return try LimitedFile.read(path, limit: maximumBytes) } catch {
            guard case .tooLong = error else {
                throw CommandError(
                    code: "file", what: "The \(what) \(path) cannot be read.", next: "Give a file that exists.")
            }
            throw CommandError(
                code: "file", what: "The \(what) \(path) is too long.",
                next: "Give a file of at most \(maximumBytes) bytes.")
        }
    }
}
