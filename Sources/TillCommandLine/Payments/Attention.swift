import ArgumentParser
import TillCheckout
import TillCore
import TillCounter
import TillFeatureBooks
import TillJournal

/// `till attention …`: lists, assigns and closes entries and incidents that need review.
struct AttentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attention", abstract: "Lists and closes what a person must review.",
        subcommands: [List.self, Show.self, Assign.self, Resolve.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists what is open, the oldest first, and the open incidents.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "The most payments to list, up to 500.") var limit = 100

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let now = counter.clock.now()
                let found = try await AttentionQueue(counter.journal).open(
                    account: counter.options.account, limit: limit)
                // Incidents belong to the shop as a whole, regardless of account: `till journal incidents` lists the
                // same.
                let incidents = try await IncidentLog(counter.journal).open(account: nil, limit: limit)
                let assigned = try await AttentionJSON.assigned(
                    found, incidents.first, in: Assignments(counter.journal, clock: counter.clock))
                if common.json {
                    return Output.line(
                        String(decoding: AttentionJSON.write(found, incidents, assigned, at: now), as: UTF8.self))
                }
                if found.isEmpty, incidents.count == 0 { return Output.line("Nothing needs a person.") }
                for entry in found {
                    Output.line(AttentionCommand.line(entry.item, of: entry.payment, assigned, at: now))
                }
                guard incidents.count > 0 else { return }
                Output.line(incidents.count == 1 ? "1 incident is open:" : "\(incidents.count) incidents are open:")
                for incident in incidents.first {
                    let assignee = AttentionCommand.words(assigned[.incident(incident.id)])
                    Output.line(
                        "\(incident.id)  \(AttentionCommand.age(since: incident.at, at: now))  \(assignee)\(incident)")
                    Output.line("    \(incident.resolvingCommand)")
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows all entries of one payment, with how they were closed.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let now = counter.clock.now()
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                let assigned = try await AttentionJSON.assigned(
                    found.attentionItems.map { .entry(found.id, number: $0.number) },
                    in: Assignments(counter.journal, clock: counter.clock))
                if common.json {
                    return Output.line(
                        String(decoding: AttentionJSON.write(entriesOf: found, assigned, at: now), as: UTF8.self))
                }
                if found.attentionItems.isEmpty { return Output.line("Nothing of it needed a person.") }
                for item in found.attentionItems { AttentionCommand.show(item, of: found, assigned, at: now) }
            }
        }
    }

    struct Assign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "assign", abstract: "Assigns an entry, or an incident, to somebody.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment, or the incident's identifier.") var subject: String
        @Argument(help: "The entry's number; none for an incident.") var number: Int?
        @Option(name: .long, help: "Who it is.") var to: String?
        @Flag(name: .long, help: "Unassigns it.") var nobody = false

        func validate() throws {
            guard (to == nil) == nobody else { throw ValidationError("Give either --to or --nobody.") }
        }

        func run() async throws {
            if let to, !(1...Assignment.maximumNameBytes).contains(to.utf8.count) {
                throw CommandError(
                    code: "invalid_name",
                    what: "A name has 1 to \(Assignment.maximumNameBytes) bytes. Nothing was changed.",
                    next: "Give a shorter one.")
            }
            try await withCounter(common, provider) { counter in
                let subject = try await found(in: counter)
                let assignment = try await Assignments(counter.journal, clock: counter.clock).assign(
                    subject, to: to, account: counter.options.account)
                if common.json {
                    var writer = JSONWriter()
                    writer.beginObject()
                    writer.field("subject", subject.name)
                    AttentionJSON.write(assignment, into: &writer)
                    writer.endObject()
                    return Output.line(String(decoding: writer.bytes, as: UTF8.self))
                }
                Output.line(assignment.map { "Assigned to \($0.name)." } ?? "Unassigned.")
            }
        }

        /// Returns the open entry or incident with that name.
        private func found(in counter: Counter) async throws -> Assignment.Subject {
            if let number {
                let payment = try await counter.checkout.payment(
                    PaymentID(rawValue: subject), account: counter.options.account)
                guard payment.openAttention.contains(where: { $0.number == number }) else {
                    throw Assign.missing("\(payment.id) has no open entry \(number).")
                }
                return .entry(payment.id, number: number)
            }
            guard let incident = try await Records<Incident>(counter.journal).document(subject), incident.isOpen else {
                throw Assign.missing("There is no open incident \(subject.prefix(128)).")
            }
            return .incident(incident.id)
        }

        private static func missing(_ what: String) -> CommandError {
            CommandError(
                code: "not_found", what: "\(what) Nothing was changed.", next: "List them: till attention list.")
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resolve", abstract: "Closes an entry with what only a person can know.",
            discussion: """
                handled             what was asked for was done
                not_refunded        the refund was certainly not made
                refunded_elsewhere  the customer was given the money another way
                captured_elsewhere  the customer has paid another way
                written_off         the money is given up
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String
        @Argument(help: "The entry's number.") var number: Int
        @Option(name: .long, help: "What is known; see above.") var resolution: String
        @Option(name: .long, help: "How it is known, such as a slip's number.") var evidence: String
        @Option(name: .long, help: "Who says so.") var actor: String
        @Option(
            name: .long, parsing: .unconditional, help: ArgumentHelp("How much, such as 5.00.", valueName: "amount"))
        var amount: String?

        func run() async throws {
            guard let kind = AttentionResolution.Kind(rawValue: resolution) else {
                throw CommandError(
                    code: "unknown_resolution", what: "There is no resolution \(resolution).",
                    next: "Use one of \(AttentionResolution.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            try await change(common, provider, payment) { counter, found in
                try await counter.checkout.resolve(
                    found.id, account: found.account, attention: number,
                    AttentionResolution(
                        kind: kind, amount: try money(amount, found), evidence: evidence, actor: actor))
            }
        }
    }

    private static func line(
        _ item: AttentionItem, of payment: Payment, _ assigned: AttentionJSON.Assigned, at now: Timestamp
    ) -> String {
        "\(payment.id)  \(item.number)  order \(payment.order.number)  \(age(since: item.since, at: now))  "
            + words(assigned[.entry(payment.id, number: item.number)])
            + "\(item.attention.sentence) \(item.attention.nextStep)"
    }

    private static func words(_ assignment: Assignment?) -> String { assignment.map { "[\($0.name)] " } ?? "" }

    private static func age(since moment: Timestamp, at now: Timestamp) -> String {
        let hours = max(0, now.since(moment).milliseconds / 3_600_000)
        return hours >= 48 ? "\(hours / 24) d" : "\(hours) h"
    }

    private static func show(
        _ item: AttentionItem, of payment: Payment, _ assigned: AttentionJSON.Assigned, at now: Timestamp
    ) {
        Output.line(line(item, of: payment, assigned, at: now))
        if let closing = item.closing {
            let amount = closing.resolution.amount.map { " \($0)" } ?? ""
            Output.line(
                "    closed \(closing.at) by \(closing.resolution.actor): "
                    + "\(closing.resolution.kind.rawValue)\(amount). "
                    + closing.resolution.evidence)
        } else if payment.isOvertaken(item) {
            Output.line("    overtaken by what happened since")
        }
    }
}
