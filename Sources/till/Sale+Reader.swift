import ArgumentParser
import TillCheckout
import TillCore
import TillHardware
import TillServer
import TillStripe
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Sale {
    /// The sale is made at one of Stripe's readers.
    var isAtStripeReader: Bool { reader.map { $0 != "simulated" } ?? false }

    /// Refuses what Stripe would refuse, before anything is written and the reader wakes.
    func checkLimits(_ amount: Money) throws {
        do throws(CardReaderFailure) { try AmountLimits.stripe.check(amount) } catch {
            throw CommandError(
                code: error.underlyingError.rawValue, what: error.details.sentence ?? "The amount cannot be charged.",
                next: "Take another amount, or cash.")
        }
    }

    /// Whether the reader asks for a tip.
    func tipping(_ order: Order) throws -> CardPresentPayload.Tipping? {
        guard askTip || tipOn != nil else { return nil }
        guard isAtStripeReader else {
            throw CommandError(
                code: "tip_needs_reader", what: "Only Stripe's smart readers ask for tips.",
                next: "Name one with --reader, or leave out --ask-tip and --tip-on.")
        }
        guard let tipOn else { return .onWholeAmount }
        guard let part = try? Money(parsing: tipOn, currency: order.total.currency), !part.isNegative,
            part.minorUnits <= order.total.minorUnits
        else {
            throw CommandError(
                code: "invalid_amount", what: "A tip cannot count from \(tipOn): the total is \(order.total).",
                next: "Give the part of the total that it counts from.")
        }
        return .onPart(part)
    }

    /// The reader that was named.
    /// - Throws: an error that explains itself, before anything is written.
    func stripeReader(_ counter: Counter) async throws -> TerminalReader {
        guard counter.options.provider.rawValue == "stripe", counter.terminal != nil else {
            throw CommandError(
                code: "reader_needs_stripe", what: "The reader \(reader ?? "") is Stripe's.",
                next: "Add --provider stripe, or use --reader simulated.")
        }
        let found = try await counter.reader(reader)
        guard found.deviceType.isSmart else {
            throw CommandError(
                code: "reader_needs_phone", what: "\(found.label) is driven by a phone, not by this counter.",
                next: "Choose a smart reader.")
        }
        return found
    }

    /// Asks a reader for the money and shows what a person sees meanwhile. Ctrl-C calls it off, as long as no card is
    /// being charged.
    func collect(
        _ payment: Payment, at reader: TerminalReader, _ tipping: CardPresentPayload.Tipping?, in counter: Counter
    ) async throws -> Payment {
        guard let terminal = counter.terminal else { return payment }
        let isQuiet = common.json
        let steps = terminal.feed.steps()
        let printer = Task {
            for await step in steps where step.payment == payment.id && !isQuiet {
                Output.note("Reader \(reader.label): \(step.event.message ?? step.event.type.rawValue)")
            }
        }
        defer { printer.cancel() }
        let interrupt = Task { [terminal = terminal.terminal] in
            var count = 0
            for await _ in await UnixSignalsSequence(trapping: .sigint) {
                count += 1
                guard count == 1 else {
                    Output.note("till: The outcome is not known. Do not charge again: till payments show \(payment.id)")
                    quit()
                }
                do {
                    _ = try await terminal.cancelAction(at: reader.id, key: .once("cancel"))
                    Output.note("Calling it off at the reader…")
                } catch let error as StripeTerminalError {
                    Output.note("\(error.what) Waiting for the end of it.")
                }
            }
        }
        defer { interrupt.cancel() }
        return try await counter.checkout.confirm(
            payment.id, account: common.accountID, provider: StripeTerminalProvider.name,
            tender: StripeTerminalProvider.tender(reader: reader, tipping: tipping))
    }
}

/// Ends the process while a sale is open: recovery finds it in the journal.
private func quit() -> Never { exit(3) }
