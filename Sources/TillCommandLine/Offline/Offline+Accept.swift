import ArgumentParser
import TillCheckout
import TillContactless
import TillCore
import TillCounter
import TillReceipts
import TillSandbox
import TillOffline
import TillWeb

extension Offline {
    /// `till offline accept`: accepts a card, and stores it offline if the sale permits that.
    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Takes a card, and stores it where the sale allows that.",
            discussion: """
                till offline accept --amount 12.50 --currency EUR
                till offline accept --amount 12.50 --currency EUR --connection force-offline
                till offline accept --amount 12.50 --currency EUR --connection require-online

                prefer-online asks the provider, and stores the card only if certainly
                nothing was sent. Exit code 0: paid, or stored as asked; the receipt and
                "status" say which. A stored card is not paid.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: ArgumentHelp("The amount, such as 12.50.", valueName: "amount"))
        var amount: String
        @Option(name: .long, help: ArgumentHelp("The currency; the default is EUR.", valueName: "code"))
        var currency = "EUR"
        @Option(name: .long, help: ArgumentHelp("The order's name; a new one if not given.", valueName: "id"))
        var order: String?
        @Option(name: .long, help: "prefer-online, require-online or force-offline.")
        var connection = Connection.preferOnline
        @Option(name: .long, help: ArgumentHelp("virtual, simulated, or replay:FILE.", valueName: "reader"))
        var reader = "virtual"
        @Option(
            name: .long,
            help: ArgumentHelp(
                "The card: of the virtual reader \(Tap.cardNames); of the simulated one visa, declined:REASON, … ",
                valueName: "card"))
        var card = "visa"
        @Option(name: .long, help: ArgumentHelp("The shop's name on the receipt.", valueName: "name"))
        var store: String?
        @Option(
            name: .long,
            help: ArgumentHelp(
                "So many payments of this amount with the simulated reader, to try out how they drain.",
                valueName: "count"))
        var times = 1

        /// ``OfflineChoice`` as a command-line value.
        enum Connection: String, ExpressibleByArgument {
            case preferOnline = "prefer-online"
            case requireOnline = "require-online"
            case forceOffline = "force-offline"

            var choice: OfflineChoice {
                switch self {
                case .preferOnline: .preferOnline
                case .requireOnline: .requireOnline
                case .forceOffline: .forceOffline
                }
            }
        }

        func validate() throws {
            guard (1...100_000).contains(times) else { throw ValidationError("--times is 1 to 100000.") }
            guard times == 1 || (reader == "simulated" && order == nil) else {
                throw ValidationError("--times goes with --reader simulated and without --order.")
            }
        }

        func run() async throws {
            let price: Money
            do { price = try Money(parsing: amount, currency: Currency(code: currency)) } catch {
                throw Output.fail(
                    CommandError(code: "invalid_amount", what: "\(error)", next: "Correct it and try again."),
                    json: common.json)
            }
            try await withCounter(common, provider) { counter in
                guard times == 1 else { return try await takeMany(price, counter) }
                let result = try await take(price, counter, order: order)
                try finish(result, counter)
            }
        }

        private func take(_ price: Money, _ counter: Counter, order: String?) async throws -> OfflineAcceptance {
            if connection == .forceOffline {
                let reasons = try await counter.offline.log(creating: true).reasonsAgainst(
                    OfflinePolicy.Request(amount: price), policy: counter.offline.options.policy)
                guard reasons.isEmpty else { throw OfflineLogError.refused(reasons) }
            }
            try StandInRefusal.check(counter.offline.provider.name, in: counter.mode)
            try counter.checkout.checkAmount(price, provider: counter.options.provider)
            let id = try order.map { try OrderID(selling: $0) } ?? OrderID(rawValue: Sale.newOrderName())
            let sold = try Order(id: id, amount: price, description: "Tap")
            let payment = try await counter.checkout.create(
                counter.checkout.draft(
                    account: counter.options.account,
                    order: order == nil ? sold : try sold.scoped(counter.options.orderScope), captureMode: .automatic))
            do {
                return try await counter.offline.accept(
                    payment, connection.choice, online: counter.options.provider, checkout: counter.checkout
                ) { try await read(payment, counter) }
            } catch {
                await end(payment, counter)
                throw error
            }
        }

        /// Ends a sale without an authorization request, so that its order can be paid another way.
        private func end(_ payment: Payment, _ counter: Counter) async {
            do throws(CheckoutError) {
                let now = try await counter.checkout.payment(payment.id, account: payment.account)
                guard now.attempts.isEmpty else { return }
                _ = try await counter.checkout.cancel(payment.id, account: payment.account, reason: "card_not_read")
            } catch {
                Output.note("till: Payment \(payment.id) stays open: \(error.what) No card was charged. \(error.next)")
            }
        }

        private func read(_ payment: Payment, _ counter: Counter) async throws -> CardPresentPayload {
            guard reader != "simulated" else { return try Offline.simulated(card, number: 0) }
            let channel = try Tap.channel(reader, card: card)
            let isQuiet = common.json
            let reading: CardReading
            do throws(TapError) {
                let profile = TerminalProfile(usesContactDirectory: reader.hasPrefix("replay:"))
                reading = try await ContactlessReader(profile: profile, authorities: .virtual).read(
                    TapRequest(amount: payment.amount, time: counter.clock.now()), over: channel
                ) { step in
                    if !isQuiet { Output.note("Reader: \(Tap.sentence(step))") }
                }
            } catch {
                throw CommandError(
                    code: "card_not_read", what: "\(error)", next: "Start again with the same card, or use another.")
            }
            return try Offline.payload(of: reading, for: payment, at: counter.clock.now())
        }

        private func finish(_ result: OfflineAcceptance, _ counter: Counter) throws {
            let shop = StoreDetails(name: store ?? counter.options.storeName)
            func tell(_ payment: Payment, _ note: String?) {
                let receipt = ReceiptRenderer.text(ReceiptContent(payment: payment, store: shop))
                Output.line(common.json ? PaymentLine.json(payment, receipt: receipt) : receipt)
                if let note, !common.json { Output.note("till: \(note)") }
            }
            switch result {
            case .online(let payment):
                tell(payment, payment.status == .succeeded ? nil : PaymentJSON.message(of: payment))
                try PaymentLine.exit(for: payment)
            case .stored(let stored, let payment):
                tell(
                    payment,
                    "Stored, not paid: \(stored.amount) for order \(stored.order). Forward it with "
                        + "`till offline sync` until \(stored.tap.expires.internetTime).")
            case .refused(let payment, let reason):
                throw CommandError(
                    code: connection == .requireOnline ? "provider_not_reached" : "offline_refused",
                    what: connection == .requireOnline
                        ? "The provider was not reached (\(reason)), and this sale may not be stored."
                        : "The card was not stored. \(reason)",
                    moneyMoved: payment.moneyMoved,
                    next: "Payment \(payment.id) is open: take another card, or cash.")
            }
        }

        /// Accepts many payments concurrently, so that they share disk syncs.
        private func takeMany(_ price: Money, _ counter: Counter) async throws {
            var stored = 0
            var place = 0
            while place < times {
                let group = place..<min(place + 128, times)
                stored += try await withThrowingTaskGroup(of: Bool.self) { tasks in
                    for number in group {
                        tasks.addTask {
                            let payment = try await counter.checkout.create(
                                counter.checkout.draft(
                                    account: counter.options.account,
                                    order: try Order(
                                        id: OrderID(rawValue: Sale.newOrderName()), amount: price, description: "Tap"),
                                    captureMode: .automatic))
                            let result = try await counter.offline.accept(
                                payment, connection.choice, online: counter.options.provider, checkout: counter.checkout
                            ) { try Offline.simulated(card, number: number) }
                            if case .stored = result { return true }
                            return false
                        }
                    }
                    var count = 0
                    for try await isStored in tasks where isStored { count += 1 }
                    return count
                }
                place = group.upperBound
            }
            let statistics = try await counter.offline.log().statistics
            if common.json {
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("stored", stored)
                writer.field("others", times - stored)
                writer.field("entries", statistics.entries)
                writer.field("syncs", statistics.syncs)
                writer.endObject()
                Output.line(writer.text)
            } else {
                Output.line("Stored, not paid: \(stored) of \(times).")
                Output.note("\(statistics.entries) entries in \(statistics.syncs) syncs of the disk.")
            }
            guard stored == times else { throw ExitCode(1) }
        }
    }

    /// Returns the payload of a simulated card. The last digits increase with the number, so that each payment has a
    /// different card.
    static func simulated(_ name: String, number: Int) throws -> CardPresentPayload {
        let lastFour = number == 0 ? "4242" : String(String(10_000 + number % 10_000).suffix(4))
        let sealed: String
        if name.hasPrefix("declined:") {
            sealed = "sim:\(name)"
        } else if name == "unreadable" {
            sealed = "sim:unreadable"
        } else {
            sealed =
                number == 0
                ? "sim:4242424242424242:visa:contactless_emv" : "sim:424242424242\(lastFour):visa:contactless_emv"
        }
        return CardPresentPayload(
            reader: "simulated", sealed: Secret(sealed),
            card: CardSummary(brand: "visa", lastFour: lastFour, entryMode: "contactless_emv"), facts: TapFacts())
    }

    /// Returns a reading, sealed for the payment, with the card facts that the policy needs.
    static func payload(of reading: CardReading, for payment: Payment, at now: Timestamp) throws -> CardPresentPayload {
        guard let key = SandboxEnvelope.publicKey else {
            throw CommandError(code: "no_key", what: "There is no key to seal to.", next: "Report this.")
        }
        let sealed: Secret<String>
        do throws(CardEnvelopeError) {
            sealed = try CardEnvelope.seal(
                reading, for: .init(payment: payment.id.rawValue, amount: payment.amount), reader: "tap", to: key,
                at: now)
        } catch {
            throw CommandError(
                code: "tap_\(reading.outcome.rawValue)", what: reading.reason.isEmpty ? "\(error)" : reading.reason,
                next: reading.outcome.sentence)
        }
        let isExpired: Bool? =
            switch reading.expiration {
            case .expired: true
            case .notExpired: false
            case .unknown: nil
            }
        return CardPresentPayload(
            reader: "tap", sealed: sealed,
            card: CardSummary(
                brand: Scheme(aid: reading.aid)?.brand ?? "unknown", lastFour: reading.lastFour ?? "",
                entryMode: "contactless_emv"),
            facts: TapFacts(
                isExpired: isExpired, needsOnlinePIN: reading.verification == .onlinePIN,
                failedAuthentication: reading.authentication.isFailed))
    }
}
