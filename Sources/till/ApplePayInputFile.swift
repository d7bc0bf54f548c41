import TillCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that a command reads whole.
enum InputFile {
    /// Certificates, keys and tokens have a few thousand bytes.
    static let maximumBytes = 1 << 20

    /// The file's bytes; `-` is standard input.
    static func read(_ path: String, _ what: String) throws(CommandError) -> [UInt8] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path == "-" ? "/dev/stdin" : path))
        } catch {
            throw CommandError(
                code: "file", what: "The \(what) \(path) can not be read.", next: "Give a file that exists.")
        }
        guard data.count <= maximumBytes else {
            throw CommandError(
                code: "file", what: "The \(what) \(path) has \(data.count) bytes.",
                next: "Give a file of at most \(maximumBytes) bytes.")
        }
        return Array(data)
    }
}
