import ArgumentParser
import TillCheckout
import TillCore
import TillJournal
import TillServer

/// `till attention …`: what a person must review, and how it was closed.
struct AttentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attention", abstract: "Lists and closes what a person must review.",
        subcommands: [List.self, Show.self, Resolve.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists what is open, the oldest first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "Of at most so many payments, up to 500.") var limit = 100

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let now = counter.clock.now()
                let found = try await AttentionQueue(counter.journal).open(
                    account: counter.options.account, limit: limit)
                if common.json {
                    return Output.line(String(decoding: AttentionJSON.write(found, at: now), as: UTF8.self))
                }
                if found.isEmpty { return Output.line("Nothing needs a person.") }
                for entry in found { Output.line(AttentionCommand.line(entry.item, of: entry.payment, at: now)) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows all entries of one payment, with how they were closed.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let now = counter.clock.now()
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                if common.json {
                    var writer = JSONWriter()
                    writer.beginObject()
                    writer.key("attention")
                    writer.beginArray()
                    for item in found.attentionItems {
                        AttentionJSON.write(item, of: found, at: now, into: &writer)
                    }
                    writer.endArray()
                    writer.endObject()
                    return Output.line(writer.text)
                }
                if found.attentionItems.isEmpty { return Output.line("Nothing of it needed a person.") }
                for item in found.attentionItems { AttentionCommand.show(item, of: found, at: now) }
            }
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resolve", abstract: "Closes an entry with what only a person can know.",
            discussion: """
                handled             what was asked for was done
                not_refunded        the refund was certainly not made
                refunded_elsewhere  the customer was given the money another way
                captured_elsewhere  the customer has paid another way
                written_off         the money is given up
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String
        @Argument(help: "The entry's number.") var number: Int
        @Option(name: .long, help: "What is known; see above.") var resolution: String
        @Option(name: .long, help: "How it is known, such as a slip's number.") var evidence: String
        @Option(name: .long, help: "Who says so.") var actor: String
        @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("How much, as 5.00.", valueName: "amount"))
        var amount: String?

        func run() async throws {
            guard let kind = AttentionResolution.Kind(rawValue: resolution) else {
                throw CommandError(
                    code: "unknown_resolution", what: "There is no resolution \(resolution).",
                    next: "Use one of \(AttentionResolution.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            try await change(common, provider, payment) { counter, found in
                try await counter.checkout.resolve(
                    found.id, account: found.account, attention: number,
                    AttentionResolution(
                        kind: kind, amount: try money(amount, found), evidence: evidence, actor: actor))
            }
        }
    }

    private static func line(_ item: AttentionItem, of payment: Payment, at now: Timestamp) -> String {
        let hours = max(0, now.since(item.since).milliseconds / 3_600_000)
        let age = hours >= 48 ? "\(hours / 24) d" : "\(hours) h"
        return "\(payment.id)  \(item.number)  order \(payment.order.number)  \(age)  \(item.attention.sentence) "
            + item.attention.nextStep
    }

    private static func show(_ item: AttentionItem, of payment: Payment, at now: Timestamp) {
        Output.line(line(item, of: payment, at: now))
        if let closing = item.closing {
            let amount = closing.resolution.amount.map { " \($0)" } ?? ""
            Output.line(
                "    closed \(closing.at) by \(closing.resolution.actor): \(closing.resolution.kind.rawValue)\(amount). "
                    + closing.resolution.evidence)
        } else if payment.isOvertaken(item) {
            Output.line("    overtaken by what happened since")
        }
    }
}
