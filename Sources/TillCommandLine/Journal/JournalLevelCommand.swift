import ArgumentParser
import TillCore
import TillCounter
import TillJournal

/// `till journal level`: compares the journal's tables with those of this build; changes nothing.
struct JournalLevelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "level",
        abstract: "Shows whether this Till would add tables to the journal. Exit code 1 if it would.",
        discussion: "Changes nothing. A journal of a newer Till is refused by name.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await LevelLine.failing(common) { place in
            let level = try Counter.journalLevel(at: place)
            Output.line(LevelLine(place: place, before: nil, level: level).text(json: common.json))
            if !level.isCurrent { throw ExitCode(1) }
        }
    }
}

/// `till journal migrate`: adds the tables that this build needs, and sells nothing. Counters whose role may not create
/// anything are started afterwards.
struct JournalMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Brings the journal's tables to the level of this Till.",
        discussion: """
            A counter does this, too, when it opens the journal; this command is for a database whose counters' role \
            may not create tables: run it first, as the owner. What is there stays as it is, and counters of the \
            version before go on.
            """)
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await LevelLine.failing(common) { place in
            let before = try Counter.journalLevel(at: place)
            let journal = try Counter.openJournal(at: place)
            try await journal.close()
            let level = try Counter.journalLevel(at: place)
            Output.line(LevelLine(place: place, before: before, level: level).text(json: common.json))
        }
    }
}

/// The answer of both commands.
private struct LevelLine {
    let place: String
    /// The level before it was changed; `nil` if nothing was.
    let before: JournalLevel?
    let level: JournalLevel

    func text(json: Bool) -> String {
        guard !json else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("journal", place)
            writer.field("level", level.found)
            writer.field("newest", level.newest)
            writer.key(before == nil ? "missing" : "added")
            writer.beginArray()
            for name in before?.missing ?? level.missing { writer.string(name) }
            writer.endArray()
            writer.endObject()
            return writer.text
        }
        if let before {
            return before.isCurrent
                ? "The journal \(place) is at level \(level.found) already. Nothing was changed."
                : "Brought the journal \(place) from level \(before.found) to \(level.found)."
        }
        if level.isCurrent { return "The journal \(place) is at level \(level.found), this Till's." }
        return level.found == 0
            ? "There is no journal at \(place). `till journal migrate` makes it, and so does the first counter."
            : "The journal \(place) is at level \(level.found) and lacks \(level.missing.joined(separator: ", ")). "
                + "`till journal migrate` adds it, and so does the next counter of this Till."
    }

    /// Runs a command on the journal of the settings, and explains its errors.
    static func failing(_ common: CommonOptions, _ run: (String) async throws -> Void) async throws {
        do {
            try await run(try common.settings().text(.journal) ?? CounterOptions.defaultJournal)
        } catch let error as JournalError {
            throw Output.fail(
                CommandError(
                    code: "journal_unavailable", what: "\(error)",
                    next: "Check its place and the rights on it. Nothing was changed."),
                json: common.json)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
    }
}
