import ArgumentParser
import TillCore
import TillCounter
import TillJournal

/// `till journal mode`: shows the mode of a journal, and is the only command that changes it.
struct JournalMode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode",
        abstract: "Shows whether the journal is in test or live mode, or changes its mode.",
        discussion: "A journal that continues in the other mode holds real money and play money side by side.")
    @OptionGroup var common: CommonOptions
    @Argument(help: "test or live; without it the mode is only shown.") var mode: String?

    func run() async throws {
        do {
            let wanted = try mode.map { word in
                guard let mode = PaymentMode(rawValue: word) else {
                    throw CommandError(
                        code: "invalid_mode", what: "There is no mode \(word).", next: "Say test or live.")
                }
                return mode
            }
            let settings = try common.settings()
            let path = settings.text(.journal) ?? CounterOptions.defaultJournal
            if wanted == nil { try Counter.checkJournalExists(at: path) }
            let journal = try Counter.openJournal(at: path)
            let now: PaymentMode?
            do {
                if let wanted { try await CounterMode.set(wanted, of: journal) }
                now = try await CounterMode.of(journal)
            } catch {
                try? await journal.close()
                throw error
            }
            try await journal.close()
            tell(now, path)
        } catch let error as JournalError {
            throw Output.fail(
                CommandError(
                    code: "journal_unavailable", what: "\(error)", next: "Check its place and the rights on it."),
                json: common.json)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
    }

    private func tell(_ mode: PaymentMode?, _ path: String) {
        guard !common.json else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("journal", path)
            writer.field("mode", mode?.rawValue)
            writer.endObject()
            return Output.line(writer.text)
        }
        Output.line(
            mode.map { "The journal \(path) is of \($0.rawValue) mode." }
                ?? "The journal \(path) has no mode yet: the first counter with a provider's keys gives it one.")
    }
}
