import ArgumentParser
import TillCore
import TillCounter
import TillProvider

/// `till providers`: lists the providers and their configuration.
struct Providers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "Lists the providers and everything that can be set for each.",
        discussion: """
            Every command that opens the journal takes these options, before or after its own:

            --provider <name>  The provider of sales: sandbox, cash or one of those below. Also TILL_PROVIDER; \
            sandbox by default.
            --provider-hosts <hosts>  Hosts beside the providers' own that may be sent their keys. Also \
            TILL_PROVIDER_HOSTS.
            --sandbox-latency <time>  How long the sandbox takes for each call, such as 50ms.
            \(Providers.options.joined(separator: "\n"))
            """)
    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    private static var options: [String] {
        ProviderModules.all.flatMap { $0.settings }.compactMap { setting in
            setting.option.map { "\($0) <value>  \(setting.about)" }
        }
    }

    func run() async throws {
        try await withCounter(common, provider) { counter in
            guard !common.json else { return Output.line(Providers.json(counter)) }
            Output.line("sandbox  takes payments without a provider and moves no real money")
            Output.line("cash  the drawer")
            for type in ProviderModules.all {
                let state = counter.module(type.name) == nil ? "not configured. \(type.setUp)" : "configured"
                Output.line("\(type.name)  \(type.title), \(state)")
                for setting in type.settings {
                    let option = setting.option.map { ", \($0)" } ?? ""
                    Output.line(Output.wrapped("  \(setting.variable)\(option): \(setting.about)", to: 80))
                }
            }
        }
    }

    private static func json(_ counter: Counter) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("providers")
        writer.beginArray()
        for type in ProviderModules.all {
            writer.beginObject()
            writer.field("name", type.name.rawValue)
            writer.field("title", type.title)
            writer.field("configured", counter.module(type.name) != nil)
            writer.field("settings", .array(type.settings.map { .string($0.key) }))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}
