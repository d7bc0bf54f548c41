import ArgumentParser
import TillCore
import TillProvider

/// `till codes`: explains a provider's code, or all of them, in terms of the money.
struct Codes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes",
        abstract: "Explains what a provider's code means for the money.",
        discussion: """
            Without a code all are listed. A code of the provider stands in a payment's decline and in the log. No \
            journal and no network is needed.
            """)
    @Argument(help: "The code, as the provider spells it.") var code: String?
    @Option(name: .long, help: "Only the codes of this provider.") var provider: String?
    @Flag(name: .long, help: "All of them as the page docs/PROVIDER_CODES.md.") var markdown = false
    @Flag(name: .long, help: "One JSON object on standard output.") var json = false

    func run() throws {
        if markdown { return Output.bytes(Array(ProviderCodePage.markdown(ProviderModules.all).utf8)) }
        let modules = ProviderModules.all.filter { provider == nil || $0.name.rawValue == provider }
        guard !modules.isEmpty else { throw unknown("There is no provider \(provider ?? "").", "`till providers`") }
        var found: [(ProviderCodeTable, ProviderCode)] = []
        for table in modules.flatMap({ $0.codes }) {
            found += table.codes.filter { code == nil || $0.rawValue == code }.map { (table, $0) }
        }
        guard !found.isEmpty else {
            throw unknown("No table has the code \(String((code ?? "").prefix(100))).", "The payment's own sentence")
        }
        guard !json else { return Output.line(Codes.json(found)) }
        for (table, code) in found {
            let name = code.name.map { " (\($0))" } ?? ""
            Output.line("\(code.rawValue)\(name)  \(table.name)  reason: \(code.reason.rawValue)")
            Output.line("  \(code.money.sentence) Trying again helps: \(code.retry.sentence)")
        }
    }

    private func unknown(_ what: String, _ where_: String) -> any Error {
        Output.fail(
            CommandError(
                code: "unknown_code", what: what, moneyMoved: .no,
                next: "\(where_) says what is known; a code that is in no table is settled by a query."),
            json: json, code: 1)
    }

    private static func json(_ found: [(ProviderCodeTable, ProviderCode)]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("codes")
        writer.beginArray()
        for (table, code) in found {
            writer.beginObject()
            writer.field("table", table.name)
            writer.field("code", code.rawValue)
            writer.field("name", code.name)
            writer.field("money", code.money.rawValue)
            writer.field("try_again", code.retry.rawValue)
            writer.field("reason", code.reason.rawValue)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}
