import HTTPTypes
package import Logging
import ServiceLifecycle
package import TillCore
import TillHardware
package import TillProvider

/// The counter's card readers of all providers, as used by the server: lookup, and forwarding of their events.
package struct TerminalService: Sendable {
    /// The fleets with their modules.
    private let fleets: [(module: ProviderName, fleet: any ReaderFleet)]
    /// The endpoint for apps with a provider's SDK.
    package let devices: (any DeviceSales)?
    /// The ID of the page's default reader.
    package let preferred: String?

    /// Creates the service; `nil` if no module has readers or sells on devices.
    package init?(_ modules: [any ProviderModule], preferred: String?) {
        fleets = modules.compactMap { module in module.readers.map { (type(of: module).name, $0) } }
        devices = modules.lazy.compactMap(\.devices).first
        self.preferred = preferred
        guard !fleets.isEmpty || devices != nil else { return nil }
    }

    package var all: [any ReaderFleet] { fleets.map(\.fleet) }

    /// The fleets whose readers are registered, renamed and removed here, with their modules.
    package var managed: [(module: ProviderName, fleet: any ReaderFleet, management: any ReaderManagement)] {
        fleets.compactMap { module, fleet in fleet.management.map { (module, fleet, $0) } }
    }

    /// Returns the fleet of a request's reader; `nil` for the simulated reader, which belongs to no provider.
    /// - Parameter asked: The provider named in the request.
    package func fleet(of request: TenderRequest, asked: ProviderName?) async -> (any ReaderFleet)? {
        guard case .reader(let reader, _, _) = request.kind else { return nil }
        if let own = fleets.first(where: { $0.fleet.provider == asked }) { return own.fleet }
        guard reader != SimulatedCardReader.label else { return nil }
        if let asked { return fleets.first { $0.module == asked }?.fleet }
        return await fleet(with: reader)
    }

    /// Returns the fleet that knows a reader, or else the first, which then throws the error with the cause.
    package func fleet(with reader: String) async -> (any ReaderFleet)? {
        guard fleets.count > 1 else { return fleets.first?.fleet }
        // Fleets that know their readers without a provider request come first.
        for fleet in all.sorted(by: { $0.standing != nil && $1.standing == nil }) {
            if (try? await fleet.reader(named: reader)) != nil { return fleet }
        }
        return fleets.first?.fleet
    }

    /// Returns the tender of a sale at a reader; refuses an unsupported sale before the reader is activated.
    package static func tender(
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

    /// Designates the reader for the card of the payment's next refund, for schemes that require its presentation.
    package func use(_ reader: String, forRefundOf payment: Payment) async throws {
        var own = all.first { $0.provider == payment.provider }
        if own == nil { own = await fleet(with: reader) }
        try await own?.use(reader, forRefundOf: payment.id)
    }
}

/// Forwards reader events to the event streams. At shutdown it cancels readers that still wait for a card, so that
/// shutdown does not wait for customers; charges in progress are completed.
package struct TerminalFeedService: Service {
    package let terminal: TerminalService
    package let feed: EventFeed
    package let logger: Logger

    package init(terminal: TerminalService, feed: EventFeed, logger: Logger) {
        (self.terminal, self.feed, self.logger) = (terminal, feed, logger)
    }

    package func run() async throws {
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

extension ReaderError: ProblemConvertible {
    package var problem: Problem {
        switch kind {
        case .invalid(let field):
            var problem = Problem.field(field, what, code: code)
            problem.moneyMoved = moneyMoved
            problem.next = next
            return problem
        case .notFound: return problem(.notFound)
        case .refused: return problem(.conflict)
        case .unavailable: return problem(.serviceUnavailable).retrying(after: 2)
        }
    }
}
