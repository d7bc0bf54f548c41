import ArgumentParser
import TillCheckout
import TillCore
import TillCounter
import TillOffline

/// `till offline`: payments stored without a connection.
struct Offline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline",
        abstract: "Cards stored while there is no connection: stored, not paid.",
        discussion: """
            till offline sync                  reaches the provider; forwards what is stored
            till offline accept --amount 12.50 --currency EUR --connection force-offline
            till offline status                what is stored, until when, what is against more
            till offline verify                reads the whole log and the journal
            till offline quarantine            what was put aside, and why

            A stored card is not a payment: nobody has authorized anything, and the shop
            bears the risk until the provider has decided.
            """,
        subcommands: [
            Status.self, Accept.self, Decline.self, Sync.self, Export.self, Verify.self, Quarantine.self,
        ], defaultSubcommand: Status.self)

    /// `till offline status`: shows the stored payments and their age.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "status", abstract: "Shows what is stored.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let metrics = try await counter.offline.metrics()
                if common.json {
                    var writer = JSONWriter()
                    metrics.write(into: &writer)
                    Output.line(writer.text)
                } else {
                    for line in Offline.lines(metrics, at: counter.clock.now(), in: counter.offline.options.folder) {
                        Output.line(Output.wrapped(line, to: 80))
                    }
                }
            }
        }
    }

    /// `till offline decline`: withdraws the last stored payment.
    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decline",
            abstract: "Withdraws the last stored card, within 60 seconds.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment, as pay_….") var payment: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let id = try Offline.paymentID(payment)
                let done = try await counter.checkout.cancel(
                    id, account: counter.options.account, reason: "declined_by_shop")
                if common.json { Output.line(PaymentLine.json(done)) }
                guard done.status == .canceled else {
                    let still = CommandError(
                        code: "offline_decline_over",
                        what: "The stored card of \(id) can no longer be withdrawn.", moneyMoved: done.moneyMoved,
                        next: "If the provider takes the money, it is refunded at once.")
                    guard !common.json else { throw ExitCode(1) }
                    throw still
                }
                if !common.json { Output.line("Withdrawn. Payment \(id) is canceled; no money will be captured.") }
            }
        }
    }

    /// `till offline sync`: forwards stored payments to the provider.
    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync",
            abstract: "Reaches the provider and forwards everything that is stored.",
            discussion: "Safe to end at any moment and to run again: nothing is lost and nothing is taken twice.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: ArgumentHelp("Payments of one batch, 1 to 1000.", valueName: "count"))
        var batch = 200

        func validate() throws {
            guard (1...BatchContent.mostMembers).contains(batch) else {
                throw ValidationError("--batch is 1 to \(BatchContent.mostMembers).")
            }
        }

        func run() async throws {
            try await withCounter(common, provider) { counter in
                if case .refused(let reason) = try await counter.offline.contact() {
                    throw CommandError(
                        code: "offline_contact_refused", what: "The provider does not believe this log: \(reason).",
                        next: "Keep the log's folder as it is, and ask the provider.")
                }
                // Work left by a crashed process comes first.
                for _ in 0..<64 where try await counter.checkout.recover() == 0 { break }
                var sync = try await counter.offline.sync(with: counter.checkout)
                sync.batchSize = batch
                let report = try await sync.run()
                try Offline.show(report, json: common.json)
            }
        }
    }

    /// `till offline verify`: checks the log of stored payments.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Checks every entry of the log, and that what the journal calls stored is there.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let began = ContinuousClock.now
                let (log, marks) = try await counter.offline.verify()
                let (book, last) = (try log.book(), try log.mark())
                let duration = ContinuousClock.now - began
                if common.json {
                    var writer = JSONWriter()
                    writer.beginObject()
                    writer.field("ok", true)
                    writer.field("entries", Int64(clamping: last.sequence) + 1)
                    writer.field("bytes", log.bytes)
                    writer.field("stored", book.exposure.count)
                    writer.field("vouched_by_journal", marks)
                    writer.field("healed_bytes", log.healedBytes)
                    writer.field("last_hash", Hex.lowercase(last.hash))
                    writer.endObject()
                    Output.line(writer.text)
                } else {
                    Output.line(
                        "The log is whole: \(last.sequence + 1) entries, \(log.bytes) bytes, chain and signatures "
                            + "right."
                    )
                    Output.line("\(marks) payments that the journal calls stored are in it.")
                    if log.healedBytes > 0 {
                        Output.line(
                            "\(log.healedBytes) bytes of an unacknowledged write were cut off and kept.")
                    }
                    let parts = duration.components
                    Output.note("Checked in \(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000) ms.")
                }
            }
        }
    }

    static func paymentID(_ text: String) throws -> PaymentID {
        do { return try PaymentID(validating: text) } catch {
            throw CommandError(code: "invalid_payment", what: "\(error)", next: "Give a payment as pay_….")
        }
    }

    static func show(_ report: OfflineSync.Report, json: Bool) throws {
        let isDone = report.left.count == report.quarantined.count && report.problems.isEmpty
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("approved", report.approved)
            writer.field("declined", report.declined)
            writer.field("batches", report.resolved)
            writer.field("uploads", report.sent)
            writer.field("left", report.left.count)
            writer.key("quarantined")
            writer.beginArray()
            for (sequence, reason) in report.quarantined.sorted(by: { $0.key < $1.key }) {
                writer.beginObject()
                writer.field("entry", Int64(clamping: sequence))
                writer.field("reason", reason)
                writer.endObject()
            }
            writer.endArray()
            writer.key("problems")
            writer.beginArray()
            for problem in report.problems { writer.string(problem) }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        } else {
            if report.approved + report.declined + report.left.count == 0 { Output.line("Nothing is stored.") }
            if report.approved > 0 { Output.line("Approved: \(report.approved). The money was captured.") }
            if report.declined > 0 {
                Output.line("Declined: \(report.declined). No money moved; these orders are unpaid.")
            }
            for (sequence, reason) in report.quarantined.sorted(by: { $0.key < $1.key }) {
                Output.line(Output.wrapped("Put aside: entry \(sequence). \(reason)", to: 80))
            }
            if report.left.count > 0 { Output.line("Still stored: \(Offline.sum(report.left)).") }
            for problem in report.problems.suffix(5) { Output.note(problem) }
        }
        guard isDone else { throw ExitCode(1) }
        if report.declined > 0 { throw ExitCode(2) }
    }

    static func sum(_ exposure: OfflineExposure) -> String {
        "\(exposure.count) payment\(exposure.count == 1 ? "" : "s"), " + sums(exposure.sums)
    }

    static func sums(_ sums: [String: Int64]) -> String {
        let parts = sums.sorted { $0.key < $1.key }.compactMap { code, units in
            Currency(ifValid: code).map { "\(Money(minorUnits: units, currency: $0))" }
        }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    /// Returns the status for display, one fact on each line.
    static func lines(_ metrics: OfflineMetrics, at now: Timestamp, in folder: String) -> [String] {
        guard metrics.hasLog else {
            return ["Nothing was ever stored here.", "Reach the provider once with `till offline sync` to begin."]
        }
        var lines: [String] = []
        if metrics.count == 0 {
            lines.append("Nothing is stored.")
        } else {
            let count = "\(metrics.count) payment\(metrics.count == 1 ? "" : "s")"
            lines.append("STORED, NOT PAID: \(count), \(sums(metrics.sums))")
        }
        if let oldest = metrics.oldestAt, let end = metrics.expiresAt {
            lines.append("  The oldest waits for \(age(now.since(oldest))).")
            lines.append(
                now <= end
                    ? "  The provider takes it until \(end.internetTime), for \(age(end.since(now))) more."
                    : "  The provider took it until \(end.internetTime): it may refuse it now.")
        }
        for batch in metrics.batches {
            lines.append("Batch \(batch.id): \(batch.state), \(batch.count) payments")
        }
        if !metrics.quarantined.isEmpty {
            lines.append("Put aside: \(metrics.quarantined.count) (see `till offline quarantine`)")
        }
        if metrics.resolved + metrics.voided > 0 {
            lines.append("Forwarded so far: \(metrics.resolved), withdrawn: \(metrics.voided)")
        }
        if let contact = metrics.lastContact {
            lines.append("Provider last reached: \(contact.internetTime), \(age(now.since(contact))) ago")
        }
        if metrics.reasonsAgainst.isEmpty, let end = metrics.acceptsUntil {
            lines.append("More cards may be stored until \(end.internetTime).")
        }
        for reason in metrics.reasonsAgainst { lines.append("No card can be stored now: \(reason.sentence)") }
        lines.append(
            "Log: \(metrics.entries) entries, \(metrics.bytes) bytes, device \(metrics.device ?? "?"), in \(folder)")
        return lines
    }

    static func age(_ span: Span) -> String {
        let minutes = max(0, span.milliseconds / 60_000)
        if minutes < 1 { return "less than a minute" }
        if minutes < 120 { return "\(minutes) min" }
        return "\(minutes / 60) h \(minutes % 60) min"
    }
}
