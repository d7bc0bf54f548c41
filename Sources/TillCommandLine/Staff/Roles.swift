import ArgumentParser
import TillCore
import TillCounter
import TillProvider

/// `till roles …`: manages the roles of staff.
struct RolesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles", abstract: "Lists the roles of the staff, and makes roles of the shop's own.",
        subcommands: [List.self, SetRole.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists them.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let roles = try await counter.staff.roles()
                guard common.json else { return roles.forEach { Output.line(RolesCommand.line($0)) } }
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("roles")
                writer.beginArray()
                for role in roles { role.write(into: &writer) }
                writer.endArray()
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    struct SetRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Makes a role of the shop's own, or changes it for everybody who has it.",
            discussion: """
                Permissions: sell, hold (authorize and capture later), void, refund (up to the limits), refund_freely, \
                discount (up to the limits), discount_freely, drawer, totals (ledger and metrics), readers (and \
                printers), review (what needs a person), staff, settings.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its name, as shift-lead.") var name: String
        @Option(
            name: .long,
            help: ArgumentHelp("What it may do, separated by commas, or all.", valueName: "permissions"))
        var permissions: String
        @Option(
            name: .long,
            help: ArgumentHelp(
                "What it gives back of one payment at most, in minor units: EUR=5000. Once for each currency.",
                valueName: "limit"))
        var refundLimit: [String] = []
        @Option(
            name: .long,
            help: ArgumentHelp(
                "The largest discount on one payment, in minor units: EUR=500. Once for each currency.",
                valueName: "limit"))
        var discountLimit: [String] = []

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let role = try StaffRole(
                    name: name, permissions: try Set(words: permissions), refundLimits: try limits(refundLimit),
                    discountLimits: try limits(discountLimit))
                try await counter.staff.put(role)
                RolesCommand.show(role, json: common.json)
            }
        }

        private func limits(_ texts: [String]) throws(StaffError) -> [Currency: Int64] {
            var found: [Currency: Int64] = [:]
            for text in texts {
                let parts = text.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let currency = Currency(ifValid: String(parts[0])),
                    parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let units = Int64(parts[1]),
                    found.updateValue(units, forKey: currency) == nil
                else { throw .invalidLimit }
            }
            return found
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a role of the shop's own that nobody has.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its name.") var name: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                try await counter.staff.removeRole(name)
                guard common.json else { return Output.line("The role \(name) is gone.") }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("removed", name)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    private static func show(_ role: StaffRole, json: Bool) {
        guard json else { return Output.line(line(role)) }
        var writer = JSONWriter()
        role.write(into: &writer)
        Output.line(writer.text)
    }

    private static func line(_ role: StaffRole) -> String {
        let (refunds, discounts) = (text(role.refundLimits), text(role.discountLimits))
        return "\(role.name)  \(role.permissions.words.joined(separator: ","))"
            + (refunds.isEmpty ? "" : "  refunds up to \(refunds)")
            + (discounts.isEmpty ? "" : "  discounts up to \(discounts)")
    }

    private static func text(_ limits: [Currency: Int64]) -> String {
        limits.map { "\($0.key.code)=\($0.value)" }.sorted().joined(separator: ",")
    }
}
