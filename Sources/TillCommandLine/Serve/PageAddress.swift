import ArgumentParser
import TillCounter
import TillJournal

/// The base address of printed links to the counter's page.
enum PageAddress {
    /// The help text of the address option.
    static let help = ArgumentHelp(
        "The address under which the browser reaches the counter, such as https://till.example; by default where it "
            + "was last opened.", valueName: "address")

    /// Returns the given address, or else the one under which the counter last opened, or else that of the settings.
    static func of(
        _ counter: Counter, _ url: String?, _ common: CommonOptions, _ provider: ProviderOptions
    ) async throws -> CounterAddress {
        if let url {
            guard let address = CounterAddress(page: url) else {
                throw CommandError(
                    code: "invalid_url", what: "“\(url.prefix(80))” is no address of a page. Nobody can sign in by it.",
                    next: "Give the address as https://till.example, without a path.")
            }
            return address
        }
        if let last = try await Records<CounterAddress>(counter.journal).document(CounterAddress.key) { return last }
        let settings = try provider.settings(common)
        return CounterAddress(host: settings.text(.host) ?? "127.0.0.1", port: settings.number(.port) ?? 8_080)
    }
}
