import Foundation
import TillJournal

/// Random bytes in a file of their own that only its owner may read.
enum SecretFile {
    /// How often a file is opened anew that another process is just making.
    private static let tries = 100
    /// Between them, in microseconds.
    private static let pause: UInt32 = 1_000

    /// What the file has, made at the first use. Of several processes that make it at once all read the same bytes.
    /// - Parameter what: what the file is, for the sentences: `pepper`.
    /// - Returns: `nil` if it cannot be read or made, or has another length.
    /// - Throws: ``UntrustedFile`` if others have, or may have, a hand in it, or can read it.
    static func bytes(at path: String, _ what: String, count: Int) throws(UntrustedFile) -> [UInt8]? {
        if let known = try read(path, what, count) { return known.count == count ? known : nil }
        var generator = SystemRandomNumberGenerator()
        let made = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let temporary = path + ".\(UInt64.random(in: .min ... .max))"
        guard ClosedFile.make(temporary, made) else { return nil }
        // Whoever links first wins, so a file that is there already is no fault.
        _ = link(temporary, path)
        unlink(temporary)
        guard let kept = try read(path, what, count), kept.count == count else { return nil }
        return kept
    }

    /// - Returns: `nil` for a file that is not there or cannot be read.
    private static func read(_ path: String, _ what: String, _ count: Int) throws(UntrustedFile) -> [UInt8]? {
        for number in 1... {
            do throws(UntrustedFile) {
                return try TrustedFile.read(path, what, limit: count, content: .secret)
            } catch {
                // While another process makes it, it has two names for a moment.
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
