import Foundation
import TillJournal

/// A file of random bytes, readable only by its owner.
enum SecretFile {
    /// The maximum number of attempts to open a file that another process is creating.
    private static let tries = 100
    /// The pause between attempts, in microseconds.
    private static let pause: UInt32 = 1_000

    /// Returns the file's bytes, creating it on first use. Processes that create it concurrently all read the same
    /// bytes.
    /// - Parameter what: the name of the file in error messages, such as `pepper`.
    /// - Returns: `nil` if the file cannot be read or created, or has another length.
    /// - Throws: ``UntrustedFile`` if other users can read or modify the file, or may have done so.
    static func bytes(at path: String, _ what: String, count: Int) throws(UntrustedFile) -> [UInt8]? {
        if let known = try read(path, what, count) { return known.count == count ? known : nil }
        var generator = SystemRandomNumberGenerator()
        let made = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let temporary = path + ".\(UInt64.random(in: .min ... .max))"
        guard ClosedFile.make(temporary, made) else { return nil }
        // The first process to link wins; an existing file is no error.
        _ = link(temporary, path)
        unlink(temporary)
        guard let kept = try read(path, what, count), kept.count == count else { return nil }
        return kept
    }

    /// - Returns: `nil` for a file that is missing or cannot be read.
    private static func read(_ path: String, _ what: String, _ count: Int) throws(UntrustedFile) -> [UInt8]? {
        for number in 1... {
            do throws(UntrustedFile) {
                return try TrustedFile.read(path, what, limit: count, content: .secret)
            } catch {
                // While another process creates it, the file briefly has two names.
                if case .linked = error.reason, number < tries {
                    usleep(pause)
                    continue
                }
                guard !error.isDistrusted else { throw error }
                if case .tooLong = error.reason { return [] }
                return nil
            }
        }
        return nil
    }
}
