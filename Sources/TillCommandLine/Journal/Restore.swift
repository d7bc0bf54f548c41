import ArgumentParser
import Foundation
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillJournalSQLite

/// `till restore`: restores a backup as the journal, and blocks sales until the providers have reported the payments
/// made after it.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the journal's place, and asks the providers what was sold since.",
        discussion: """
            till restore BACKUP              checks it, puts it in place; the old file is kept beside it. A folder is
                                             that of till serve --copy-to
            till restore                     takes the file in place, or a database that was set back, for a backup
            till restore --sweep             asks the providers, and shows how far that is; till serve does it, too
            till restore --accept cash --actor NAME --evidence TEXT
                                             a person says that nothing of a provider without a list is missing

            Until the sweep is done nothing is sold or refunded. Charges that the journal does not know become
            incidents, which hold their orders: till journal incidents.
            """)
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Argument(help: "The backup, as till journal backup made it. Without it the file in place is taken as it is.")
    var backup: String?
    @Option(name: .long, help: ArgumentHelp("The journal to restore; by default that of --journal.", valueName: "file"))
    var to: String?
    @Option(name: .long, help: ArgumentHelp("The head that was printed with the backup.", valueName: "head"))
    var head: String?
    @Flag(name: .long, help: "Ask the providers until they have answered, or until a person is needed.") var sweep =
        false
    @Option(name: .long, help: ArgumentHelp("A provider of which nothing is missing.", valueName: "provider"))
    var accept: String?
    @Option(name: .long, help: "Who says so.") var actor: String?
    @Option(name: .long, help: "How it is known, such as a report's number.") var evidence: String?

    func validate() throws {
        guard accept == nil || (actor?.isEmpty == false && evidence?.isEmpty == false) else {
            throw ValidationError("--accept needs --actor and --evidence.")
        }
        for (option, text) in [("--actor", actor), ("--evidence", evidence)]
        where (text ?? "").utf8.count > RestoreSweeper.maximumTextBytes {
            throw ValidationError("\(option) has at most \(RestoreSweeper.maximumTextBytes) bytes.")
        }
        guard accept == nil || backup == nil else {
            throw ValidationError("A backup is restored, or a provider accepted.")
        }
        if let head, ChainHead(head) == nil {
            throw ValidationError("--head is a number, a colon and 64 hexadecimal digits, as it was printed.")
        }
    }

    func run() async throws {
        var common = common
        if let to { common.journal = to }
        if backup != nil { try common.refusePostgreSQL("till restore with a backup") }
        let report = try await putInPlace(common)
        let json = common.json
        try await withCounter(common, provider) { counter in
            if let report { try await counter.journal.note([AuditNote(restored: report.epoch, from: backup)]) }
            if report == nil, accept == nil { try await begin(in: counter) }
            if let accept { try await take(accept, in: counter) }
            let standing = try await sweep ? swept(counter) : counter.sweeper.standing()
            Output.line(json ? RestoreLine.json(standing, report) : "\(standing)")
            // Action by a person or the providers is required: a script must not continue as if the counter could sell.
            if sweep, standing != .notDue { throw ExitCode(1) }
        }
    }

    private func putInPlace(_ common: CommonOptions) async throws -> RestoreReport? {
        guard let backup else { return nil }
        do {
            let path = try common.settings().text(.journal) ?? CounterOptions.defaultJournal
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: backup, isDirectory: &isFolder)
            let file = isThere && isFolder.boolValue ? backup + "/" + JournalCopier.name : backup
            let progress = WorkProgress("Checking and copying the backup", json: common.json)
            defer { progress.end() }
            let report = try await SQLiteJournal.restore(file, to: path, known: head.flatMap { ChainHead($0) })
            progress.end()
            guard !common.json else { return report }
            Output.line(
                "Restored: \(report.payments) payments, \(report.events) events, up to \(report.epoch.newest). "
                    + "Epoch \(report.epoch.number).")
            if let aside = report.aside { Output.line("The journal that was in place is kept as \(aside).") }
            return report
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
    }

    /// Begins a restore without a backup, from the file in place. A running sweep continues.
    private func begin(in counter: Counter) async throws {
        let due = try await RestoreSweep.due(in: counter.journal)
        guard due?.epoch == nil, !sweep || due != nil else { return }
        let epoch = try await counter.journal.restoreInPlace()
        try await counter.journal.note([AuditNote(restored: epoch, from: nil)])
        if !common.json { Output.line("The journal continues from \(epoch.newest). Epoch \(epoch.number).") }
    }

    private func take(_ name: String, in counter: Counter) async throws {
        let sweep = try await counter.sweeper.accept(
            ProviderName(rawValue: name), by: actor ?? "", evidence: evidence ?? "")
        guard sweep == nil else {
            return try await counter.journal.note([
                AuditNote(
                    .providerAccepted, subject: name,
                    changes: [AuditChange("said_by", to: actor), AuditChange("evidence", to: evidence)])
            ])
        }
        throw CommandError(
            code: "nothing_to_accept", what: "No sweep is due that waits for \(name).",
            next: "till restore --sweep shows what is waited for.")
    }

    /// Runs the sweep until nothing is due, a person is needed, or a provider's list is later than the command waits.
    private func swept(_ counter: Counter) async throws -> RestoreSweeper.Standing {
        var last: RestoreSweeper.Standing?
        while true {
            let standing = try await counter.sweeper.step()
            if standing != last, !common.json { Output.note("\(standing)") }
            last = standing
            switch standing {
            case .notDue, .notRestored, .needsPerson: return standing
            case .listing: continue
            case .waiting(_, let until) where until.since(counter.clock.now()) > RestoreSweep.lateCalls: return standing
            case .failing, .waiting: try await counter.clock.sleep(for: RestoreSweeper.pause)
            }
        }
    }
}

extension AuditNote {
    /// The note that a backup became the journal; without a name, the file in place itself.
    fileprivate init(restored epoch: RestoreEpoch, from backup: String?) {
        self.init(
            .journalRestored, subject: backup,
            changes: [AuditChange("epoch", to: "\(epoch.number)"), AuditChange("newest", to: "\(epoch.newest)")])
    }
}
