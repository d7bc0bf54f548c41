import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillFeatureWebhooks
import TillHTTP

/// `till listen`: follows a counter and posts what happens to a program under test, as signed webhooks.
struct Listen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Sends what happens at a counter to a program under test, as signed webhooks.",
        discussion: """
            No endpoint is added at the counter, and nothing of it has to be reachable from elsewhere. It asks with \
            the key in TILL_API_KEY, which needs the scope read. Messages are signed with a secret that is drawn and \
            shown at each start, or with the one in the variable that --secret-env names.

            What the counter does while it is not reached comes after it. A program that is down is tried again \
            \(ListenLimits.waits.count) times, in \(ListenLimits.waitSeconds) seconds. Ctrl-C ends it; --after goes on \
            behind the last line's number.

            Exit codes: 1 refused, with a reason; 69 the counter is not reached for five minutes; 77 the counter \
            refuses the key. With --json each line is an object, the first one with the secret.
            """)
    @Option(name: .long, help: ArgumentHelp("The address of the program, also on this machine.", valueName: "url"))
    var forwardTo: String
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The counter. Also TILL_COUNTER; http://127.0.0.1:\(ListenAddress.standard.port) by default.",
            valueName: "url"))
    var counter: String?
    @Option(
        name: .long, help: ArgumentHelp("The variable with the secret; without it one is drawn.", valueName: "name"))
    var secretEnv: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "What is sent, separated by commas, such as payment.*,dispute.opened; by default all.", valueName: "types"))
    var types: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Begin after this event, a line's number; 0 for all. By default now.", valueName: "number"))
    var after: Int64?
    @Flag(name: .long, help: "Print one JSON object for each line and nothing else.") var json = false

    func run() async throws {
        let transport = HTTPClientTransport()
        do {
            try await listen(transport)
        } catch let end as ListenEnd {
            await transport.shutdown()
            throw Output.fail(end, json: json, code: end.exitCode)
        } catch let error as any ExplainedError {
            await transport.shutdown()
            throw Output.fail(error, json: json)
        }
        await transport.shutdown()
    }

    private func listen(_ transport: HTTPClientTransport) async throws {
        let variables = ProcessInfo.processInfo.environment
        guard let key = variables["TILL_API_KEY"] else {
            throw CommandError(
                code: "no_key", what: "There is no variable TILL_API_KEY.",
                next: "Set it to a key of the counter; till keys create --scope read makes one.")
        }
        guard after.map({ $0 >= 0 }) ?? true else {
            throw CommandError(
                code: "invalid_number", what: "--after is below zero.", next: "It is the number of a line, or 0.")
        }
        let address = counter ?? variables["TILL_COUNTER"] ?? "http://127.0.0.1:\(ListenAddress.standard.port)"
        let followed = try ListenCounter(address: address, key: Secret(key), transport: transport)
        let url: WebhookURL
        do throws(WebhookURLError) { url = try WebhookURL(forwardTo, allowsPrivate: true) } catch {
            throw CommandError(code: "invalid_url", what: "--forward-to: \(error)", next: "Correct it.")
        }
        let given = try secretEnv.map { try Listen.secret(in: $0, variables) }
        let secret = given ?? .random()
        let (clock, isJSON) = (SystemClock(), json)
        let note: @Sendable (String) -> Void = { Output.note($0) }
        let follower = ListenFollower(
            counter: followed,
            forwarder: ListenForwarder(
                url: url, secret: secret, transport: PinnedTransport(), clock: clock, note: note),
            types: try chosen(), clock: clock, note: note
        ) { Output.line(isJSON ? $0.json : $0.text) }
        // The key is tried before anything is shown.
        let end = try await follower.end()
        let start = after.map { min($0, end) } ?? end
        show(given == nil ? secret : nil, followed.address, url, start)
        try await follower.follow(after: start)
    }

    private func chosen() throws(CommandError) -> WebhookTypes {
        guard let types else { return .all }
        let words = types.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard (1...WebhookLimits.typesPerEndpoint).contains(words.count) else {
            throw CommandError(
                code: "invalid_types", what: "--types has \(words.count) types.",
                next: "Name 1 to \(WebhookLimits.typesPerEndpoint), or leave it out for all.")
        }
        do throws(UnknownWebhookType) { return try WebhookTypes(words) } catch {
            throw CommandError(code: "invalid_types", what: "--types: \(error)", next: "Correct it.")
        }
    }

    /// Reads a secret from a variable, since other users of the machine could see it on a command line.
    private static func secret(in name: String, _ variables: [String: String]) throws(CommandError) -> WebhookSecret {
        guard let secret = variables[name].flatMap({ WebhookSecret($0) }) else {
            throw CommandError(
                code: "invalid_secret",
                what: "The variable \(ProviderText.word(name)) has no secret of a webhook.",
                next: "It is whsec_ and the base64 of 24 to 64 bytes.")
        }
        return secret
    }

    /// Prints the secret that was drawn to standard output, and the rest to standard error.
    private func show(_ secret: WebhookSecret?, _ address: String, _ url: WebhookURL, _ start: Int64) {
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("secret", secret?.text.reveal())
            writer.field("counter", address)
            writer.field("forward_to", url.text)
            writer.field("after", start)
            writer.endObject()
            return Output.line(writer.text)
        }
        if let secret { Output.line(secret.text.reveal()) }
        Output.note(
            "What happens at \(address) after event \(start) goes to \(url.text), signed with "
                + (secret == nil ? "the given secret." : "this secret, until this command ends.") + " Ctrl-C ends it.")
    }
}
