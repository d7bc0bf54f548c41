public import TillCore

/// Why a backup was not restored. The journal in place is as it was, unless the case says otherwise.
public enum RestoreError: ExplainedError, Hashable {
    /// There is no file of that name.
    case noBackup(String)
    /// The backup is the journal itself.
    case backupIsTheJournal(String)
    /// A process has the journal open.
    case inUse(String)
    /// The backup is not what was written, or not the one whose head was given.
    case unsound(String, problems: [String])
    /// The journal in place is another one than that of the backup.
    case otherJournal(String)
    /// The backup cannot be read as a journal.
    case unreadable(String, JournalError)
    /// The disk did not do what was asked. A restore that was begun is gone on with by the same command.
    case disk(String)

    public var code: String {
        switch self {
        case .noBackup: "backup_not_found"
        case .backupIsTheJournal: "backup_is_the_journal"
        case .inUse: "journal_in_use"
        case .unsound: "backup_unsound"
        case .otherJournal: "backup_of_other_journal"
        case .unreadable: "backup_unreadable"
        case .disk: "restore_failed"
        }
    }

    public var what: String {
        switch self {
        case .noBackup(let path): "There is no backup \(path). Nothing was restored."
        case .backupIsTheJournal(let path): "\(path) is the journal itself. Nothing was restored."
        case .inUse(let path): "A running till has the journal \(path) open. Nothing was restored."
        case .unsound(let path, let problems):
            "The backup \(path) is not sound, and was not restored: \(problems.prefix(3).joined(separator: "; "))."
        case .otherJournal(let path):
            "The journal \(path) is another one than that of the backup: they do not begin alike. Nothing was restored."
        case .unreadable(let path, let error): "The backup \(path) was not restored. \(error)"
        case .disk(let reason): "The backup was not restored: \(reason)"
        }
    }

    /// A restore asks nobody for money.
    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .noBackup: "Check the path."
        case .backupIsTheJournal: "Without a backup, till restore takes the journal in place for one."
        case .inUse: "Stop every till that uses it, then restore again."
        case .unsound: "Take another backup."
        case .otherJournal: "If it shall be replaced all the same, move it away first."
        case .unreadable: "Take a file that till journal backup has made."
        case .disk: "Check the disk and the rights in the journal's folder, then run the same command again."
        }
    }
}
