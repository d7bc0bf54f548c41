import Foundation
import TillJournal

/// A file reached by a walk, open for reading.
struct OpenedPlace {
    let file: OpenedFile
    let status: FileStatus
    /// The path without symbolic links.
    let path: String
    /// `true` if other users can add files to its folder.
    let isInSharedFolder: Bool
    /// `true` if every folder above it is searchable by other users.
    let isReachableByOthers: Bool
}

/// A file descriptor that is closed on release.
final class OpenedFile: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

/// A walk from the root to a file, one name at a time. Each name is opened relative to its folder and checked once
/// open. A symbolic link is followed only if it belongs to the caller or root, because no other user can have created
/// it.
struct PathWalk {
    /// The maximum number of symbolic links followed; Linux follows 40.
    private static let mostLinks = 40
    /// The maximum number of names in a path.
    private static let mostNames = 256
    #if os(Linux)
        /// `O_PATH`: a folder on the path need not be readable.
        private static let passing: Int32 = 0o10_000_000
    #else
        private static let passing: Int32 = O_RDONLY
    #endif

    private var folder: OpenedFile
    private var path: [String] = []
    private var isShared = false
    private var isReachable = true
    /// The remaining names, the next one last.
    private var rest: [String]
    private var links = 0

    /// Opens a file after checking every folder and link on its path.
    static func open(_ path: String) throws(UntrustedFile.Reason) -> OpenedPlace {
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        var walk = PathWalk(folder: try root(), rest: names(whole))
        try walk.judge(walk.folder)
        while let name = walk.rest.popLast() {
            if let place = try walk.step(name) { return place }
        }
        throw .noRegularFile
    }

    private init(folder: OpenedFile, rest: [String]) {
        self.folder = folder
        self.rest = rest
    }

    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
    }

    private static func root() throws(UntrustedFile.Reason) -> OpenedFile {
        let number = Foundation.open("/", passing | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .unreadable }
        return OpenedFile(number)
    }

    /// Advances by one name.
    /// - Returns: the file, once it is reached.
    private mutating func step(_ name: String) throws(UntrustedFile.Reason) -> OpenedPlace? {
        guard name != ".." else {
            try enter(name)
            return nil
        }
        guard let status = FileStatus(of: name, in: folder.number) else { throw .missing }
        switch mode_t(status.mode) & S_IFMT {
        case S_IFLNK:
            try follow(name, owner: status.owner)
            return nil
        case S_IFDIR where !rest.isEmpty:
            try enter(name)
            return nil
        default:
            guard rest.isEmpty else { throw .missing }
            return try reach(name)
        }
    }

    private mutating func enter(_ name: String) throws(UntrustedFile.Reason) {
        let number = openat(folder.number, name, PathWalk.passing | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw .unreadable }
        let next = OpenedFile(number)
        if name == ".." { path = path.dropLast() } else { path.append(name) }
        try judge(next)
        folder = next
    }

    /// Rejects a folder in which other users can change names. In a sticky folder such as `/tmp` they can only add
    /// names: those of the caller and root stay unchanged.
    private mutating func judge(_ folder: OpenedFile) throws(UntrustedFile.Reason) {
        guard let status = FileStatus(of: folder.number) else { throw .unreadable }
        guard FileOwner.isTrusted(status.owner) else { throw .foreign(owner: status.owner, shown) }
        isShared = status.mode & 0o022 != 0
        guard !isShared || mode_t(status.mode) & S_ISVTX != 0 else { throw .writableFolder(shown) }
        isReachable = isReachable && status.mode & 0o001 != 0
    }

    private mutating func follow(_ name: String, owner: uid_t) throws(UntrustedFile.Reason) {
        guard FileOwner.isTrusted(owner) else { throw .foreign(owner: owner, shown(name)) }
        links += 1
        guard links <= PathWalk.mostLinks else { throw .missing }
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = target.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map {
                readlinkat(folder.number, name, $0.assumingMemoryBound(to: CChar.self), buffer.count)
            } ?? -1
        }
        guard count > 0, count < target.count else { throw .unreadable }
        let text = String(decoding: target.prefix(count), as: UTF8.self)
        rest += PathWalk.names(text)
        guard rest.count <= PathWalk.mostNames else { throw .missing }
        if text.hasPrefix("/") {
            folder = try PathWalk.root()
            path = []
            try judge(folder)
        }
    }

    private func reach(_ name: String) throws(UntrustedFile.Reason) -> OpenedPlace {
        // Nonblocking, so that a pipe cannot stall the program.
        let number = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw errno == ENOENT ? .missing : .unreadable }
        let file = OpenedFile(number)
        guard let status = FileStatus(of: number) else { throw .unreadable }
        return OpenedPlace(
            file: file, status: status, path: shown(name), isInSharedFolder: isShared,
            isReachableByOthers: isReachable)
    }

    private var shown: String { "/" + path.joined(separator: "/") }

    private func shown(_ name: String) -> String { "/" + (path + [name]).joined(separator: "/") }
}
