public import TillCore
public import TillJournal

/// The reason a backup was not restored. The current journal is unchanged, unless the case states otherwise.
public enum RestoreError: ExplainedError, Hashable {
    /// There is no such file.
    case noBackup(String)
    /// The backup is the journal itself.
    case backupIsTheJournal(String)
    /// A process has the journal open.
    case inUse(String)
    /// The backup is damaged, or does not match the given head.
    case unsound(String, problems: [String])
    /// The current journal and the backup are different journals.
    case otherJournal(String)
    /// The backup cannot be read as a journal.
    case unreadable(String, JournalError)
    /// A disk operation failed. Running the same command again resumes an interrupted restore.
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

    /// `.no`: a restore moves no money.
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
