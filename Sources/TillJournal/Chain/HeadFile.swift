import Crypto
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The head of a journal's chain, recorded beside the journal after each commit: it reveals that the file was replaced
/// by an earlier copy of itself.
///
/// It is written after the commit is durable and is not synced itself, which would double the cost of a commit. It is
/// therefore never ahead of its journal; after a power failure it may be behind or unreadable, and then reveals less.
/// It protects against accidental copies, not against an attacker: its removal is not detected.
package final class HeadFile: Sendable {
    /// The contents of the file.
    package struct Note: Hashable {
        /// The beginning of the journal's random start, which distinguishes a new journal of the same name from an
        /// earlier copy.
        package var journal: String
        package var head: ChainHead
    }

    private static let word = "till-head"
    private static let length = 192
    private static let journalBytes = 8

    private let descriptor: Int32
    /// What each line starts with: the word and the journal's identity.
    private let opening: [UInt8]

    /// - Returns: `nil` if the file cannot be created: the journal works without it.
    package init?(_ path: String, start: [UInt8]) {
        descriptor = HeadFile.open(path, O_WRONLY | O_CREAT | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        opening = Array("\(HeadFile.word) \(HeadFile.name(of: start)) ".utf8)
    }

    deinit { close(descriptor) }

    /// Records a durable head. One system call; a failure leaves the record behind the journal.
    package func note(_ head: ChainHead) {
        // Written into one array: the writer's thread does this for each commit, before it answers.
        var line: [UInt8] = []
        line.reserveCapacity(HeadFile.length)
        line += opening
        line += String(head.sequence).utf8
        line.append(UInt8(ascii: ":"))
        head.hash.withUnsafeBytes { Hex.append(lowercase: $0, to: &line) }
        line.append(UInt8(ascii: " "))
        let check = SHA256.hash(data: line)
        check.withUnsafeBytes {
            Hex.append(lowercase: UnsafeRawBufferPointer(rebasing: $0.prefix(HeadFile.journalBytes)), to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        while line.count < HeadFile.length { line.append(UInt8(ascii: " ")) }
        _ = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Returns the recorded head; `nil` if there is no file, or if it is corrupt.
    package static func read(_ path: String) -> Note? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        let text = String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == word, let head = ChainHead(String(parts[2])),
            check(Array((parts[..<3].joined(separator: " ") + " ").utf8)) == parts[3]
        else { return nil }
        return Note(journal: String(parts[1]), head: head)
    }

    /// Returns the identity of a journal.
    package static func name(of start: [UInt8]) -> String { Hex.lowercase(Array(start.prefix(journalBytes))) }

    private static func check(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).withUnsafeBytes { Hex.lowercase($0.prefix(journalBytes)) }
    }

    private static func open(_ path: String, _ flags: Int32) -> Int32 {
        while true {
            #if canImport(Glibc)
                let descriptor = Glibc.open(path, flags, 0o600)
            #elseif canImport(Musl)
                let descriptor = Musl.open(path, flags, 0o600)
            #else
                let descriptor = Darwin.open(path, flags, 0o600)
            #endif
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }
}
