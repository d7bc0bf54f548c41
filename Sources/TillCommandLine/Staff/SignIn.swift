import ArgumentParser
import TillCore
import TillCounter
import TillJournal
import TillWeb

/// `till sign-in`: creates an address that signs a browser in to the counter's page.
struct SignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Makes an address that signs a browser in to the counter's page, once and within ten minutes.",
        discussion: """
            The counter on the same journal may run or be started later. Whoever has the address is signed in for the
            account, so it is as good as a key for ten minutes; the journal keeps only a hash of it.
            """)
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions
    @Option(name: .long, help: PageAddress.help) var url: String?

    func run() async throws {
        try await withCounter(common, provider) { counter in
            let address = try await PageAddress.of(counter, url, common, provider)
            let code = try await StartCodes(counter.journal, clock: MeasuringClock(counter.clock))
                .make(for: counter.options.account)
            let start = address.start(code: code)
            guard common.json else {
                Output.line(start)
                return Output.note(
                    "Open it in the browser: it signs in once, for the account \(counter.options.account), within ten "
                        + "minutes.")
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("start_url", start)
            writer.field("account", counter.options.account.rawValue)
            writer.field("valid_seconds", StartCodes.lifetime.milliseconds / 1_000)
            writer.endObject()
            Output.line(writer.text)
        }
    }
}
