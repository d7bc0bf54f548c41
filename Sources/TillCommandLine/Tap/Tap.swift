import ArgumentParser
import Foundation
import TillCheckout
import TillContactless
import TillCore
import TillCounter
import TillReceipts
import TillSandbox
import TillTapToPay

/// `till tap`: takes a payment by Tap to Pay.
struct Tap: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tap",
        abstract: "Takes a payment by a tap, or explains a recorded one. Not certified: test cards.",
        subcommands: [Take.self, Trace.self], defaultSubcommand: Take.self)

    /// `till tap --amount 12.50 --currency EUR --reader virtual`
    struct Take: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "take",
            abstract: "Takes a payment by a tap.",
            discussion: """
                till tap --amount 12.50 --currency EUR --reader virtual --card mastercard
                till tap --amount 12.50 --currency EUR --reader virtual --card wallet --loyalty \
                pass.com.example.loyalty
                till tap --amount 12.50 --currency EUR --reader replay:tap.txt
                till tap --amount 12.50 --currency EUR --reader pcsc
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: ArgumentHelp("The amount, such as 12.50.", valueName: "amount"))
        var amount: String
        @Option(name: .long, help: ArgumentHelp("The currency; the default is EUR.", valueName: "code"))
        var currency = "EUR"
        @Option(name: .long, help: ArgumentHelp("virtual, pcsc, pcsc:NAME or replay:FILE.", valueName: "reader"))
        var reader = "virtual"
        @Option(name: .long, help: ArgumentHelp("The virtual card: \(Tap.cardNames).", valueName: "card"))
        var card = "visa"
        @Option(name: .long, help: ArgumentHelp("Also reads this loyalty pass in the same tap.", valueName: "pass"))
        var loyalty: String?
        @Option(name: .long, help: ArgumentHelp("The shop's name on the receipt.", valueName: "name"))
        var store: String?

        func run() async throws {
            let price: Money
            let channel: any CardChannel
            do {
                price = try Money(parsing: amount, currency: Currency(code: currency))
                channel = try Tap.channel(reader, card: card)
            } catch let error as any ExplainedError {
                throw Output.fail(error, json: common.json)
            } catch {
                throw Output.fail(
                    CommandError(code: "invalid_tap", what: "\(error)", next: "Correct it and try again."),
                    json: common.json)
            }
            try await withCounter(common, provider) { counter in
                // Cards of this reader are not certified, and virtual ones are simulated.
                try StandInRefusal.check(reader: reader, in: counter.mode)
                try counter.checkout.checkAmount(price, provider: counter.options.provider)
                let order = try Order(id: OrderID(rawValue: Sale.newOrderName()), amount: price, description: "Tap")
                let payment = try await counter.checkout.create(
                    counter.checkout.draft(account: counter.options.account, order: order, captureMode: .automatic))
                let tap: Result
                do {
                    tap = try await read(payment, channel, counter.clock)
                } catch {
                    try await cancel(payment, counter)
                    throw error
                }
                guard let payload = tap.payload else {
                    try await cancel(payment, counter)
                    throw refuse(tap, payment)
                }
                let done = try await counter.checkout.confirm(
                    payment.id, account: counter.options.account, provider: counter.options.provider,
                    tender: .cardPresent(payload))
                try finish(done, tap, store: store ?? counter.options.storeName)
            }
        }

        /// Cancels the payment, for which no authorization was requested.
        private func cancel(_ payment: Payment, _ counter: Counter) async throws {
            _ = try await counter.checkout.cancel(
                payment.id, account: counter.options.account, reason: "card_not_read")
        }

        /// The result of one tap.
        struct Result {
            var reading: CardReading
            var loyalty: [(entry: VASReader.Entry, visit: LoyaltyVisit?)]
            var payload: CardPresentPayload?
        }

        private func read(
            _ payment: Payment, _ channel: any CardChannel, _ clock: any TillClock
        ) async throws -> Result {
            let isQuiet = common.json
            var passes: [(VASReader.Entry, LoyaltyVisit?)] = []
            do {
                if let loyalty { passes = try await readPass(loyalty, channel, clock) }
                var profile = TerminalProfile()
                if let replay = channel as? ReplayChannel {
                    profile.usesContactDirectory = true
                    profile.directApplications = replay.applications
                }
                let reading = try await ContactlessReader(profile: profile, authorities: .virtual).read(
                    TapRequest(amount: payment.amount, time: clock.now()), over: channel
                ) { step in
                    if !isQuiet { Output.note("Reader: \(Tap.sentence(step))") }
                }
                return Result(reading: reading, loyalty: passes, payload: try seal(reading, payment, clock))
            } catch {
                throw CommandError(
                    code: "card_not_read", what: "\(error)",
                    next: "Start again with the same card, or use another.")
            }
        }

        private func readPass(
            _ name: String, _ channel: any CardChannel, _ clock: any TillClock
        ) async throws -> [(VASReader.Entry, LoyaltyVisit?)] {
            guard let merchant = VASMerchant(passTypeIdentifier: name) else {
                throw CommandError(code: "invalid_pass", what: "\(name) is no pass.", next: "Correct --loyalty.")
            }
            try await channel.waitForCard()
            do throws(VASError) {
                let entries = try await VASReader().read([merchant], mode: .passAndPayment, over: channel)
                // The program decrypts the pass, rejects an old or replayed one, and counts the visit.
                let program = SandboxLoyalty(clock: clock)
                var passes: [(VASReader.Entry, LoyaltyVisit?)] = []
                for entry in entries {
                    let pass = VASReadResult.ReadEntry(
                        id: name, customerVASData: entry.cryptogram.map { Data($0.bytes) }, status: .success)
                    passes.append((entry, try? await program.recordVisit(pass)))
                }
                return passes
            } catch {
                guard case .notAWallet = error else { throw error }
                return []
            }
        }

        private func seal(
            _ reading: CardReading, _ payment: Payment, _ clock: any TillClock
        ) throws -> CardPresentPayload? {
            guard reading.outcome == .onlineRequest || reading.outcome == .approved,
                let key = SandboxEnvelope.publicKey
            else { return nil }
            let sealed = try CardEnvelope.seal(
                reading, for: .init(payment: payment.id.rawValue, amount: payment.amount), reader: "tap", to: key,
                at: clock.now())
            return CardPresentPayload(
                reader: "tap", sealed: sealed,
                card: CardSummary(
                    brand: Scheme(aid: reading.aid)?.brand ?? "unknown", lastFour: reading.lastFour ?? "",
                    entryMode: "contactless_emv"))
        }

        private func refuse(_ tap: Result, _ payment: Payment) -> any Error {
            if common.json {
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("payment_id", payment.id.rawValue)
                Tap.write(tap.reading, to: &writer)
                writer.key("error")
                writer.beginObject()
                writer.field("code", "tap_\(tap.reading.outcome.rawValue)")
                writer.field("what", tap.reading.reason)
                writer.field("money_moved", MoneyMoved.no.rawValue)
                writer.field("next", tap.reading.outcome.sentence)
                writer.endObject()
                writer.endObject()
                Output.line(writer.text)
            } else {
                Output.note("till: \(tap.reading.reason) No money moved. \(tap.reading.outcome.sentence)")
            }
            return ExitCode(tap.reading.outcome == .declined ? 2 : 1)
        }

        private func finish(_ payment: Payment, _ tap: Result, store: String) throws {
            let receipt = ReceiptRenderer.text(ReceiptContent(payment: payment, store: StoreDetails(name: store)))
            if common.json {
                guard
                    case .object(var members) = try JSONValue(
                        parsing: Array(PaymentLine.json(payment, receipt: receipt).utf8))
                else { return }
                var writer = JSONWriter()
                writer.beginObject()
                Tap.write(tap.reading, to: &writer)
                writer.endObject()
                if let card = try JSONValue(parsing: writer.bytes)["card"] {
                    members.append(JSONMember(key: "card", value: card))
                }
                let passes = tap.loyalty.map { JSONValue.string(Tap.word($0.entry, $0.visit)) }
                members.append(JSONMember(key: "loyalty", value: .array(passes)))
                let visits = tap.loyalty.compactMap { $0.visit.map { JSONValue.string($0.text) } }
                members.append(JSONMember(key: "visits", value: .array(visits)))
                Output.line(JSONValue.object(members).text)
            } else {
                for pass in tap.loyalty {
                    let name = pass.entry.merchant.passTypeIdentifier
                    let visit = pass.visit.map { ". \($0.text)" } ?? ""
                    Output.note("Pass \(name): \(Tap.word(pass.entry, pass.visit))\(visit)")
                }
                Output.line(receipt)
            }
            try PaymentLine.exit(for: payment)
        }
    }

    static var cardNames: String { VirtualCard.all.map(\.name).joined(separator: ", ") }

    /// Returns the state of a pass in one word; the member number is not printed.
    private static func word(_ entry: VASReader.Entry, _ visit: LoyaltyVisit?) -> String {
        guard entry.status == .success else { return entry.status.map { "\($0)" } ?? entry.word.description }
        return visit == nil ? "read, and sealed for someone else" : "success"
    }

    static func channel(_ reader: String, card: String) throws -> any CardChannel {
        if reader.hasPrefix("replay:") {
            return ReplayChannel(try transcript(String(reader.dropFirst("replay:".count))))
        }
        if let channel = TapReaderChoice.pcsc(reader) { return channel }
        guard reader == "virtual" else {
            throw CommandError(
                code: "unknown_reader", what: "There is no reader \(reader).",
                next: "Use virtual, pcsc, pcsc:NAME or replay:FILE.")
        }
        guard let found = VirtualCard.all.first(where: { $0.name == card }) else {
            throw CommandError(
                code: "unknown_card", what: "There is no virtual card \(card).", next: "Use one of \(cardNames).")
        }
        return VirtualCardChannel(found)
    }

    static func transcript(_ path: String) throws -> Transcript {
        do {
            return try Transcript(bytes: TextFile.bytes(path, limit: Transcript.mostBytes))
        } catch let error as TranscriptError {
            throw CommandError(code: "invalid_recording", what: "\(path): \(error)", next: "Correct the recording.")
        }
    }

    static func sentence(_ step: TapProgress) -> String {
        switch step {
        case .readyForTap: "Ready. Hold the card or phone near the reader."
        case .cardDetected: "Reading. Keep the card still."
        case .removeCard: "You may remove the card."
        case .retry: "Please present the card again."
        case .completed: "Read."
        case .notCompleted: "Not read."
        case .canceled: "Canceled."
        }
    }

    /// Writes the reading as the member `card`, without sensitive data.
    static func write(_ reading: CardReading, to writer: inout JSONWriter) {
        writer.key("card")
        writer.beginObject()
        writer.field("outcome", reading.outcome.rawValue)
        writer.field("reason", reading.reason)
        writer.field("aid", Hex.text(reading.aid))
        writer.field("scheme", reading.scheme)
        writer.field("label", reading.label)
        writer.field("preferred_name", reading.preferredName)
        writer.field("kernel", Int(reading.kernel.rawValue))
        writer.field("masked_number", reading.maskedNumber)
        writer.field("last_four", reading.lastFour)
        writer.field("expiration", reading.expiration.rawValue)
        writer.field("verification", reading.verification.rawValue)
        writer.field("authentication", reading.authentication.description)
        writer.field("cryptogram", reading.value(0x9F26).map { Hex.text($0) })
        writer.field("cryptogram_information", reading.value(0x9F27).map { Hex.text($0) })
        writer.field("transaction_counter", reading.value(0x9F36).map { Hex.text($0) })
        writer.field("commands", reading.commands)
        writer.endObject()
    }
}
