import ArgumentParser
import TillCore
import TillCounter
import TillJournal
import TillPostgres

/// `till journal copy`: moves a journal from a file into a database, or the reverse.
struct JournalMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Moves the journal from a file into a PostgreSQL database, or back.",
        discussion: """
            Every event, payment, key and document goes with its number, so heads that were noted down and places in \
            event
            streams stay. Stop all counters first. Both sides are checked and compared; then the old one is marked, and
            sells nothing any more. The files beside the old one (…-pepper, the key of links on receipts, the sandbox,
            stored cards) are this machine's: rename them for the new one.
            """)
    @OptionGroup var common: CommonOptions
    @Option(help: ArgumentHelp("The journal to move: a file or an address.", valueName: "place")) var from: String
    @Option(help: ArgumentHelp("Where it goes: a new file, or an empty database.", valueName: "place")) var to: String

    func run() async throws {
        do {
            guard from != to else {
                throw CommandError(
                    code: "same_journal", what: "Both places are the same.", next: "Name another place with --to.")
            }
            let progress = WorkProgress("Moving the journal", json: common.json)
            defer { progress.end() }
            let source = try await open(from)
            let report: JournalMove.Report
            do {
                let target = try await open(to)
                do {
                    report = try await JournalMove(from: source, from, to: target, to).run()
                } catch {
                    try? await target.close()
                    throw error
                }
                try await target.close()
            } catch {
                try? await source.close()
                throw error
            }
            try await source.close()
            progress.end()
            Output.line(common.json ? json(report) : text(report))
        } catch let error as JournalError {
            throw Output.fail(JournalMoveError.journal(to, error), json: common.json)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
    }

    private func open(_ place: String) async throws -> any MovableJournal {
        let journal: any CounterStore
        do throws(JournalError) { journal = try Counter.openJournal(at: place) } catch {
            throw JournalMoveError.journal(place, error)
        }
        guard let movable = journal as? any MovableJournal else {
            try await journal.close()
            throw JournalMoveError.journal(place, .unavailable("it cannot be moved"))
        }
        return movable
    }

    private func text(_ report: JournalMove.Report) -> String {
        "Moved \(report.payments) payments and \(report.events) events, \(report.rows) rows in all. The head is "
            + "\(report.head.head). From now on use --journal \(to)"
    }

    private func json(_ report: JournalMove.Report) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("journal", to)
        writer.field("payments", report.payments)
        writer.field("events", report.events)
        writer.field("rows", report.rows)
        writer.field("head", report.head.head.description)
        writer.endObject()
        return writer.text
    }
}
