public import TillApplePay
public import TillClient
public import TillCore

/// Apple Pay in an app, paid at the shop's counter (`till serve`): the back end of `PaymentFlowController`.
///
/// The shop's server opens a basket and gives its identifier to the app (`POST /v1/applepay/baskets`). The app holds no
/// key: what it may do is to show that basket, change what the sheet offers, and pay it once.
///
/// ```swift
/// import TillApplePay
/// import TillClient
/// let counter = try CounterApplePay(address: CounterAddress("https://counter.example.com"))
/// let sheet = try await counter.sheet(of: basketID)
/// print(try sheet.basket.total(), sheet.factory.displayName)
/// ```
///
/// Prices come from the counter, also while the sheet is open. The token is bound to the basket. Nothing is sent for a
/// shipping method other than the one that the sheet shows. A lost answer is looked up and is otherwise unknown, never
/// a refusal; paying the same basket again finds its one payment.
public actor CounterApplePay: CheckoutService, PaymentBackend {
    public nonisolated let limits: CounterApplePayLimits
    let caller: SheetCaller
    private let clock: any TillClock
    /// The baskets that were loaded, and their identifiers by age.
    private var known: [String: Known] = [:]
    private var loaded: [String] = []

    private struct Known {
        let proof: Secret<String>
        /// `true` after a selection that may have been applied and has no answer.
        var isUncertain = false
        /// The shipping method that the sheet shows; `nil` until one is chosen or a list is shown: then it is the
        /// basket's. A wallet keeps a chosen method that the counter refused, because its update has no place for
        /// errors.
        var shownMethod: String?

        /// Returns `true` if the sheet shows what a payment of this version of the basket buys.
        func shows(_ basket: SheetBasket) -> Bool {
            shownMethod.map { $0 == basket.shippingMethod?.identifier } ?? true
        }
    }

    /// Creates a back end. Nothing is sent.
    /// - Parameter transport: the connection; by default a `URLSessionTransport`.
    public init(
        address: CounterAddress, limits: CounterApplePayLimits = CounterApplePayLimits(),
        transport: (any HTTPTransport)? = nil, clock: any TillClock = SystemClock()
    ) {
        self.limits = limits
        self.clock = clock
        caller = SheetCaller(
            address: address, limits: limits,
            transport: transport ?? URLSessionTransport(maximumBytes: limits.answerBytes), clock: clock)
    }

    // MARK: Before the sheet

    /// Loads a basket and everything that its sheet is built from.
    /// - Throws: ``CounterApplePayError/closed(_:)`` for a basket that cannot be paid any more, and
    ///   ``CounterApplePayError/notFound(_:)`` for one that the counter does not know.
    public func sheet(of basket: String) async throws(CounterApplePayError) -> CounterSheet {
        let json = try await caller.load(basket)
        guard let sheet = CounterSheet(json), sheet.basket.id == basket else { throw .unreadable }
        remember(sheet.proof, of: basket)
        return sheet
    }

    /// Returns the state of a basket's payment, for an app that was ended while it paid.
    /// - Throws: an error whose `moneyMoved` is `unknown` if the counter did not say; ask again, and do not pay again.
    public func outcome(of basket: String) async throws(CounterApplePayError) -> CounterSheetOutcome {
        guard let outcome = CounterSheetOutcome(try await caller.status(basket)) else { throw .unreadable }
        return outcome
    }

    /// Stores the customer's note and time with the basket, and returns the counter's version of it.
    /// - Throws: ``CounterApplePayError/paid(_:)`` and ``CounterApplePayError/pending(_:)`` for a basket whose payment
    ///   was made or may have been made: it must not be paid again.
    public func prepare(
        _ basket: SheetBasket, _ details: CheckoutDetails
    ) async throws(CounterApplePayError) -> PreparedCheckout {
        switch try await outcome(of: basket.id) {
        case .open, .declined: break
        case .pending: throw .pending(basket.id)
        case .placed(let order): throw .paid(order)
        case .closed: throw .closed(basket.id)
        }
        let sheet = try await sheet(of: basket.id)
        if details != CheckoutDetails() {
            try await caller.keep(details, with: basket.id, proof: sheet.proof)
        }
        return PreparedCheckout(basket: sheet.basket, applicationData: sheet.applicationData)
    }

    // MARK: In the sheet

    /// Has the counter apply a selection. If it does not answer, the basket is loaded again, because the selection may
    /// have been applied; until that succeeds the sheet cannot be paid. Neither can it while it shows a shipping method
    /// that the basket does not have.
    public func select(_ selection: SheetSelection, in basket: SheetBasket) async -> SheetRevision? {
        if case .shippingMethod(let identifier) = selection { known[basket.id]?.shownMethod = identifier }
        let revision = await revision(of: basket, by: selection)
        switch selection {
        // The sheet is given a new list, of which the wallet selects the first: the basket's own.
        case .contact, .coupon: known[basket.id]?.shownMethod = revision.basket.shippingMethod?.identifier
        case .shippingMethod, .card: break
        }
        return revision
    }

    /// Returns the counter's answer to a selection, or the basket as it is found without one.
    private func revision(of basket: SheetBasket, by selection: SheetSelection) async -> SheetRevision {
        do throws(CounterApplePayError) {
            guard let known = known[basket.id] else { throw .unreadable }
            let json = try await caller.change(basket.id, selection, proof: known.proof)
            guard let changed = json["basket"].flatMap(SheetBasket.init), changed.id == basket.id,
                changed.currency == basket.currency
            else { throw .unreadable }
            self.known[basket.id]?.isUncertain = false
            var errors = (json["update"]?["errors"]?.arrayValue ?? []).map { SheetError(json: $0) }
            if case .shippingMethod(let identifier) = selection, identifier != changed.shippingMethod?.identifier {
                errors.append(SheetError(.unknown, nil, "This delivery method is not offered."))
            }
            return SheetRevision(basket: changed, errors: errors)
        } catch {
            let errors = [SheetError(.unknown, nil, error.sentenceForCustomers)]
            return SheetRevision(basket: await reloaded(basket, after: error), errors: errors)
        }
    }

    /// Returns the basket as it is at the counter after a selection without an answer.
    private func reloaded(_ basket: SheetBasket, after error: CounterApplePayError) async -> SheetBasket {
        switch error {
        case .notAnswered, .unreadable: break
        case .notFound, .closed, .paid, .pending, .changed, .refused: return basket
        }
        known[basket.id]?.isUncertain = true
        guard let before = known[basket.id], let json = try? await caller.load(basket.id),
            let sheet = CounterSheet(json), sheet.basket.id == basket.id, sheet.basket.currency == basket.currency,
            // Another proof is another basket, which the open sheet does not show.
            sheet.proof.reveal() == before.proof.reveal()
        else { return basket }
        known[basket.id]?.isUncertain = false
        return sheet.basket
    }

    /// Sends the token, and looks the outcome up if there is no answer. Nothing is sent for a basket with another
    /// shipping method than its sheet shows.
    /// - Throws: `unknown` if the outcome is still unknown within ``CounterApplePayLimits/settling``.
    public func place(_ placement: OrderPlacement) async throws(PaymentBackendError) -> PlacedOrder {
        let basket = placement.basket
        let total: Money
        do { total = try basket.total() } catch {
            throw .refused([SheetError(.unknown, nil, "The basket's amount is too large.")])
        }
        guard let known = known[basket.id], !known.isUncertain, let token = JSONValue(ifValid: placement.token.reveal())
        else { throw .refused([SheetError(.unknown, nil, "Your basket could not be checked. Nothing was charged.")]) }
        let order: PlacedOrder
        if known.shows(basket) {
            let request = SheetPayment(basket: basket, token: token, contact: placement.contact, proof: known.proof)
            order = try await self.order(of: request)
        } else {
            order = try await paidElsewhere(basket.id)
        }
        // An amount that was not shown is nobody's consent; the shop sees it at the counter.
        guard order.amount == total else { throw .unknown }
        return order
    }

    /// Returns the order of a basket that another sheet has paid. Asks for no money.
    /// - Throws: `unknown` while another sheet's payment has no outcome; otherwise `refused`.
    private func paidElsewhere(_ basket: String) async throws(PaymentBackendError) -> PlacedOrder {
        let found: CounterSheetOutcome
        do throws(CounterApplePayError) { found = try await outcome(of: basket) } catch {
            throw .refused([CounterApplePay.notChosen])
        }
        switch found {
        case .placed(let order): return order
        case .pending: throw .unknown
        case .open, .declined, .closed: throw .refused([CounterApplePay.notChosen])
        }
    }

    /// Sends a payment until it has an outcome. The counter begins one payment for a basket and takes a token once,
    /// however often it is asked.
    private func order(of request: SheetPayment) async throws(PaymentBackendError) -> PlacedOrder {
        let end = clock.now().adding(limits.settling)
        var mayHaveArrived = false
        while true {
            let left = end.since(clock.now())
            switch await caller.pay(request, mayHaveArrived: mayHaveArrived, within: left) {
            case .placed(let order): return order
            case .refused(let errors): throw .refused(errors)
            case .open: break
            case .unknown:
                mayHaveArrived = true
                if let order = await caller.placed(request, within: max(end.since(clock.now()), limits.lastLook)) {
                    return order
                }
            }
            guard clock.now() < end, await clock.pause(for: limits.pause) else {
                if mayHaveArrived { throw .unknown }
                throw .refused([SheetError(.unknown, nil, "The shop cannot be reached. Nothing was charged.")])
            }
        }
    }

    /// The customer's error for a sheet that shows another shipping method than would be charged.
    private static let notChosen = SheetError(
        .unknown, nil,
        "The shop did not get your choice of delivery. Nothing was charged. Please close this sheet and pay again.")

    private func remember(_ proof: Secret<String>, of basket: String) {
        if known[basket] == nil { loaded.append(basket) }
        known[basket] = Known(proof: proof)
        if loaded.count > limits.baskets { known[loaded.removeFirst()] = nil }
    }
}
