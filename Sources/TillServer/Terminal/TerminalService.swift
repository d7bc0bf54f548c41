import HTTPTypes
import Logging
import ServiceLifecycle
import TillCore
import TillHardware
import TillProvider

/// The counter's card readers as the server uses them, whichever provider they are of: which ones there are, and who is
/// notified of what happens at them.
struct TerminalService: Sendable {
    /// Readers by the module that they belong to.
    private let fleets: [(module: ProviderName, fleet: any ReaderFleet)]
    /// What apps with a provider's SDK are given.
    let devices: (any DeviceSales)?
    /// The id of the reader that the page offers first.
    let preferred: String?

    /// `nil` where no module has readers or sells on devices.
    init?(_ modules: [any ProviderModule], preferred: String?) {
        fleets = modules.compactMap { module in module.readers.map { (type(of: module).name, $0) } }
        devices = modules.lazy.compactMap(\.devices).first
        self.preferred = preferred
        guard !fleets.isEmpty || devices != nil else { return nil }
    }

    var all: [any ReaderFleet] { fleets.map(\.fleet) }

    /// The readers among which a request's reader is; `nil` for the simulated one, which is no provider's.
    /// - Parameter asked: the provider that the request names.
    func fleet(of request: TenderRequest, asked: ProviderName?) async -> (any ReaderFleet)? {
        guard case .reader(let reader, _, _) = request.kind else { return nil }
        if let own = fleets.first(where: { $0.fleet.provider == asked }) { return own.fleet }
        guard reader != SimulatedCardReader.label else { return nil }
        if let asked { return fleets.first { $0.module == asked }?.fleet }
        return await fleet(with: reader)
    }

    /// The fleet that knows a reader; the first, which then says what is wrong, if none does.
    func fleet(with reader: String) async -> (any ReaderFleet)? {
        guard fleets.count > 1 else { return fleets.first?.fleet }
        // Those that know their readers without asking anybody come first.
        for fleet in all.sorted(by: { $0.standing != nil && $1.standing == nil }) {
            if (try? await fleet.reader(named: reader)) != nil { return fleet }
        }
        return fleets.first?.fleet
    }

    /// The tender of a sale at a reader; refuses what cannot be sold there before the reader wakes.
    static func tender(
        at reader: String, of fleet: any ReaderFleet, for payment: Payment, tipping: CardPresentPayload.Tipping?
    ) async throws -> Tender {
        let amount = payment.amount
        do throws(CardReaderFailure) { try fleet.limits.check(amount) } catch {
            throw Problem(
                .unprocessableContent, error.underlyingError.rawValue,
                error.details.sentence ?? "The amount cannot be charged.", next: "Take another amount, or cash.")
        }
        if case .onPart(let part) = tipping, part.minorUnits > amount.minorUnits {
            throw Problem.field("tender.tip_on", "It is more than the amount, \(amount).", code: "invalid_amount")
        }
        guard tipping == nil || fleet.asksForTips else {
            throw Problem.field("tender.ask_tip", "This reader cannot ask for tips.", code: "unsupported")
        }
        guard payment.captureMode == .automatic || fleet.capturesLater else {
            throw Problem.field("tender.reader", "This reader cannot authorize only.", code: "unsupported")
        }
        do throws(ReaderError) {
            return fleet.tender(at: try await fleet.reader(named: reader), tipping: tipping)
        } catch {
            guard error.code == "reader_needs_phone" else { throw error }
            throw Problem.field("tender.reader", "This reader is driven by a phone, not by the counter.")
        }
    }

    /// The card for the payment's next refund is presented at this reader; only a scheme that wants it asks for it.
    func use(_ reader: String, forRefundOf payment: Payment) async throws {
        var own = all.first { $0.provider == payment.provider }
        if own == nil { own = await fleet(with: reader) }
        try await own?.use(reader, forRefundOf: payment.id)
    }
}

/// Passes on what happens at readers to the streams of events. When the counter ends it cancels the readers that
/// still wait for a card, so that the end does not wait for customers; what is being charged is finished.
struct TerminalFeedService: Service {
    let terminal: TerminalService
    let feed: EventFeed
    let logger: Logger

    func run() async throws {
        let fleets = terminal.all
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                for fleet in fleets {
                    let steps = fleet.steps()
                    group.addTask {
                        for await step in steps {
                            feed.report(step.event, account: step.account, payment: step.payment)
                        }
                    }
                }
            }
        }
        for fleet in fleets {
            for reader in await fleet.cancelWaiting() {
                logger.warning(
                    """
                    The reader \(reader) could not be stopped. A card that is presented there now may still be \
                    charged: end it at the reader. The next start of the counter asks how the payment ended.
                    """)
            }
        }
    }
}

extension Problem {
    /// What an error about readers means to the sender of a request.
    init(reader error: ReaderError) {
        switch error.kind {
        case .invalid(let field): self = .field(field, error.what, code: error.code)
        case .notFound: self.init(.notFound, error.code, error.what, next: error.next)
        case .refused: self.init(.conflict, error.code, error.what, next: error.next)
        case .unavailable:
            self.init(.serviceUnavailable, error.code, error.what, next: error.next)
            self = retrying(after: 2)
        }
        moneyMoved = error.moneyMoved
    }
}
