import Foundation
import TillJournal

/// A file that decides where money and keys go: it is read only if nobody but the caller and root can have chosen what
/// is in it, or what stands under its name.
///
/// What is judged is what was opened, and the folders above it are walked by their descriptors, so that nothing can be
/// put in place between the check and the reading. Access lists need no check of their own: where one lets others
/// write, the group's bits say so.
public enum TrustedFile {
    /// Who else may know what is in it.
    public enum Content: Sendable {
        /// Anybody: it must only not be written by others.
        case open
        /// Nobody but the caller, root and the file's group.
        case secret
    }

    /// Reads the file whole.
    /// - Parameters:
    ///   - path: its name; a relative one is of the current folder.
    ///   - what: what the file is, for the sentences: `settings file`.
    ///   - limit: the most bytes that it may have.
    /// - Throws: ``UntrustedFile``, also where it is missing, is no regular file or is too long.
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
        // In a folder that others may write, a second name can lead to another file of the caller's.
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

/// Who may own what is trusted.
enum FileOwner {
    /// The caller and root.
    static func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == geteuid() }

    /// A person's name for a user of the machine; the number where there is none.
    static func name(_ owner: uid_t) -> String {
        guard let entry = getpwuid(owner), let name = entry.pointee.pw_name else { return "user \(owner)" }
        return String(cString: name)
    }
}
