import ArgumentParser
import TillCore
import TillCounter
import TillFeatureApplePay
import TillJournal

/// `till applepay events`: lists the merchant-token events reported by Apple.
struct ApplePayEvents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Lists what Apple reported of merchants' tokens, newest first: expired, replaced, deleted.",
        discussion: "Tokens are shown as SHA-256, by which a shop finds its own. Without details: Apple is asked again."
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Option(name: .long, help: "How many at most.") var limit = 100

    func run() async throws {
        try await withCounter(common, provider, creates: false) { counter in
            let events = try await MerchantTokenLog(counter.journal, clock: counter.clock).newest(limit)
            guard common.json else {
                for event in events { Output.line(Self.line(event.id, event.receivedAt, event.details)) }
                if events.isEmpty { Output.line("Apple has reported no token.") }
                return
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("events")
            writer.beginArray()
            for event in events {
                writer.beginObject()
                writer.field("id", event.id)
                writer.field("receivedAt", event.receivedAt.description)
                writer.field("details", event.details.flatMap { JSONValue(ifValid: $0) } ?? .null)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        }
    }

    private static func line(_ id: String, _ time: Timestamp, _ document: [UInt8]?) -> String {
        let details = document.flatMap { JSONValue(ifValid: $0) }
        let kind = details?["eventType"]?.stringValue ?? "not known yet"
        let card = details?["lastFour"]?.stringValue.map { ", card •••• \($0)" } ?? ""
        return "\(time)  \(id)  \(kind)\(card)"
    }
}
