import Foundation
import GRDB
import TillCore
import TillJournal

/// The files of a restore, beside the journal, and the order in which they change.
///
/// A marker exists from before the first change until after the last one, and no journal opens while it does. A process
/// that dies in between thus leaves no journal that accepts sales, and the same command resumes.
struct RestoreFiles {
    /// The files that SQLite and the journal store beside a database.
    private static let companions = ["-wal", "-shm", "-owners", "-ballast", "-head"]
    /// The maximum number of names tried for the file that is set aside.
    private static let maximumNames = 100

    let path: String
    private var files: FileManager { .default }

    init(_ path: String) { self.path = path }

    /// The copy of the backup, until it is in place.
    var incoming: String { path + "-incoming" }
    private var marker: String { path + "-restoring" }
    private var folder: DiskFolder {
        DiskFolder(path: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
    private var name: String { URL(fileURLWithPath: path).lastPathComponent }

    /// - Throws: `JournalError.unavailable` while a restore is incomplete.
    func checkFinished() throws(JournalError) {
        guard files.fileExists(atPath: marker) else { return }
        throw .unavailable("a restore of it was begun and did not come to its end; run the same till restore again")
    }

    /// Copies the backup beside the journal. Leftovers of an earlier try are removed.
    func takeIn(_ backup: String) throws {
        removeIncoming()
        try files.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // A file that was copied by hand may have its last commits beside it.
        for end in ["", "-wal"] where files.fileExists(atPath: backup + end) {
            guard ClosedFile.copy(backup + end, to: incoming + end) else {
                throw JournalError.unavailable("\(backup + end) cannot be copied to \(incoming + end)")
            }
        }
    }

    func removeIncoming() {
        for end in [""] + RestoreFiles.companions where files.fileExists(atPath: incoming + end) {
            try? files.removeItem(atPath: incoming + end)
        }
    }

    /// Puts the copy in the journal's place and sets the old file aside. The caller must hold the lock for opening the
    /// journal, and no process may have it open.
    /// - Returns: the path of the old file; `nil` if there was none.
    func swap(at now: Timestamp) throws -> String? {
        let aside = try freeName(at: now)
        try sync(incoming)
        try write(marker, aside)
        RestoreFailpoint.afterMarkerIsWritten.reached()
        let replaces = files.fileExists(atPath: path)
        if replaces {
            // Its log belongs to the old file and must not be applied to the new one.
            emptyLog()
            if files.fileExists(atPath: path + "-wal") {
                try move(path + "-wal", aside + "-wal")
            }
            if files.fileExists(atPath: path + "-shm") { try files.removeItem(atPath: path + "-shm") }
            RestoreFailpoint.afterOldLogIsAside.reached()
            try files.linkItem(atPath: path, toPath: aside)
        }
        if files.fileExists(atPath: path + "-head") { try folder.remove(name + "-head") }
        RestoreFailpoint.afterOldFileIsAside.reached()
        try folder.replace(name, with: name + "-incoming")
        RestoreFailpoint.afterNewFileIsInPlace.reached()
        try folder.remove(name + "-restoring")
        RestoreFailpoint.afterMarkerIsRemoved.reached()
        removeIncoming()
        return replaces ? aside : nil
    }

    /// Checkpoints the old file as far as it is readable; commits that cannot be copied into it are kept beside it.
    private func emptyLog() {
        guard let old = try? DatabaseQueue(path: path) else { return }
        _ = try? old.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? old.close()
    }

    /// Returns an unused name; after an interrupted restore the one it had chosen.
    private func freeName(at now: Timestamp) throws -> String {
        if let bytes = files.contents(atPath: marker), let chosen = String(bytes: bytes, encoding: .utf8),
            chosen.hasPrefix(path), !files.fileExists(atPath: chosen)
        {
            return chosen
        }
        let moment = String("\(now)".prefix(19)).filter { $0.isLetter || $0.isNumber }
        for number in 1...RestoreFiles.maximumNames {
            let name = "\(path)-before-\(moment)" + (number > 1 ? "-\(number)" : "")
            if !files.fileExists(atPath: name), !files.fileExists(atPath: name + "-wal") { return name }
        }
        throw DurableFileError(operation: "keep the old file aside", reason: "every name for it is taken")
    }

    private func sync(_ path: String) throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        guard let file = try folder.open(name, creating: false) else {
            throw DurableFileError(operation: "sync", reason: "\(name) is not there")
        }
        try file.sync()
    }

    private func write(_ path: String, _ text: String) throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        guard let file = try folder.open(name, creating: true) else { return }
        try file.truncate(to: 0)
        try file.write(Array(text.utf8), at: 0)
        try file.sync()
    }

    private func move(_ from: String, _ to: String) throws {
        try folder.replace(
            URL(fileURLWithPath: to).lastPathComponent, with: URL(fileURLWithPath: from).lastPathComponent)
    }
}
