import HTTPTypes
import TillCore
import TillHardware
import ServiceLifecycle
public import TillStripe

/// The counter's card readers as the server uses them: which ones there are, who is told what happens at them.
public struct TerminalService: Sendable {
    /// Sales at Stripe's readers.
    let provider: StripeTerminalProvider
    /// The reader that the page offers first, by its id.
    let preferred: String?

    /// Makes one.
    /// - Parameter preferred: the id of the reader that the page offers first.
    public init(_ provider: StripeTerminalProvider, preferred: String? = nil) {
        self.provider = provider
        self.preferred = preferred
    }

    /// The tender of a reader that a request names; `nil` for the simulated one, which is not Stripe's.
    func tender(_ request: TenderRequest, of amount: Money, provider name: ProviderName) async throws -> Tender? {
        guard case .reader(let reader, let card, let tipping) = request.kind, name == StripeTerminalProvider.name
        else { return nil }
        do throws(CardReaderFailure) { try AmountLimits.stripe.check(amount) } catch {
            throw Problem(
                .unprocessableContent, error.underlyingError.rawValue,
                error.details.sentence ?? "The amount cannot be charged.", next: "Take another amount, or cash.")
        }
        guard card == nil else {
            throw Problem.field("tender.card", "Only the simulated reader takes a card from the request.")
        }
        if case .onPart(let part) = tipping, part.minorUnits > amount.minorUnits {
            throw Problem.field("tender.tip_on", "It is more than the amount, \(amount).", code: "invalid_amount")
        }
        let found = try await provider.terminal.reader(named: reader)
        guard found.deviceType.isSmart else {
            throw Problem.field("tender.reader", "This reader is driven by a phone, not by the counter.")
        }
        return StripeTerminalProvider.tender(reader: found, tipping: tipping)
    }

    /// Who moves the money of a request that names one of Stripe's readers.
    static func provider(_ request: TenderRequest, asked: ProviderName?, desk: TerminalService?) -> ProviderName? {
        guard case .reader(let reader, _, _) = request.kind, reader != SimulatedCardReader.label, desk != nil,
            asked == nil || asked?.rawValue == "stripe"
        else { return asked }
        return StripeTerminalProvider.name
    }

    /// The card for the payment's next refund is presented at this reader; only a scheme that wants it asks for it.
    func use(_ reader: String, forRefundOf payment: PaymentID) async throws {
        provider.feed.useReader(try await provider.terminal.reader(named: reader).id, forRefundOf: payment)
    }

    /// A webhook came: who waits for the reader looks at once.
    func heard(_ event: StripeEvent) {
        if event.objectKind == "terminal.reader", let reader = event.objectID { provider.feed.heard(of: reader) }
        if let intent = event.paymentIntent, let reader = provider.feed.reader(of: intent) {
            provider.feed.heard(of: reader)
        }
    }
}

/// Passes on what happens at readers to the streams of events. When the counter ends it calls off the readers that
/// still wait for a card, so that the end does not wait for customers; what is being charged is finished.
struct TerminalFeedService: Service {
    let desk: TerminalService
    let feed: EventFeed

    func run() async throws {
        let steps = desk.provider.feed.steps()
        await cancelWhenGracefulShutdown {
            for await step in steps { feed.told(step.event, account: step.account, payment: step.payment) }
        }
        for reader in desk.provider.feed.busyReaders {
            let key = IdempotencyKey(rawValue: "till-end-\(UInt64.random(in: .min ... .max))")
            _ = try? await desk.provider.terminal.cancelAction(at: reader, key: key)
            desk.provider.feed.heard(of: reader)
        }
    }
}

extension Problem {
    /// What an error about readers means to the sender of a request.
    init(terminal error: StripeTerminalError) {
        let isMissing = error.status == 404 || error.providerCode == "reader_not_found"
        switch error.certainty {
        case .refused: self.init(isMissing ? .notFound : .conflict, error.code, error.what, next: error.next)
        case .notNow, .notSent, .unknown:
            self.init(.serviceUnavailable, error.code, error.what, next: error.next)
            self = retrying(after: 2)
        }
        moneyMoved = error.moneyMoved
    }
}
