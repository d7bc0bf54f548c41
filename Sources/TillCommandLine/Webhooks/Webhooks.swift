import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillFeatureWebhooks
import TillJournal

/// `till webhooks …`: adds, lists and removes the endpoints of a shop's programs, and shows what was sent to them.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Adds, lists and removes the programs of the shop that are notified of payments.",
        discussion: """
            A running counter sends the messages and hears of every change within a second. docs/WEBHOOKS.md says \
            what a program receives; `till trigger` sends it a sample.
            """,
        subcommands: [List.self, Deliveries.self, Resend.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the account's endpoints: state, waiting messages and last outcome.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let endpoints = counter.webhookEndpoints
                var lines: [WebhookEndpointLine] = []
                for endpoint in try await endpoints.list(counter.options.account) {
                    lines.append(try await WebhookEndpointLine(endpoint, in: endpoints))
                }
                guard common.json else {
                    if lines.isEmpty { Output.line("No endpoints.") }
                    for line in lines { line.lines.forEach { Output.line($0) } }
                    return
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("webhook_endpoints")
                writer.beginArray()
                for line in lines { writer.value(try line.json(at: counter.clock.now())) }
                writer.endArray()
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    struct Deliveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deliveries", abstract: "Shows an endpoint's messages with their last attempts, newest first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The endpoint, as till webhooks list names it: we_…") var endpoint: String
        @Option(
            name: .long,
            help: ArgumentHelp("How many: 1 to \(WebhookLimits.deliveriesPage).", valueName: "number"))
        var limit = 20
        @Option(name: .long, help: ArgumentHelp("Only those before this one: msg_…", valueName: "message"))
        var before: String?

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                guard (1...WebhookLimits.deliveriesPage).contains(limit) else {
                    throw CommandError(
                        code: "invalid_limit", what: "--limit is \(limit).",
                        next: "It is 1 to \(WebhookLimits.deliveriesPage).")
                }
                let found = try await counter.webhookEndpoints.deliveries(
                    WebhooksCommand.identifier(endpoint), of: counter.options.account,
                    before: try before.map { try WebhooksCommand.message($0) }, limit: limit)
                guard common.json else {
                    if found.isEmpty { Output.line("No messages.") }
                    for message in found { WebhookMessageLine(message).lines.forEach { Output.line($0) } }
                    return
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("deliveries")
                writer.beginArray()
                for message in found { WebhookJSON.write(message, into: &writer) }
                writer.endArray()
                writer.field("next", found.count == limit ? found.last?.id.rawValue : nil)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend", abstract: "Lets a running counter send a message again, with its identifier.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The endpoint, as till webhooks list names it: we_…") var endpoint: String
        @Argument(help: "The message, as till webhooks deliveries names it: msg_…") var message: String

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let sent = try await counter.webhookEndpoints.resend(
                    WebhooksCommand.message(message), to: WebhooksCommand.identifier(endpoint),
                    of: counter.options.account)
                guard common.json else { return Output.line("\(sent.id) (\(sent.type)) is sent again.") }
                var writer = JSONWriter()
                WebhookJSON.write(sent, into: &writer)
                Output.line(writer.text)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Removes an endpoint with its messages, also those that wait.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The endpoint, as till webhooks list names it: we_…") var endpoint: String

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let id = try WebhooksCommand.identifier(endpoint)
                try await counter.webhookEndpoints.delete(id, of: counter.options.account)
                guard common.json else { return Output.line("\(id) is removed.") }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("removed", id.rawValue)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    /// Parses the identifier of an endpoint; any other text names none.
    private static func identifier(_ text: String) throws(WebhookError) -> WebhookEndpointID {
        guard let id = WebhookEndpointID(ifValid: text) else { throw .unknownEndpoint }
        return id
    }

    /// Parses the identifier of a message; any other text names none.
    private static func message(_ text: String) throws(WebhookError) -> WebhookMessageID {
        guard let id = WebhookMessageID(ifValid: text) else { throw .unknownMessage }
        return id
    }
}

extension Counter {
    /// The endpoints that a running counter on the same journal sends to.
    var webhookEndpoints: WebhookEndpoints {
        // Commands send nothing; which account may ask for its network, `add` checks, and the counter at each attempt.
        WebhookEndpoints(
            journal, pepper: Pepper(besideJournal: journal.path), clock: clock, mode: mode,
            reachesInside: { _ in true })
    }
}
