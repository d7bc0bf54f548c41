import ArgumentParser
import Foundation
import TillCore
import TillFeatureWebhooks

/// `till trigger …`: sends a sample message to a program under test. Needs no journal and no counter.
struct Trigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Sends a signed sample of a webhook to a program, once, to try it.",
        discussion: """
            The payment in it does not exist. It is signed with the secret in the named variable, which has the form \
            that till webhooks add shows: whsec_ and base64.
            """)
    @Argument(help: "The type, such as payment.captured.") var type: String
    @Option(name: .long, help: "The address of the program, also on this machine.") var url: String
    @Option(name: .long, help: ArgumentHelp("The variable with the secret.", valueName: "name"))
    var secretEnv: String
    @Flag(name: .long, help: "Print one JSON object and nothing else.") var json = false

    func run() async throws {
        do { try await send() } catch let error as any ExplainedError { throw Output.fail(error, json: json) }
    }

    private func send() async throws {
        let clock = SystemClock()
        let secret = try secret()
        let now = clock.now()
        guard let sample = WebhookSample(type, at: now) else {
            throw CommandError(
                code: "unknown_type", what: "There is no type “\(ProviderText.word(type))”. Nothing was sent.",
                next: "There are \(WebhookSample.types.joined(separator: ", ")).")
        }
        let id = WebhookMessageID.random()
        let answer: WebhookAnswer
        do {
            answer = try await PinnedTransport().post(
                sample.body, to: try WebhookURL(url, allowsPrivate: true),
                fields: WebhookHeaders.fields(id: id.rawValue, at: now, body: sample.body, secrets: [secret]),
                allowsPrivate: true, attempt: 0)
        } catch let error as WebhookURLError {
            throw CommandError(code: "invalid_url", what: "--url: \(error) Nothing was sent.", next: "Correct it.")
        } catch let error as WebhookFailure {
            throw CommandError(code: "no_answer", what: "\(error)", next: "Start the program, or correct --url.")
        }
        let text = ProviderText.line(
            String(decoding: answer.body, as: UTF8.self), atMost: WebhookLimits.excerptBytes)
        guard answer.isSuccess else {
            throw CommandError(
                code: "not_taken", what: "The program answered \(answer.status). \(text)",
                next: "Only an answer of 200 to 299 takes a message; a redirect is not followed.")
        }
        guard json else { return Output.line("\(id)  \(sample.type)  \(answer.status)") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id.rawValue)
        writer.field("type", sample.type)
        writer.field("status", answer.status)
        writer.field("note", text)
        writer.field("body", String(decoding: sample.body, as: UTF8.self))
        writer.endObject()
        Output.line(writer.text)
    }

    /// Reads the secret, which no command line has: other users of the machine could see it there.
    private func secret() throws(CommandError) -> WebhookSecret {
        guard let text = ProcessInfo.processInfo.environment[secretEnv], !text.isEmpty else {
            throw CommandError(
                code: "no_secret", what: "There is no variable \(ProviderText.word(secretEnv)). Nothing was sent.",
                next: "Set it to the secret that till webhooks add has shown.")
        }
        guard let secret = WebhookSecret(text) else {
            throw CommandError(
                code: "invalid_secret",
                what: "The variable \(ProviderText.word(secretEnv)) has no secret of a webhook. Nothing was sent.",
                next: "It is whsec_ and the base64 of 24 to 64 bytes.")
        }
        return secret
    }
}
