import ArgumentParser
import TillCheckout
import TillCore
import TillCounter
import TillHardware
import TillProvider
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Sale {
    /// Returns the chosen provider's readers if the sale uses one of them: one was named, one is connected, or the
    /// provider has a default reader; and no other tender was chosen.
    func fleet(_ counter: Counter) throws -> (any ReaderFleet)? {
        guard !cash, cardNumber == nil else { return nil }
        let fleet = counter.module(counter.options.provider)?.readers
        guard let reader, reader != SimulatedCardReader.label else {
            guard let fleet else { return nil }
            let connected = reader == nil ? ReaderChoice.read(counter) : nil
            guard fleet.standing != nil || connected != nil else { return nil }
            guard reader == nil, card == nil else {
                throw CommandError(
                    code: "choose_a_tender",
                    what: "More than one way to pay was chosen\(connected.map { ": \($0.label) is connected" } ?? "").",
                    next: "Leave out --reader and --card: the customer pays at the terminal. "
                        + "Or name --reader simulated for a simulated card.")
            }
            return fleet
        }
        guard let fleet else {
            throw CommandError(
                code: "no_readers", what: "\(counter.options.provider) has no reader \(reader) at this counter.",
                next: "Choose a provider with --provider that has it, or use --reader simulated.")
        }
        return fleet
    }

    /// Rejects an order that these readers cannot charge, before anything is written or a reader is activated.
    func check(_ order: Order, at fleet: any ReaderFleet) throws {
        do throws(CardReaderFailure) { try fleet.limits.check(order.total) } catch {
            throw CommandError(
                code: error.underlyingError.rawValue, what: error.details.sentence ?? "The amount cannot be charged.",
                next: "Take another amount, or cash.")
        }
        guard capture == CaptureMode.automatic.rawValue || fleet.capturesLater else {
            throw CommandError(
                code: "unsupported", what: "This reader takes the money at once.", next: "Leave out --capture manual.")
        }
    }

    /// Returns the tipping of the sale; `nil` if the reader does not prompt for a tip.
    func tipping(_ order: Order, at fleet: (any ReaderFleet)?) throws -> CardPresentPayload.Tipping? {
        guard askTip || tipOn != nil else { return nil }
        guard let fleet, fleet.asksForTips else {
            throw CommandError(
                code: "tip_needs_reader", what: "Only smart readers ask for tips.",
                next: "Name one with --reader, or leave out --ask-tip and --tip-on.")
        }
        guard let tipOn else { return .onWholeAmount }
        guard let part = Money(ifValid: tipOn, currency: order.total.currency), !part.isNegative,
            part.minorUnits <= order.total.minorUnits
        else {
            throw CommandError(
                code: "invalid_amount", what: "A tip cannot count from \(tipOn): the total is \(order.total).",
                next: "Give the part of the total that it counts from.")
        }
        return .onPart(part)
    }

    /// Returns the named reader, or the default one.
    func reader(of fleet: any ReaderFleet, _ counter: Counter) async throws -> CounterReader {
        if reader == nil, let standing = fleet.standing { return standing }
        return try await fleet.reader(named: try counter.chosenReader(reader))
    }

    /// Collects the payment at a reader and shows its progress. Ctrl-C cancels until a card is being charged.
    func collect(
        _ payment: Payment, at reader: CounterReader, of fleet: any ReaderFleet,
        _ tipping: CardPresentPayload.Tipping?, in counter: Counter
    ) async throws -> Payment {
        let isQuiet = common.json
        let steps = fleet.steps()
        let printer = Task {
            for await step in steps where step.payment == payment.id && !isQuiet {
                Output.note("Reader \(reader.label): \(ReaderLine.text(step.event))")
            }
        }
        defer { printer.cancel() }
        let interrupt = Task {
            var count = 0
            for await _ in await UnixSignalsSequence(trapping: .sigint) {
                count += 1
                guard count == 1 else {
                    Output.note("till: The outcome is not known. Do not charge again: till payments show \(payment.id)")
                    quit()
                }
                do throws(ReaderError) {
                    _ = try await fleet.cancel(reader.id)
                    Output.note("Canceling at the reader…")
                } catch {
                    Output.note("\(error.what) Waiting for the end of it.")
                }
            }
        }
        defer { interrupt.cancel() }
        return try await counter.checkout.confirm(
            payment.id, account: common.accountID, provider: fleet.provider,
            tender: fleet.tender(at: reader, tipping: tipping))
    }
}

/// Exits the process during an open sale: recovery finds it in the journal.
private func quit() -> Never { exit(3) }
