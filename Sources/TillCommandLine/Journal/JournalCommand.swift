import ArgumentParser
import TillBooks
import TillCore
import TillCounter
import TillJournal

/// `till journal …`: verifies, copies and repairs the journal.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Checks and copies the journal.",
        subcommands: [
            Verify.self, Head.self, Backup.self, Incidents.self, JournalMode.self, JournalNodes.self,
            JournalMoveCommand.self, JournalLevelCommand.self, JournalMigrateCommand.self,
        ])

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
        @Option(help: ArgumentHelp("A file with a line that `till journal head` has signed.", valueName: "file"))
        var signedHead: String?
        @Option(help: ArgumentHelp("The public key that belongs to the line.", valueName: "file"))
        var publicKey: String?

        func validate() throws {
            guard (signedHead == nil) == (publicKey == nil) else {
                throw ValidationError("--signed-head and --public-key are given together.")
            }
            guard signedHead == nil || known == nil else {
                throw ValidationError("Either --head or --signed-head is given.")
            }
            guard known.map({ ChainHead($0) != nil }) ?? true else {
                throw ValidationError("--head is a number, a colon and 64 hexadecimal digits, as it was printed.")
            }
        }

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let progress = WorkProgress("Checking the journal", json: common.json)
                defer { progress.end() }
                var signed: SignedHead?
                if let signedHead, let publicKey {
                    signed = try HeadSigner.statement(signedHead, publicKey: publicKey)
                }
                var report = try await counter.journal.verify(
                    known: signed?.head ?? known.flatMap { ChainHead($0) }, audit: signed?.audit)
                if let signed, let journal = report.journal, journal != signed.journal {
                    report.problems.append("the signed head is of the journal \(signed.journal), this is \(journal)")
                }
                report.problems += await LedgerCheck(counter.journal).problems(against: report)
                let staff = await StaffCheck(counter.journal).findings()
                report.problems += staff.problems
                progress.end()
                common.json ? Output.line(json(report, signed, staff.notices)) : tell(report, signed, staff.notices)
                if !report.isSound { throw ExitCode(1) }
            }
        }

        private func json(_ report: VerificationReport, _ signed: SignedHead?, _ notices: [String]) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("ok", report.isSound)
            writer.field("payments", report.payments)
            writer.field("events", report.events)
            writer.field("orders", report.orders)
            writer.field("journal", report.journal)
            writer.field("head", report.head?.description)
            writer.field("audit_entries", report.auditEntries)
            writer.field("audit_head", report.auditHead?.description)
            if let signed {
                writer.key("signed_head")
                writer.beginObject()
                writer.field("journal", signed.journal)
                writer.field("head", signed.head.description)
                writer.field("at", signed.at.description)
                writer.field("key", signed.key)
                writer.endObject()
            }
            writer.key("problems")
            writer.beginArray()
            for problem in report.problems { writer.string(problem) }
            writer.endArray()
            writer.key("notices")
            writer.beginArray()
            for notice in notices { writer.string(notice) }
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

        private func tell(_ report: VerificationReport, _ signed: SignedHead?, _ notices: [String]) {
            Output.line("\(report.payments) payments, \(report.events) events, \(report.orders) orders.")
            if let head = report.head { Output.line("head \(head)") }
            if let head = report.auditHead {
                Output.line("\(report.auditEntries) audit entries, audit head")
                Output.line("  \(head)")
            }
            if let signed {
                Output.line("held against event \(signed.head.sequence), signed at \(signed.at) with \(signed.key)")
            }
            for balance in report.balances {
                let captured = Money(minorUnits: balance.captured, currency: balance.currency)
                let refunded = Money(minorUnits: balance.refunded, currency: balance.currency)
                Output.line("captured \(captured), refunded \(refunded)")
            }
            for notice in notices { Output.line(notice) }
            for problem in report.problems { Output.line("BROKEN: \(problem)") }
            Output.line(report.isSound ? "Every invariant holds." : "The journal is not sound. Stop and ask for help.")
        }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Copies the journal while it is in use.",
            discussion: "With the setting journal_signing_key its signed head is written beside it.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The new file.") var path: String

        func run() async throws {
            try common.refusePostgreSQL("till journal backup")
            try await withCounter(common, provider, creates: false) { counter in
                // Before the copy, so that an unusable key is reported first.
                let key = try HeadSigner.key(common)
                let copied: JournalHead
                let progress = WorkProgress("Copying the journal", json: common.json)
                defer { progress.end() }
                do throws(JournalError) {
                    copied = try await counter.journal.copy(to: path)
                } catch {
                    throw CommandError(
                        code: "backup_failed", what: "The journal was not copied. \(error)",
                        next: "Name a new file in a folder that can be written.")
                }
                let head = copied.head
                try await counter.journal.note([
                    AuditNote(.journalBackedUp, subject: path, changes: [AuditChange("head", to: "\(head)")])
                ])
                var signed: SignedHead?
                if let key { signed = try sign(copied, key, counter) }
                progress.end()
                guard !common.json else { return Output.line(json(head, signed)) }
                Output.line("Copied to \(path). Keep its head apart from it: \(signed?.description ?? "\(head)")")
            }
        }

        /// Signs the copy's head and writes it beside the copy.
        private func sign(_ stated: JournalHead, _ key: HeadSigningKey, _ counter: Counter) throws -> SignedHead {
            let file = path + HeadSigner.suffix
            do {
                let signed = try SignedHead(stated, at: counter.clock.now(), key: key)
                try HeadKeyFile.create(file, "\(signed)\n", mode: 0o600)
                return signed
            } catch {
                throw CommandError(
                    code: "backup_not_signed",
                    what: "The journal was copied to \(path), and its head was not signed. \(error)",
                    next:
                        "The copy can be restored, and its head is \(stated.head). Name another file to have a signed "
                        + "one."
                )
            }
        }

        private func json(_ head: ChainHead, _ signed: SignedHead?) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("backup", path)
            writer.field("head", head.description)
            writer.field("signed_head", signed?.description)
            writer.field("signed_head_file", signed.map { _ in path + HeadSigner.suffix })
            writer.endObject()
            return writer.text
        }
    }
}
