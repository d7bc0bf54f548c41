import ArgumentParser
import TillCore
import TillCounter
import TillFeatureStaff

/// `till sessions …`: manages the page's signed-in browsers.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the browsers that are signed in to the counter's page, and signs them out.",
        discussion: "A running counter refuses a session that was ended within a second, and its page asks to sign in.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists them, the one that was used last first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let open = try await counter.openSessions().all()
                guard common.json else {
                    if open.isEmpty { Output.line("No browser is signed in.") }
                    for session in open { Output.line(SessionsCommand.line(session)) }
                    return
                }
                Output.line(OpenSession.document(open).text)
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Signs a browser out, or all of them.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Which one, as till sessions list has it.") var session: String?
        @Flag(name: .long, help: "All of the account.") var all = false

        func validate() throws {
            guard (session == nil) == all else { throw ValidationError("Give a session, or --all.") }
        }

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let open = counter.openSessions()
                let ended = if let session { try await open.end(session) } else { try await open.endAll() }
                guard all || !ended.isEmpty else {
                    throw CommandError(
                        code: "session_not_found", what: "There is no such session. Nothing was ended.",
                        next: "till sessions list has all.")
                }
                guard common.json else { return Output.line("\(ended.count) ended") }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("ended", ended.count)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    private static func line(_ session: OpenSession) -> String {
        [
            session.id, session.kind, session.name ?? "-", session.address ?? "-", "since \(session.beganAt)",
            "used \(session.seenAt)",
        ].joined(separator: "  ")
    }
}

extension Counter {
    /// Returns the open sessions of the command's account, under the configured limits.
    func openSessions() -> OpenSessions {
        OpenSessions(
            journal, account: options.account, limits: SessionLimits(options.settings), clock: clock)
    }
}
