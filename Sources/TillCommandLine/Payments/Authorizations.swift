import ArgumentParser
import TillPayPalClient
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillPayPal

/// `till authorizations …`: lists and changes held payments.
struct Authorizations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorizations",
        abstract: "Lists, captures, renews and voids held money.",
        discussion: """
            A later capture needs the payment only, never the card. The bank honors a hold for three days; after that
            it can be renewed once, and it ends for good when the provider says so.
            """,
        subcommands: [List.self, CaptureHold.self, Reauthorize.self, Void.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists what is held, the soonest to end first.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "The most to list, up to 500.") var limit = 100

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                var holds: [HeldPayment] = []
                for status in [PaymentStatus.requiresCapture, .partiallyCaptured, .partiallyRefunded, .refunded] {
                    holds += try await held(counter, in: status)
                }
                holds.sort { ($0.life.expires, $0.payment.id.rawValue) < ($1.life.expires, $1.payment.id.rawValue) }
                holds = Array(holds.prefix(most))
                if common.json {
                    var writer = JSONWriter()
                    writer.beginObject()
                    writer.key("authorizations")
                    writer.beginArray()
                    for hold in holds { hold.write(to: &writer) }
                    writer.endArray()
                    writer.endObject()
                    Output.line(writer.text)
                } else if holds.isEmpty {
                    Output.line("Nothing is held.")
                } else {
                    for hold in holds { hold.lines.forEach { Output.line($0) } }
                }
            }
        }

        private var most: Int { min(max(limit, 1), JournalLimits.maximumPage) }

        /// Returns the holds of payments in one status. Most refunded payments have none, so the pages are read until
        /// no hold can still be valid.
        private func held(_ counter: Counter, in status: PaymentStatus) async throws -> [HeldPayment] {
            let now = counter.clock.now()
            var filter = PaymentFilter(account: try common.accountID, status: status, limit: JournalLimits.maximumPage)
            var holds: [HeldPayment] = []
            for _ in 0..<List.maximumPages {
                let page = try await counter.journal.rowReadings(filter)
                for row in page where List.mayHold(row) {
                    guard let payment = try await counter.checkout.readable(row.id) else {
                        Output.note("\(row.id) is left out. \(PaymentJSON.unreadable)")
                        continue
                    }
                    guard payment.held.isPositive, let hold = HeldPayment(payment, now: now) else { continue }
                    holds.append(hold)
                }
                guard let last = page.last, now.since(last.createdAt) < List.longestHold else { break }
                filter.before = last.id
            }
            return holds
        }

        /// Returns `true` if a row may have a hold. An unreadable row is resolved by reading the payment itself.
        private static func mayHold(_ reading: PaymentRowReading) -> Bool {
            guard case .row(let row) = reading else { return true }
            return row.captured.minorUnits < row.amount.minorUnits
        }

        /// The age of a payment beyond which no hold is valid.
        private static let longestHold = Span.days(32)
        /// The maximum number of pages read for one status.
        private static let maximumPages = 200
    }

    struct Reauthorize: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reauthorize",
            abstract: "Renews a hold, so that the bank honors it for three more days. PayPal does it once for a hold.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: common.accountID)
                let before = found.renewals.count
                let done = try await counter.checkout.renew(found.id, account: found.account)
                try Reauthorize.tell(done, renewal: done.renewals.dropFirst(before).first, common)
            }
        }

        /// Reports the result and ends the command: 0 renewed, 2 refused by the provider, 3 not known yet.
        private static func tell(_ payment: Payment, renewal: Renewal?, _ common: CommonOptions) throws {
            let hold = payment.currentAttempt?.authorization
            let left = renewal?.amount ?? payment.amount
            if common.json {
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("payment_id", payment.id.rawValue)
                writer.field("renewal", renewal?.id.rawValue)
                writer.field("status", renewal.map { PaymentJSON.word(for: $0.state) })
                writer.field("reference", hold?.reference.rawValue)
                writer.field("honored_until", hold?.honoredUntil?.internetTime)
                writer.field("expires_at", hold?.captureBefore?.internetTime)
                writer.endObject()
                Output.line(writer.text)
            }
            switch renewal?.state {
            case .succeeded?:
                guard !common.json else { return }
                let end = hold?.captureBefore?.internetTime ?? "a time that the provider does not report"
                Output.line("The hold of \(left) is renewed. No money moved. It ends at \(end).")
                if let honored = hold?.honoredUntil {
                    Output.line("The bank honors it until \(honored.internetTime).")
                }
            case .refused(let decline)?:
                if !common.json {
                    let why = decline.code ?? decline.reason.rawValue
                    Output.line("The provider refused to renew the hold (\(why)). No money moved.")
                    Output.line("Capture it, or void it.")
                }
                throw ExitCode(2)
            default:
                if !common.json {
                    Output.line("It is not known yet whether the hold is renewed. No money moved.")
                    Output.line("It is being checked; see `till authorizations list`.")
                }
                throw ExitCode(3)
            }
        }
    }
}

/// A payment with a hold.
struct HeldPayment {
    let payment: Payment
    let life: AuthorizationLife
    let now: Timestamp
    let left: Money

    init?(_ payment: Payment, now: Timestamp) {
        guard let life = AuthorizationLife(payment) else { return nil }
        self.payment = payment
        self.now = now
        self.life = life
        left = payment.held
    }

    var phase: String {
        switch life.phase(at: now) {
        case .honored: "honored"
        case .renewable: "renewable"
        case .lapsed: "lapsed"
        case .expired: "expired"
        }
    }

    private var standing: String {
        let honored = life.honoredUntil.internetTime
        return switch life.phase(at: now) {
        case .honored: "honored until \(honored)"
        case .renewable: "renewable since \(honored)"
        case .lapsed: "renewed, and not honored since \(honored)"
        case .expired: "expired"
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("payment_id", payment.id.rawValue)
        writer.field("order_id", payment.order.id.rawValue)
        writer.field("provider", payment.provider?.rawValue)
        writer.field("held", left.minorUnits)
        writer.field("captured", payment.captured.minorUnits)
        writer.field("currency", payment.currency.code)
        writer.field("phase", phase)
        writer.field("honored_until", life.honoredUntil.internetTime)
        writer.field("expires_at", life.expires.internetTime)
        writer.field("alarm", life.alarm(at: now)?.sentence)
        writer.endObject()
    }

    var lines: [String] {
        var lines = [
            "\(payment.id)  \(payment.order.number)  \(left) held",
            "  \(standing), ends \(life.expires.internetTime)",
        ]
        if let alarm = life.alarm(at: now) { lines.append("  \(alarm.sentence)") }
        return lines
    }
}
