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
        discussion: "Tokens are shown as SHA-256, by which a shop finds its own. Without details: Apple is asked again "
            + "until it has told nothing \(MerchantTokenRecord.maximumTries) times, at least an hour apart."
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Option(name: .long, help: "How many at most.") var limit = 100

    func run() async throws {
        try await withCounter(common, provider, creates: false) { counter in
            let events = try await MerchantTokenLog(counter.journal, clock: counter.clock).newest(limit)
            guard common.json else {
                for event in events { Output.line(Self.line(event)) }
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
                writer.field("givenUp", event.isGivenUp)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        }
    }

    private static func line(_ event: MerchantTokenRecord) -> String {
        let details = event.details.flatMap { JSONValue(ifValid: $0) }
        let kind = details?["eventType"]?.stringValue ?? (event.isGivenUp ? "given up" : "not known yet")
        let card = details?["lastFour"]?.stringValue.map { ", card •••• \($0)" } ?? ""
        return "\(event.receivedAt)  \(event.id)  \(kind)\(card)"
    }
}
