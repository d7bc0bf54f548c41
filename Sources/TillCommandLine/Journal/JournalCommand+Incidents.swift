import ArgumentParser
import TillBooks
import TillCore
import TillCounter
import TillJournal

extension JournalCommand {
    struct Incidents: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "incidents",
            abstract: "Lists what providers reported that no payment of the journal accounts for.",
            discussion: """
                An incident that names an order holds it: it is not sold. With --resolve, --note and --outcome it is
                recorded what a person has found out about one of them:

                --outcome paid       it paid the order, which is not sold any more; --order says which, where the
                                     incident does not
                --outcome not_paid   it did not, or the money was given back: the order may be sold

                Of what a statement has put into suspense it is also said:

                --outcome written_off   it is given up: posted from suspense to the write-offs
                --outcome recovered     what was given up was found: it is posted back
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(help: ArgumentHelp("The incident that was cleared up.", valueName: "incident")) var resolve: String?
        @Option(help: "What it was, and who says so.") var note: String?
        @Option(help: "Who says so, where the note does not.") var actor: String?
        @Option(help: "What it means: paid, not_paid, written_off or recovered.") var outcome: String?
        @Option(help: ArgumentHelp("The order that it paid, where the incident does not say so.", valueName: "order"))
        var order: String?

        func validate() throws {
            guard (resolve == nil) == (note == nil), note?.isEmpty != true else {
                throw ValidationError("--resolve and --note are given together.")
            }
            guard actor == nil || (resolve != nil && actor?.isEmpty == false) else {
                throw ValidationError("--actor is a name, and goes with --resolve.")
            }
            guard outcome.map({ Incident.Outcome(rawValue: $0) != nil }) ?? (order == nil) else {
                let words = Incident.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--outcome is one of \(words), and --order goes with it.")
            }
        }

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                if let resolve, let note {
                    show([try await close(resolve, note, counter)])
                } else {
                    let log = IncidentLog(counter.journal)
                    show(try await log.open(account: nil, limit: IncidentLog.maximumListed).first)
                }
            }
        }

        private func close(_ id: String, _ note: String, _ counter: Counter) async throws -> Incident {
            guard let known = try await Records<Incident>(counter.journal).document(id) else {
                throw IncidentRefusal.unknown(id)
            }
            var said = IncidentResolution(note: note, actor: actor, at: counter.clock.now())
            said.outcome = outcome.flatMap { Incident.Outcome(rawValue: $0) }
            said.order = try order.map {
                Incident.Owner(
                    account: known.owner?.account ?? counter.options.account, order: try OrderID(selling: $0))
            }
            try known.check(said)
            let writeOff = WriteOff(counter.journal, clock: counter.clock)
            try await writeOff.check(said, of: known)
            let journal = counter.journal
            let done = try await IncidentLog(journal).resolve(id, said) {
                (changes, incident) throws(JournalError) in
                let posted = try await writeOff.changes(resolving: incident)
                try await journal.change(changes + posted, noting: [AuditNote(resolved: incident)])
            }
            return done?.incident ?? known
        }

        private func show(_ incidents: [Incident]) {
            guard common.json else {
                if incidents.isEmpty { Output.line("No incident is open.") }
                for incident in incidents {
                    Output.line("\(incident.id)  \(incident.at)  \(incident.resolution ?? "\(incident)")")
                }
                return
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("incidents")
            writer.beginArray()
            for incident in incidents {
                writer.beginObject()
                writer.field("id", incident.id)
                writer.field("kind", incident.kind.rawValue)
                writer.field("provider", incident.provider.rawValue)
                writer.field("event", incident.event)
                writer.field("payment", incident.payment.rawValue)
                writer.field("at", incident.at.description)
                writer.field("what", incident.description)
                let owner = incident.foundOrder ?? incident.owner
                writer.field("account", owner?.account.rawValue)
                writer.field("order", owner?.order.rawValue)
                writer.field("resolution", incident.resolution)
                writer.field("resolved_by", incident.resolvedBy)
                writer.field("outcome", incident.outcome?.rawValue)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        }
    }
}
