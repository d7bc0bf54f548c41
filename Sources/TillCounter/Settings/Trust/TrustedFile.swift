import Foundation
import TillJournal

/// A file that decides the destination of money and keys. It is read only if no user but the caller and root can have
/// chosen its content, or the file that its name refers to.
///
/// The checks apply to the opened file, and the folders above it are walked by their descriptors, so nothing can be
/// swapped between the check and the read. Access lists need no separate check: write access granted by a list appears
/// in the group's bits.
public enum TrustedFile {
    /// The confidentiality of a file's content.
    public enum Content: Sendable {
        /// The file may be readable by all users, but not writable by others.
        case open
        /// The file may be readable only by the caller, root and its group.
        case secret
    }

    /// Reads the whole file.
    /// - Parameters:
    ///   - path: the path; a relative one starts at the current folder.
    ///   - what: the kind of file in error messages, such as `settings file`.
    ///   - limit: the maximum size, in bytes.
    /// - Throws: ``UntrustedFile``, also for a file that is missing, not regular or too long.
    public static func read(
        _ path: String, _ what: String, limit: Int, content: Content = .open
    ) throws(UntrustedFile) -> [UInt8] {
        func refuse(_ reason: UntrustedFile.Reason) -> UntrustedFile { UntrustedFile(path, what, reason) }
        let place: OpenedPlace
        do throws(UntrustedFile.Reason) { place = try PathWalk.open(path) } catch { throw refuse(error) }
        let status = place.status
        guard mode_t(status.mode) & S_IFMT == S_IFREG else { throw refuse(.noRegularFile) }
        guard FileOwner.isTrusted(status.owner) else { throw refuse(.foreign(owner: status.owner, place.path)) }
        guard status.mode & 0o022 == 0 else { throw refuse(.writable(place.path)) }
        // In a folder writable by other users, a second name can lead to another file of the caller's.
        guard status.links == 1 || !place.isInSharedFolder else { throw refuse(.linked(place.path)) }
        guard content == .open || status.mode & 0o004 == 0 || !place.isReachableByOthers else {
            throw refuse(.readable(place.path))
        }
        let handle = FileHandle(fileDescriptor: place.file.number, closeOnDealloc: false)
        let data: Data
        do { data = try handle.read(upToCount: limit + 1) ?? Data() } catch { throw refuse(.unreadable) }
        guard data.count <= limit else { throw refuse(.tooLong(limit)) }
        return Array(data)
    }
}

/// The users that may own a trusted file.
enum FileOwner {
    /// Returns `true` for the caller and root.
    static func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == geteuid() }

    /// Returns the name of a user, or the number without one.
    static func name(_ owner: uid_t) -> String {
        guard let entry = getpwuid(owner), let name = entry.pointee.pw_name else { return "user \(owner)" }
        return String(cString: name)
    }
}
