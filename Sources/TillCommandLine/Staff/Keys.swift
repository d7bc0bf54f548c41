import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillJournal

/// `till keys …`: creates, lists, rotates and revokes API keys.
struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Makes, lists, replaces and revokes the API keys of programs.",
        discussion: """
            A key may do what its scopes say: read (view), sell (take payments, issue receipts), refund (refund \
            payments), readers (card readers, taps, printers), offline (what is stored without a connection), admin \
            (decide what needs a person, import statements), staff (who works here). A running counter hears of every \
            change within a second.
            """,
        subcommands: [Create.self, List.self, Rotate.self, Revoke.self])

    /// The actor recorded with the change.
    struct ActorOption: ParsableArguments {
        @Option(name: .long, help: ArgumentHelp("Who does this, for the records.", valueName: "name"))
        var actor = CommandUser.name
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Makes a key for the account and prints it, once; the journal keeps only its hash.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "What the key is for.") var label = "command line"
        @Option(
            name: .long,
            help: ArgumentHelp(
                "What it may do: read, sell, refund, readers, offline, admin, staff, separated by commas, or all.",
                valueName: "scopes"))
        var scope = Set<APIScope>.standard.words.joined(separator: ",")
        @Option(
            name: .long,
            help: ArgumentHelp(
                "How long it is valid, such as 90d or 12h; by default until revoked.", valueName: "time"))
        var expires: String?
        @Option(
            name: .long,
            help: ArgumentHelp(
                "Makes it the session of a device, which renews it by the time of --expires until this time is over, "
                    + "such as 30d.", valueName: "time"))
        var renewable: String?
        @OptionGroup var who: ActorOption

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let made = try await APIKeys(counter.journal, clock: counter.clock).create(
                    account: counter.options.account, label: label, scopes: try Set(scopes: scope),
                    life: try expires.map { try Keys.span($0, option: "--expires") },
                    renewable: try renewable.map { try Keys.span($0, option: "--renewable") }, by: who.actor)
                Keys.show(made, json: common.json)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the keys of the journal, ended ones too; with --account those of one account.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let keys = APIKeys(counter.journal, clock: counter.clock)
                let uses = try await keys.lastUses()
                let found = try await keys.all().filter {
                    common.account == nil || $0.account.rawValue == common.account
                }
                guard common.json else {
                    if found.isEmpty { Output.line("No keys.") }
                    for key in found {
                        KeyLine(key, lastUsedAt: uses[key.hash]).lines(at: counter.clock.now()).forEach {
                            Output.line($0)
                        }
                    }
                    return
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("keys")
                writer.beginArray()
                for key in found { KeyLine(key, lastUsedAt: uses[key.hash]).write(into: &writer) }
                writer.endArray()
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revokes a key within a second, with its sessions at the page and its streams of events.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The key, as till keys list names it: key_…") var id: String
        @OptionGroup var who: ActorOption

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let keys = APIKeys(counter.journal, clock: counter.clock)
                let key = try await keys.revoke(APIKeyID(rawValue: id), by: who.actor)
                let line = KeyLine(key, lastUsedAt: try await keys.lastUses()[key.hash])
                Output.line(
                    common.json ? line.document : "The key \(key.id) (\(key.label)) is no longer valid.")
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Makes a key with the label, scopes and account of another, and ends that one.",
            discussion: "A key that expires is replaced by one that lives as long again.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The key to be replaced, as till keys list names it: key_…") var id: String
        @Option(
            name: .long,
            help: ArgumentHelp(
                "How long the old one stays valid, such as 1h; by default not at all.", valueName: "time"))
        var grace: String?
        @OptionGroup var who: ActorOption

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let (made, replaced) = try await APIKeys(counter.journal, clock: counter.clock).rotate(
                    APIKeyID(rawValue: id), grace: try grace.map { try Keys.span($0, option: "--grace") },
                    by: who.actor)
                Keys.show(made, replacing: replaced, json: common.json)
            }
        }
    }

    /// Prints the key to standard output, once, and its description to standard error.
    private static func show(_ made: APIKeys.Made, replacing old: APIKeyRecord? = nil, json: Bool) {
        let record = made.record
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("key", made.key.reveal())
            KeyLine(record, lastUsedAt: nil).members(into: &writer)
            if let old {
                writer.key("replaced")
                KeyLine(old, lastUsedAt: nil).write(into: &writer)
            }
            writer.endObject()
            return Output.line(writer.text)
        }
        Output.line(made.key.reveal())
        var end = record.expiresAt.map { "until \($0)" } ?? "until it is revoked"
        if let renewal = record.renewal { end += " and, renewed by its device, until \(renewal.until)" }
        Output.note(
            "\(record.id) may \(record.scopes.words.joined(separator: ", ")) for \(record.account), \(end). "
                + "It is shown this once.")
        guard let old else { return }
        Output.note(
            old.revokedAt == nil
                ? "\(old.id) works until \(old.expiresAt.map { "\($0)" } ?? "it is revoked")."
                : "\(old.id) is no longer valid.")
    }

    /// Parses a time span such as `90d`, `12h`, `30min` or `45s`.
    private static func span(_ text: String, option: String) throws(CommandError) -> Span {
        let units: [(suffix: String, span: (Int64) -> Span)] = [
            ("min", Span.minutes), ("d", Span.days), ("h", Span.hours), ("s", Span.seconds),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            let digits = text.dropLast(unit.suffix.count)
            guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = Int64(digits)
            else { break }
            return unit.span(count)
        }
        throw CommandError(
            code: "invalid_time", what: "\(option) is “\(text.prefix(40))”, which is no time. Nothing was changed.",
            next: "Write it as 90d, 12h, 30min or 45s.")
    }
}
