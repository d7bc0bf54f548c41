import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillJournal
import TillProvider

/// `till staff …`: manages the shop's staff.
struct StaffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "staff",
        abstract: "Adds, lists and changes those who work at the shop.",
        discussion: """
            Without staff the shop has one person: whoever opened the address of till sign-in may do everything at the \
            page. With staff everybody says who they are with a PIN, and may do what their role says; till roles list \
            shows the roles. A running counter hears of every change within a second. A PIN is asked for on the \
            terminal, or read from standard input; it is never an argument.
            """,
        subcommands: [
            Add.self, List.self, Show.self, SetPIN.self, SetRole.self, Invite.self, Disable.self, Enable.self,
            Remove.self, End.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Adds somebody, with a PIN.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "What people call them; unique in the account.") var name: String
        @Option(name: .long, help: "Their role: cashier, manager, owner, or one of the shop's own.")
        var role = StaffRole.cashier.name
        @Flag(name: .long, help: "Without a PIN: till staff set-pin gives one later.") var withoutPIN = false

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let pin = withoutPIN ? nil : try await PINInput.hash(counter, name: name)
                let person = try await counter.staff.add(name: name, role: role, pin: pin, by: CommandUser.name)
                StaffCommand.show(person, json: common.json)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists them, disabled ones too.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let all = try await counter.staff.all()
                guard common.json else {
                    if all.isEmpty {
                        Output.line("No staff: whoever opens the address of till sign-in does everything.")
                    }
                    for person in all { Output.line(StaffCommand.line(person)) }
                    return
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("staff")
                writer.beginArray()
                for person in all { StaffCommand.write(person, into: &writer) }
                writer.endArray()
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows somebody.")
        @OptionGroup var one: OnePerson

        func run() async throws {
            try await one.run(creates: false) { try await $0.person(one.name) }
        }
    }

    struct SetPIN: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-pin", abstract: "Gives somebody another PIN, and ends their sessions.")
        @OptionGroup var one: OnePerson

        func run() async throws {
            try await withCounter(one.common, one.provider) { counter in
                let known = try await counter.staff.person(one.name)
                let pin = try await PINInput.hash(counter, name: known.name)
                let person = try await counter.staff.change(known.id.rawValue, .init(pin: pin))
                StaffCommand.show(person, json: one.common.json)
            }
        }
    }

    struct SetRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-role", abstract: "Gives somebody another role, and ends their sessions.")
        @OptionGroup var one: OnePerson
        @Argument(help: "The role.") var role: String

        func run() async throws { try await one.run { try await $0.change(one.name, .init(role: role)) } }
    }

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite",
            abstract: "Makes a link by which somebody chooses how they sign in to the back office.",
            discussion: """
                The link is good once and for a day. Whoever opens it chooses a password and sets up an authenticator \
                app. What the person had before ends at once, with their sessions, so this is what to do when \
                something was lost, too.
                """)
        @OptionGroup var one: OnePerson
        @Option(name: .long, help: PageAddress.help) var url: String?

        func run() async throws {
            try await withCounter(one.common, one.provider) { counter in
                let address = try await PageAddress.of(counter, url, one.common, one.provider)
                let (person, word) = try await counter.staff.invite(one.name)
                let link = address.invitation(word)
                guard one.common.json else {
                    Output.line(link)
                    return Output.note(
                        "Give it to \(person.name) alone: whoever opens it first signs in as them. It is good once, "
                            + "within a day.")
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("url", link)
                writer.field("valid_seconds", Invitation.lifetime.milliseconds / 1_000)
                writer.key("staff")
                StaffCommand.write(person, into: &writer)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Disables somebody's access within a second.")
        @OptionGroup var one: OnePerson

        func run() async throws { try await one.run { try await $0.change(one.name, .init(isDisabled: true)) } }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Lets somebody in again.")
        @OptionGroup var one: OnePerson

        func run() async throws { try await one.run { try await $0.change(one.name, .init(isDisabled: false)) } }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes somebody; what they did stays on record.",
            discussion: "Not the last one: till staff end does that.")
        @OptionGroup var one: OnePerson

        func run() async throws { try await one.run { try await $0.remove(one.name) } }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Removes the last person, so that the shop has no staff any more.",
            discussion: """
                Whoever opens the address of till sign-in may do everything at the page then. All devices and people \
                that are signed in now are signed out first; it takes two seconds.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                StaffCommand.show(try await counter.staff.end(), json: common.json)
            }
        }
    }

    /// The options of a command about one person.
    struct OnePerson: ParsableArguments {
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Who: the name, or the identifier.") var name: String

        /// Performs a staff operation and shows the resulting record.
        func run(creates: Bool = true, _ work: (StaffDirectory) async throws -> StaffRecord) async throws {
            try await withCounter(common, provider, creates: creates) { counter in
                StaffCommand.show(try await work(counter.staff), json: common.json)
            }
        }
    }

    fileprivate static func write(_ person: StaffRecord, into writer: inout JSONWriter) {
        writer.beginObject()
        person.members(into: &writer)
        writer.endObject()
    }

    private static func show(_ person: StaffRecord, json: Bool) {
        guard json else { return Output.line(line(person)) }
        var writer = JSONWriter()
        write(person, into: &writer)
        Output.line(writer.text)
    }

    private static func line(_ person: StaffRecord) -> String {
        let standing =
            person.disabledAt.map { "disabled \($0.description.prefix(10))" }
            ?? (person.pin == nil ? "no PIN" : "")
        let office = person.office.map { $0 == .invited ? "invited to the back office" : "back office" } ?? ""
        return [person.id.rawValue, person.name, person.role, office, standing].filter { !$0.isEmpty }
            .joined(separator: "  ")
    }
}

extension Counter {
    /// The staff of the command's account.
    var staff: StaffDirectory { StaffDirectory(journal, account: options.account, clock: clock) }
}
