import ArgumentParser
import TillCore
import TillCounter
import TillFeatureDay
import TillReceipts

/// `till day …`: opens the cash drawer for a day, counts and closes it, and shows its reports.
struct DayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "day",
        abstract: "Opens the cash drawer for a day, counts and closes it, and shows its reports.",
        discussion: """
            Programs do the same over HTTP (/v1/day). A running counter and these commands work on the same day.
            """,
        subcommands: [
            Open.self, Cash.self, Count.self, Close.self, Resume.self, Report.self, Drawers.self,
        ])

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open", abstract: "Opens the drawer with the cash that is in it.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var chosen: DrawerOption
        @Option(name: .long, help: ArgumentHelp("The currency of the drawer.", valueName: "code")) var currency: String
        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("The counted cash, such as 150.00.", valueName: "amount"))
        var float: String
        @Option(
            name: .long, help: ArgumentHelp("Why it differs from what was left at the last close.", valueName: "text"))
        var reason: String?

        func run() async throws {
            try await withDay(common, provider, chosen) { book, account in
                let currency: Currency
                do throws(MoneyError) { currency = try Currency(code: self.currency) } catch {
                    throw CommandError(
                        code: "invalid_currency", what: "\(error) The drawer was not opened.",
                        next: "Give a code such as EUR.")
                }
                let float = try DayAmount.read(float, in: currency, of: "--float")
                let reason = reason.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 }
                let opened = try await book.open(.init(total: float), in: currency, of: account, reason: reason)
                if common.json { return DayLine.json(opened) }
                Output.line("The drawer is open with \(DayLine.money(float, currency)).")
                let difference = opened.session.openingDifference
                guard difference != 0 else { return }
                Output.note("That is \(DayLine.money(difference, currency)) from what was left at the last close.")
            }
        }
    }

    struct Cash: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cash", abstract: "Puts cash into the drawer, or takes some out, beside sales.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var chosen: DrawerOption
        @Argument(help: "paid-in, paid-out, bank-drop to the bank or the safe, or refund for a customer.")
        var kind: String
        @Argument(help: "How much, such as 12.50.") var amount: String
        @Option(name: .long, help: ArgumentHelp("What it is for.", valueName: "text")) var reason: String
        @Option(
            name: .long, help: ArgumentHelp("The payment that is given back, for a refund.", valueName: "payment"))
        var payment: String?
        @Option(
            name: .long,
            help: ArgumentHelp("A key: the same one again moves nothing. Random by default.", valueName: "text"))
        var key: String?

        func run() async throws {
            try await withDay(common, provider, chosen, creates: false) { book, account in
                guard let known = CashMovement.Kind(rawValue: kind.replacing("-", with: "_")) else {
                    throw CommandError(
                        code: "unknown_kind", what: "There is no movement \(ProviderText.word(kind)). Nothing changed.",
                        next: "Use paid-in, paid-out, bank-drop or refund.")
                }
                guard (known == .refund) == (payment != nil) else {
                    throw CommandError(
                        code: "refund_needs_payment", what: "--payment goes with a refund. Nothing changed.",
                        next: "Give the payment of a refund, and none for anything else.")
                }
                let reason = DisplayText.clean(reason)
                guard !reason.isEmpty else {
                    throw CommandError(
                        code: "reason_missing", what: "--reason is empty. Nothing changed.", next: "Say what it is for."
                    )
                }
                if let key, key.isEmpty || key.utf8.count > DayAmount.maximumKeyBytes {
                    throw CommandError(
                        code: "invalid_key", what: "--key cannot be used. Nothing changed.",
                        next: "Give a key of 1 to \(DayAmount.maximumKeyBytes) bytes.")
                }
                let session = try await book.current(of: account).session
                let currency = session.currency
                let amount = try DayAmount.read(amount, in: currency, of: "The amount")
                guard amount > 0 else { throw DayAmount.refused("The amount", "must be above zero") }
                let moved = try await book.move(
                    .init(
                        known, amount: amount, reason: reason, payment: payment.map { PaymentID(rawValue: $0) }),
                    key: key ?? DayAmount.randomKey(), of: account, seen: .init(session: session.id))
                if common.json { return DayLine.json(moved) }
                Output.line("\(DayLine.words(known)) \(DayLine.money(amount, currency)).")
                Output.line("In the drawer: \(DayLine.money(moved.report.expected, currency)).")
            }
        }
    }

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "count", abstract: "Ends the day with the cash that was counted.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var chosen: DrawerOption
        @Argument(help: "The counted cash, such as 162.50.") var total: String

        func run() async throws {
            try await withDay(common, provider, chosen, creates: false) { book, account in
                let session = try await book.current(of: account).session
                let total = try DayAmount.read(total, in: session.currency, of: "The cash")
                let counted = try await book.count(.init(total: total), of: account, seen: .init(session))
                if common.json { return DayLine.json(counted) }
                Output.lines(DayLine.count(counted.report))
            }
        }
    }

    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "close", abstract: "Closes a counted day and makes its report (Z).")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var chosen: DrawerOption
        @Option(
            name: .long,
            help: ArgumentHelp("The cash that stays in the drawer; all of it by default.", valueName: "amount"))
        var left: String?
        @Option(
            name: .long, help: ArgumentHelp("Why the counted cash differs from the expected one.", valueName: "text"))
        var reason: String?

        func run() async throws {
            try await withDay(common, provider, chosen, creates: false) { book, account in
                let session = try await book.current(of: account).session
                let left = try left.map { try DayAmount.read($0, in: session.currency, of: "--left") }
                let reason = reason.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 }
                let closed = try await book.close(left: left, reason: reason, of: account, seen: .init(session))
                if common.json { return DayLine.jsonReport(closed) }
                Output.lines(DayLine.report(closed, by: DayClock(book.zone)))
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Goes on with a day that was counted too early.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var chosen: DrawerOption

        func run() async throws {
            try await withDay(common, provider, chosen, creates: false) { book, account in
                let session = try await book.current(of: account).session
                let resumed = try await book.resume(account, seen: .init(session))
                if common.json { return DayLine.json(resumed) }
                Output.line("The drawer is open again.")
            }
        }
    }

    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Shows the report of the day as it is now (X), or a closed one (Z) by its number.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var chosen: DrawerOption
        @Argument(help: "The number of a report; without one, the day as it is now.") var number: Int64?
        @Flag(name: .long, help: "Write the report as CSV, one figure a row.") var csv = false

        func validate() throws {
            guard !(csv && common.json) else { throw ValidationError("Give --csv or --json, not both.") }
        }

        func run() async throws {
            try await withDay(common, provider, chosen, creates: false) { book, account in
                let shown =
                    if let number { try await book.report(number, of: account) } else {
                        try await book.current(of: account)
                    }
                let clock = DayClock(book.zone)
                if common.json { return DayLine.jsonReport(shown) }
                if csv { return Output.bytes(Array(DayFile.text(shown, by: clock).utf8)) }
                Output.lines(DayLine.report(shown, by: clock))
            }
        }
    }
}

/// Opens the counter and runs a command on the day of its account.
func withDay(
    _ common: CommonOptions, _ provider: ProviderOptions, _ chosen: DrawerOption? = nil,
    creates: Bool = true, _ body: (DayBook, AccountID) async throws -> Void
) async throws {
    let drawer = try chosen?.name ?? .main
    try await withCounter(common, provider, creates: creates) { counter in
        let book = DayBook(
            counter.journal, clock: counter.clock, differenceLimit: counter.options.dayDifferenceLimit,
            zone: counter.options.receipts.store.timeZone)
        try await body(book.at(drawer), counter.options.account)
    }
}
