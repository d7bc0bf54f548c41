import ArgumentParser
import TillJournal
import TillServer

/// Where a link leads that a command prints for the counter's page.
enum PageAddress {
    /// What is said of the option that names it.
    static let help = ArgumentHelp(
        "The address under which the browser reaches the counter, such as https://till.example; by default where it "
            + "was last opened.", valueName: "address")

    /// The address that somebody has named, else that under which the counter was opened last, else that of the
    /// settings.
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
