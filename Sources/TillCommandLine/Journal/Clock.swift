import ArgumentParser
import TillCheckout
import TillCore
import TillCounter

/// `till clock …`: shows whether the clock is trusted, or confirms it.
struct Clock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Shows whether the machine's clock is relied upon, and lets you confirm it.",
        subcommands: [Show.self, Accept.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows whether the machine's clock is relied upon, and why not.",
            discussion: """
                It is held against the newest entry of the journal, the last time that was confirmed, and the dates in \
                the
                answers of providers. Exit code 1 while it is in doubt.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                await counter.checkout.askTheTime()
                let standing = counter.clock.standing
                Clock.tell(counter.clock.now(), standing, json: common.json)
                if standing.doubt != nil { throw ExitCode(1) }
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Confirms that the machine's clock is right as it is; check a watch first.",
            discussion: """
                What was held back resumes, also in a counter that runs on the same journal: holds that ended are \
                released,
                and what is old is forgotten. A provider whose answers say otherwise puts the clock in doubt again.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let at = try await counter.clock.accept(in: counter.journal)
                Clock.tell(at, counter.clock.standing, json: common.json)
            }
        }
    }

    private static func tell(_ now: Timestamp, _ standing: ClockStanding, json: Bool) {
        guard json else {
            Output.line("Time: \(now)")
            switch standing {
            case .trusted: return Output.line("The machine's clock looks right.")
            case .unproved:
                return Output.line(
                    "The machine's clock fits the journal. A provider confirms it with its next answer.")
            case .doubted(let doubt): return Output.line("\(doubt.sentence) \(ClockDoubt.next)")
            }
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("now", now.description)
        writer.field("trusted", standing.isTrusted)
        if let doubt = standing.doubt {
            writer.field("doubt", doubt.word)
            writer.field("off_seconds", doubt.off.milliseconds / 1000)
        }
        writer.endObject()
        Output.line(writer.text)
    }
}
