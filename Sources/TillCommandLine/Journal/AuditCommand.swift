import ArgumentParser
import TillBooks
import TillCore
import TillCounter
import TillFeatureBooks
import TillJournal

/// `till audit …`: shows and exports the audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Shows and exports the audit log: who did what at this counter.",
        discussion:
            "docs/AUDIT.md says what is in it and how to check an export; `till journal verify` checks it here.",
        subcommands: [List.self, Export.self])

    /// The filter options.
    struct Filter: ParsableArguments {
        @Option(name: .long, help: ArgumentHelp("Only from then on, such as 2026-11-21T09:30:00Z.", valueName: "time"))
        var since: String?
        @Option(
            name: .long,
            help: ArgumentHelp("Only of this actor: a kind (owner, key, …), an id or a name.", valueName: "who"))
        var actor: String?

        func query() throws -> AuditQuery {
            AuditQuery(
                since: try since.map { text in
                    guard let moment = Timestamp(internetTime: text) else {
                        throw ValidationError("--since is a time such as 2026-11-21T09:30:00Z.")
                    }
                    return moment
                }, actor: actor)
        }
    }

    /// Calls `body` with entries page by page, up to the end of the log at the start.
    static func forEach(
        _ wanted: AuditQuery, in journal: any CounterStore, upTo end: Int64, _ body: (AuditEntry) -> Void
    ) async throws(JournalError) {
        var query = wanted
        while true {
            let page = try await journal.auditEntries(query)
            for entry in page.entries where entry.sequence <= end { body(entry) }
            guard let next = page.next, next < end else { return }
            query.after = next
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Shows the newest entries, oldest of them first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var filter: Filter
        @Option(name: .long, help: "The most to list, up to 500.") var limit = 50

        func validate() throws {
            guard (1...AuditLimits.maximumPage).contains(limit) else {
                throw ValidationError("--limit is 1 to \(AuditLimits.maximumPage).")
            }
        }

        func run() async throws {
            let query = try filter.query()
            try await withCounter(common, provider, creates: false) { counter in
                let standing = try await counter.journal.auditStanding()
                var newest: [AuditEntry] = []
                try await AuditCommand.forEach(query, in: counter.journal, upTo: standing.head.sequence) { entry in
                    if newest.count == limit { newest.removeFirst() }
                    newest.append(entry)
                }
                guard common.json else {
                    if newest.isEmpty { Output.line("No entries.") }
                    return newest.forEach { Output.line(List.line($0)) }
                }
                var writer = JSONWriter()
                writer.beginObject()
                AuditJSON.members(newest, standing, into: &writer)
                writer.endObject()
                Output.line(writer.text)
            }
        }

        private static func line(_ entry: AuditEntry) -> String {
            let note = entry.note
            let times = note.count == 1 ? "" : " ×\(note.count)"
            let changes = note.changes.filter { !$0.isSeal }.map { change in
                "\(change.name): " + (change.before.map { "\($0) → " } ?? "") + (change.after ?? "nothing")
            }
            return
                ([
                    "\(entry.sequence)", "\(entry.at)", "\(note.by)",
                    note.action.rawValue + (note.outcome == .done ? "" : " \(note.outcome.rawValue)") + times,
                    note.subject,
                    note.reason,
                ] + [changes.isEmpty ? nil : changes.joined(separator: "; ")]).compactMap { $0 }.joined(separator: "  ")
        }
    }

    struct Export: AsyncParsableCommand {
        /// The format of the exported audit log.
        enum Format: String, ExpressibleByArgument, CaseIterable {
            /// JSON lines: the head first, then each entry with its link.
            case jsonl
            /// RFC 4180, for spreadsheets; its integrity cannot be checked.
            case csv
        }

        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Writes the audit log to standard output.",
            discussion: "As JSON lines anybody can check it without this program; docs/AUDIT.md has the rule.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var filter: Filter
        @Option(name: .long, help: "jsonl or csv.") var format = Format.jsonl

        func run() async throws {
            let query = try filter.query()
            try await withCounter(common, provider, creates: false) { counter in
                let standing = try await counter.journal.auditStanding()
                let isWhole = query.since == nil && query.actor == nil
                switch format {
                case .jsonl: Output.line(Export.head(standing, isWhole: isWhole))
                case .csv: Output.bytes(Array(Export.row(Export.columns).utf8))
                }
                try await AuditCommand.forEach(query, in: counter.journal, upTo: standing.head.sequence) { entry in
                    switch format {
                    case .jsonl:
                        var writer = JSONWriter(reserving: 512)
                        AuditJSON.line(entry, into: &writer)
                        Output.line(writer.text)
                    case .csv: Output.bytes(Array(Export.row(Export.cells(of: entry)).utf8))
                    }
                }
            }
        }

        private static func head(_ standing: AuditStanding, isWhole: Bool) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("audit", "till-audit/1")
            writer.field("base", standing.base.description)
            writer.field("head", standing.head.description)
            writer.field("whole", isWhole)
            writer.endObject()
            return writer.text
        }

        private static let columns = [
            "sequence", "at", "actor_kind", "actor_id", "actor_name", "action", "outcome", "account", "subject",
            "reason",
            "count", "request", "address", "changes", "hash",
        ]

        private static func cells(of entry: AuditEntry) -> [String] {
            let (note, who) = (entry.note, entry.note.by.actor)
            let changes = note.changes.map { "\($0.name): \($0.before ?? "") → \($0.after ?? "")" }
            let texts = [
                "\(entry.sequence)", "\(entry.at)", who.kind, who.id ?? "", who.name ?? "", note.action.rawValue,
                note.outcome.rawValue, note.account?.rawValue ?? "", note.subject ?? "", note.reason ?? "",
                "\(note.count)", note.by.request ?? "", note.by.address ?? "", changes.joined(separator: "; "),
            ]
            // A link is not masked: a run of digits in it is not a card number.
            return texts.map { CSVText.cell($0) } + [Hex.lowercase(entry.link)]
        }

        private static func row(_ cells: [String]) -> String {
            cells.joined(separator: ",") + "\r\n"
        }
    }
}
