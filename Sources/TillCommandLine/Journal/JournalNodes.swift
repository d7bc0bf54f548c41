import ArgumentParser
import TillCore
import TillCounter
import TillJournal

/// `till journal nodes`: lists the processes on the journal.
struct JournalNodes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "Lists the processes that have the journal open, this command apart.",
        discussion: """
            One that stands still for longer than its lease is taken over by the others: on a file the lease is shown, \
            in
            a database what is left of it.
            """)
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    func run() async throws {
        try await withCounter(common, provider, creates: false) { counter in
            let nodes = try await counter.journal.nodes().filter { !$0.isThis }
            guard !common.json else { return Output.line(json(nodes)) }
            if nodes.isEmpty { Output.line("No other process has the journal open.") }
            for node in nodes {
                Output.line("\(node.number)  \(node.description), since \(node.startedAt)\(lease(node))")
            }
        }
    }

    private func lease(_ node: JournalNode) -> String {
        guard let lease = node.lease else { return "" }
        let seconds = lease.milliseconds / 1000
        return seconds < 0 ? ", its lease ended \(-seconds) s ago" : ", lease \(seconds) s"
    }

    private func json(_ nodes: [JournalNode]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("nodes")
        writer.beginArray()
        for node in nodes {
            writer.beginObject()
            writer.field("number", node.number)
            writer.field("description", node.description)
            writer.field("started_at", node.startedAt.description)
            if let lease = node.lease { writer.field("lease_milliseconds", lease.milliseconds) }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}
