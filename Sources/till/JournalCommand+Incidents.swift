import ArgumentParser
import TillCore
import TillJournal
import TillServer

extension JournalCommand {
    struct Incidents: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "incidents",
            abstract: "Lists what providers reported that no payment of the journal accounts for.",
            discussion: "With --resolve and --note it is recorded what a person has found out about one of them.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(help: ArgumentHelp("The incident that was cleared up.", valueName: "incident")) var resolve: String?
        @Option(help: "What it was, and who says so.") var note: String?

        func validate() throws {
            guard (resolve == nil) == (note == nil), note?.isEmpty != true else {
                throw ValidationError("--resolve and --note are given together.")
            }
        }

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let incidents = Records<Incident>(counter.journal)
                if let resolve, let note {
                    let resolved = try await incidents.update(resolve) { incident in
                        incident.resolution = CardScrubbing.withoutNumbers(note)
                        return true
                    }
                    guard let resolved else {
                        throw CommandError(
                            code: "incident_not_found", what: "There is no incident \(resolve).",
                            next: "till journal incidents lists them.")
                    }
                    show([resolved])
                } else {
                    show(try await incidents.list(matching: Incident.open))
                }
            }
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
                writer.field("resolution", incident.resolution)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        }
    }
}
