import ArgumentParser
import TillCore
import TillJournal
import TillServer

/// `till journal …`
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Checks and copies the journal.",
        subcommands: [Verify.self, Backup.self, Incidents.self, JournalMode.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Checks every invariant, also while a counter is running. Exit code 1 if one is broken.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(
            name: .customLong("head"),
            help: ArgumentHelp(
                "A head that an earlier check or backup printed. It must still be in the chain.", valueName: "head"))
        var known: String?

        func run() async throws {
            let known = try known.map { text in
                guard let head = ChainHead(text) else {
                    throw ValidationError("--head is a number, a colon and 64 hexadecimal digits, as it was printed.")
                }
                return head
            }
            try await withCounter(common, provider) { counter in
                let report = try await counter.journal.verify(known: known)
                common.json ? Output.line(json(report)) : tell(report)
                if !report.isSound { throw ExitCode(1) }
            }
        }

        private func json(_ report: VerificationReport) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("ok", report.isSound)
            writer.field("payments", report.payments)
            writer.field("events", report.events)
            writer.field("orders", report.orders)
            writer.field("head", report.head?.description)
            writer.key("problems")
            writer.beginArray()
            for problem in report.problems { writer.string(problem) }
            writer.endArray()
            writer.key("balances")
            writer.beginArray()
            for balance in report.balances {
                writer.beginObject()
                writer.field("currency", balance.currency.code)
                writer.field("captured", balance.captured)
                writer.field("refunded", balance.refunded)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            return writer.text
        }

        private func tell(_ report: VerificationReport) {
            Output.line("\(report.payments) payments, \(report.events) events, \(report.orders) orders.")
            if let head = report.head { Output.line("head \(head)") }
            for balance in report.balances {
                let captured = Money(minorUnits: balance.captured, currency: balance.currency)
                let refunded = Money(minorUnits: balance.refunded, currency: balance.currency)
                Output.line("captured \(captured), refunded \(refunded)")
            }
            for problem in report.problems { Output.line("BROKEN: \(problem)") }
            Output.line(report.isSound ? "Every invariant holds." : "The journal is not sound. Stop and ask for help.")
        }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Copies the journal while it is in use.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The new file.") var path: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let head: ChainHead
                do throws(JournalError) {
                    head = try await counter.journal.backup(to: path)
                } catch {
                    throw CommandError(
                        code: "backup_failed", what: "The journal was not copied. \(error)",
                        next: "Name a new file in a folder that can be written.")
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("backup", path)
                writer.field("head", head.description)
                writer.endObject()
                Output.line(common.json ? writer.text : "Copied to \(path). Keep its head apart from it: \(head)")
            }
        }
    }
}
