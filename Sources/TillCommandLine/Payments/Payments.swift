import ArgumentParser
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillProvider

/// `till payments …`: lists, shows and changes payments.
struct Payments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments",
        abstract: "Lists, shows, captures, cancels and refunds payments.",
        subcommands: [
            List.self, Show.self, CaptureHold.self, Cancel.self, RefundCommand.self, Query.self, Recover.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists payments, newest first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "The most to list, up to 500.") var limit = 50
        @OptionGroup var conditions: PaymentSearchOptions

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                guard (1...JournalLimits.maximumPage).contains(limit) else {
                    throw CommandError(
                        code: "invalid_limit", what: "--limit is \(limit).",
                        next: "It is 1 to \(JournalLimits.maximumPage).")
                }
                var found = try conditions.asked(of: counter.options.account)
                found.limit = limit
                let listed = try await payments(found, counter.checkout)
                common.json ? printJSON(listed) : printTable(listed)
            }
        }

        /// Returns the payments that are looked for, from as far back as it takes.
        private func payments(_ search: PaymentSearch, _ checkout: Checkout) async throws -> [ListedPayment] {
            if let order = try conditions.onlyOrder() {
                return try await checkout.listWithParts(
                    PaymentFilter(
                        account: search.account, order: order, status: search.statuses.first,
                        limit: search.limit))
            }
            var search = search
            var listed: [ListedPayment] = []
            var known: Set<PaymentID> = []
            repeat {
                let found = try await checkout.find(search)
                for one in found.exact + found.payments where known.insert(one.id).inserted { listed.append(one) }
                search.before = found.next
            } while search.before != nil && listed.count < limit
            return Array(listed.prefix(limit))
        }

        private func printJSON(_ listed: [ListedPayment]) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("payments")
            writer.beginArray()
            for payment in listed {
                writer.beginObject()
                switch payment {
                case .payment(let payment): write(PaymentRow(payment), into: &writer)
                case .unreadable(let row): write(row, into: &writer)
                }
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            Output.line(writer.text)
        }

        private func write(_ row: PaymentRow, into writer: inout JSONWriter) {
            writer.field("id", row.id.rawValue)
            writer.field("payment_id", row.id.rawValue)
            writer.field("order_id", row.order.rawValue)
            writer.field("status", row.status.rawValue)
            writer.field("amount", row.amount.minorUnits)
            writer.field("currency", row.amount.currency.code)
            writer.field("captured", row.captured.minorUnits)
            writer.field("refunded", row.refunded.minorUnits)
            writer.field("provider", row.provider?.rawValue)
            writer.field("tender", row.tenderKind?.rawValue)
            writer.field("created_at", row.createdAt.description)
            writer.field("updated_at", row.updatedAt.description)
        }

        private func write(_ row: UnreadableRow, into writer: inout JSONWriter) {
            writer.field("id", row.id.rawValue)
            writer.field("payment_id", row.id.rawValue)
            writer.field("order_id", row.order.rawValue)
            writer.field("unreadable", true)
            writer.field("message", PaymentJSON.message(of: row))
            writer.key("amount")
            if let amount = row.amount { writer.int(amount.minorUnits) } else { writer.null() }
            writer.field("currency", row.amount?.currency.code)
            writer.field("provider", row.provider?.rawValue)
            writer.field("created_at", row.createdAt.description)
            writer.field("updated_at", row.updatedAt.description)
        }

        private func printTable(_ listed: [ListedPayment]) {
            guard !listed.isEmpty else { return Output.line("No payments.") }
            let cells = listed.map { payment in
                switch payment {
                case .payment(let payment): payment.listed
                case .unreadable(let row): row.listed
                }
            }
            TextTable.lines(cells, right: [3]).forEach { Output.line($0) }
            let notes = Set(listed.compactMap(\.damage).map { PaymentJSON.message(of: $0) })
            for note in notes.sorted() { Output.note("unreadable: \(note)") }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one payment with its events.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                let events = try await counter.journal.events(of: found.id)
                if common.json { return Output.line(PaymentLine.json(found, events: events)) }
                Output.line("\(found.id)  order \(found.order.number)  \(found.amount)  \(found.status.rawValue)")
                Output.line("captured \(found.captured)  refunded \(found.refunded)")
                Output.line(PaymentJSON.message(of: found))
                for event in events {
                    let by = event.record.by.map { "  \($0)" } ?? ""
                    Output.line("  \(event.record.at)  \(event.record.event.name)\(by)")
                }
                for dispute in found.disputes {
                    Output.line(
                        "dispute \(dispute.facts.reference)  \(dispute.facts.amount)  \(dispute.facts.stage)  "
                            + (dispute.outcome?.word ?? "open"))
                }
                if found.refundDue.isPositive { Output.line("Owed to the customer: \(found.refundDue)") }
                for item in found.openAttention { Output.line("Needs a person: \(item.attention.sentence)") }
            }
        }
    }

    struct RefundCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refund", abstract: "Refunds a payment; by default all that is left.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String
        @Option(
            name: .long, parsing: .unconditional, help: ArgumentHelp("How much, such as 5.00.", valueName: "amount"))
        var amount: String?
        @Option(name: .long, help: "Why.") var reason: String?
        @Option(name: .long, help: "The reader that the card will be presented to, where the scheme wants it there.")
        var reader: String?
        @OptionGroup var chosen: DrawerOption

        func run() async throws {
            try await change(common, provider, payment, wish: .refund) { counter, found in
                if let reader {
                    let fleets = counter.modules.compactMap(\.readers)
                    guard let fleet = fleets.first(where: { $0.provider == found.provider }) ?? fleets.first else {
                        throw CommandError(
                            code: "no_readers", what: "No provider of this counter has card readers.",
                            next: "Leave out --reader.")
                    }
                    try await fleet.use(try counter.chosenReader(reader), forRefundOf: found.id)
                }
                let drawer = try chosen.name
                if let drawer {
                    guard found.tender?.kind == .cash else {
                        throw CommandError(
                            code: "drawer_without_cash", what: "--drawer goes with a payment in cash.",
                            next: "Leave it out.")
                    }
                    try await KnownDrawers(counter.journal).check(drawer, of: found.account)
                }
                return try await Attribution.at(drawer) {
                    try await counter.checkout.refund(
                        found.id, account: found.account, amount: try money(amount, found), reason: reason)
                }
            }
        }
    }

    struct Recover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recover",
            abstract: "Does what is due: unanswered calls, outcomes to query again.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                // A payment that the journal considers open may have been completed after the backup.
                if try await RestoreSweep.due(in: counter.journal) != nil { throw CheckoutError.restoring }
                var total = 0
                _ = try await counter.checkout.pullBack()
                for _ in 0..<64 {
                    let count = try await counter.checkout.recover { if $0.isTrouble { Output.note("\($0)") } }
                    total += count
                    if count == 0 { break }
                }
                Output.line(common.json ? "{\"recovered\":\(total)}" : "Handled \(total) payments.")
            }
        }
    }
}
