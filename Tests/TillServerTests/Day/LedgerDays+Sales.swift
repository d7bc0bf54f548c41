import TillCore
import TillJournal
import TillTestSupport

extension LedgerDays {
    /// Sells, or has something become of what was sold before.
    func sellOrFollow() async throws {
        switch random.below(20) {
        case 0, 1, 2: try await sell(try order(), .cash)
        case 3, 4: try await sell(try order(), .card)
        case 5, 6: try await sell(try order(), .reader)
        case 7: try await split()
        case 8: try await hold()
        case 9: try await captureOrRelease()
        case 10, 11, 12: try await refund()
        case 13: try await failRefund()
        case 14: try await failCapture()
        case 15: try await dispute()
        case 16, 17: try await decideDispute()
        case 18: try await report()
        default: try await come()
        }
    }

    // MARK: Sales

    private func order() throws -> Order {
        made += 1
        let currency: Currency = random.chance(700) ? .eur : .chf
        let shop = ["", "north/", "south/"][random.below(3)]
        let id = OrderID(rawValue: "\(shop)l-\(made)")
        let total = Money(minorUnits: random.number(1...9_999), currency: currency)
        guard random.chance(500) else { return try Order(id: id, amount: total) }
        return try taxed(id, total)
    }

    /// Returns an order whose shop names its taxes, at times not all of them, or with a gift card.
    private func taxed(_ id: OrderID, _ total: Money) throws -> Order {
        func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: total.currency) }
        let gift = random.chance(200) ? random.number(1...500) : 0
        let taxes = [random.number(0...total.minorUnits / 3), random.number(0...total.minorUnits / 4)]
        let unnamed = random.chance(200) ? random.number(0...total.minorUnits / 5) : 0
        let tax = taxes[0] + taxes[1] + unnamed
        let price = money(total.minorUnits + gift - tax)
        return try Order(
            id: id, number: id.rawValue,
            lines: [OrderLine(name: "Tea", quantity: "1", subtotal: price, total: price, tax: money(tax))],
            giftCards: gift > 0 ? [OrderGiftCard(lastFour: "0001", amount: money(gift))] : [],
            taxes: [
                OrderTax(label: "VAT 19%", total: money(taxes[0])), OrderTax(label: "VAT 7%", total: money(taxes[1])),
            ],
            total: total)
    }

    /// A card as a provider reports it: with its network, with its brand alone, or not at all.
    private func card() -> CardSummary? {
        switch random.below(4) {
        case 0: nil
        case 1: CardSummary(brand: "visa", lastFour: "4242")
        case 2: CardSummary(brand: "mastercard", lastFour: "4444", network: "girocard")
        default: CardSummary(brand: "unknown", lastFour: "0000")
        }
    }

    private func provider(of tender: TenderKind) -> ProviderName {
        if tender == .cash { return .cash }
        if random.chance(250) { return .sandbox }
        return ProviderName(rawValue: tender == .reader ? "stripe-terminal" : "stripe")
    }

    /// Makes a payment with an attempt, at times after one that was declined, and adds what follows.
    private func pay(
        _ order: Order, _ tender: TenderSummary, then events: (AttemptID, CaptureID) -> [PaymentEvent]
    ) async throws -> (payment: PaymentID, attempt: AttemptID) {
        made += 1
        let id = PaymentID.make(at: world.clock.now(), random: (made, made))
        var all: [PaymentEvent] = [
            .created(.init(payment: id, account: .main, order: order, captureMode: .manual))
        ]
        var attempt = AttemptID(rawValue: "\(id)-a1")
        if random.chance(150) {
            let card = TenderSummary(kind: .card)
            all += [
                .attemptStarted(
                    .init(
                        attempt: attempt, provider: ProviderName(rawValue: "stripe"), tender: card,
                        amount: order.total)),
                .attemptDeclined(attempt, Decline(reason: .insufficientFunds, code: "51")),
            ]
            attempt = AttemptID(rawValue: "\(id)-a2")
        }
        let provider = provider(of: tender.kind)
        let isBound = provider.rawValue.hasPrefix("stripe") && random.chance(700)
        all.append(
            .attemptStarted(
                .init(
                    attempt: attempt, provider: provider, tender: tender, amount: order.total,
                    identity: isBound ? ProviderIdentity(account: "acct_1", mode: .live) : nil)))
        all += events(attempt, CaptureID(rawValue: "\(id)-c1"))
        try await world.append(all, to: id)
        return (payment: id, attempt: attempt)
    }

    private func approval(_ amount: Money, tip: Int64 = 0, isCaptured: Bool = false) -> Authorization {
        Authorization(
            reference: ProviderReference(rawValue: "pi_\(made)"), amount: amount, isCaptured: isCaptured,
            tip: tip > 0 ? Money(minorUnits: tip, currency: amount.currency) : nil)
    }

    private func sell(_ order: Order, _ tender: TenderKind) async throws {
        let (currency, price) = (order.total.currency, order.total.minorUnits)
        let tip = tender == .reader && random.chance(600) ? random.number(1...900) : 0
        let taken = Money(minorUnits: price + tip, currency: currency)
        let isSingle = tender != .cash && random.chance(500)
        var summary = TenderSummary(kind: tender, card: tender == .cash ? nil : card())
        // The drawer keeps the price; the rest of what was handed over is change.
        if tender == .cash {
            summary.tendered = Money(minorUnits: (price / 500 + 1) * 500, currency: currency)
        }
        let (place, before) = (tender == .cash ? drawn() : nil, try await world.till.lastSequence())
        let tendered = summary
        let paid = try await Attribution.at(place) {
            try await pay(order, tendered) { attempt, capture in
                var events: [PaymentEvent] = [
                    .authorized(attempt, approval(taken, tip: tip, isCaptured: isSingle))
                ]
                if !isSingle {
                    events += [.captureStarted(capture, attempt, taken, isFinal: true), .captured(capture, nil)]
                }
                return events
            }
        }
        if tender == .cash { try await moved(price, currency, in: place ?? .main, after: before) }
        sales.append(Sale(id: paid.payment, currency: currency, tender: tender, drawer: place))
        if random.chance(100) { try await world.sell(price, .cash, in: currency, of: LedgerDays.other) }
    }

    /// Sells one order in parts, each by a tender of its own.
    private func split() async throws {
        let whole = try order()
        let total = whole.total.minorUnits
        guard total >= 3 else { return }
        let first = random.number(1...total - 2)
        let second = random.number(1...total - first - 1)
        let tenders: [TenderKind] = [.cash, .card, .reader]
        for (index, units) in [first, second, total - first - second].enumerated() {
            let amount = Money(minorUnits: units, currency: whole.total.currency)
            try await sell(try whole.part(index + 1, of: amount), tenders[index])
        }
    }

    /// Holds money, at times with a tip, and captures a part of it, or voids it.
    private func hold() async throws {
        let order = try order()
        let (currency, price) = (order.total.currency, order.total.minorUnits)
        let tip = random.chance(400) ? random.number(1...900) : 0
        let held = Money(minorUnits: price + tip, currency: currency)
        let isVoided = random.chance(200)
        let part = isVoided ? 0 : random.number(1...held.minorUnits)
        let paid = try await pay(order, TenderSummary(kind: .card, card: card())) { attempt, capture in
            let authorized = PaymentEvent.authorized(attempt, approval(held, tip: tip))
            if isVoided {
                return [authorized, .voidStarted(attempt, reason: .canceled("no longer wanted")), .voided(attempt)]
            }
            let amount = Money(minorUnits: part, currency: currency)
            return [
                authorized, .captureStarted(capture, attempt, amount, isFinal: part == held.minorUnits),
                .captured(capture, nil),
            ]
        }
        guard !isVoided else { return }
        sales.append(Sale(id: paid.payment, currency: currency, tender: .card))
        guard part < held.minorUnits else { return }
        holds.append((payment: paid.payment, attempt: paid.attempt, left: held.minorUnits - part))
    }

    /// Captures the rest of a hold, or a part of it and releases what is left.
    private func captureOrRelease() async throws {
        guard !holds.isEmpty else { return }
        let hold = holds.remove(at: random.below(holds.count))
        guard let payment = try await world.till.payment(hold.payment) else { return }
        let units = random.number(0...hold.left)
        var events: [PaymentEvent] = []
        if units > 0 {
            let capture = CaptureID(rawValue: "\(payment.id)-c\(payment.captures.count + 1)")
            let amount = Money(minorUnits: units, currency: payment.currency)
            events += [
                .captureStarted(capture, hold.attempt, amount, isFinal: units == hold.left), .captured(capture, nil),
            ]
        }
        if units < hold.left {
            events += [.voidStarted(hold.attempt, reason: .canceled("rest")), .voided(hold.attempt)]
        }
        try await world.append(events, to: payment.id)
    }

    // MARK: After the sale

    /// Returns one of the sales with its payment as it is now; `nil` if there is none that fits.
    private func sold(where fits: (Sale) -> Bool) async throws -> (sale: Sale, payment: Payment)? {
        let fitting = sales.filter(fits)
        guard !fitting.isEmpty else { return nil }
        let sale = fitting[random.below(fitting.count)]
        guard let payment = try await world.till.payment(sale.id) else { return nil }
        return (sale: sale, payment: payment)
    }

    /// Gives back a part or all that is left, at once or later.
    private func refund() async throws {
        guard let (sale, payment) = try await sold(where: { _ in true }),
            let attempt = payment.captures.first?.attempt, payment.refundable.isPositive
        else { return }
        let left = payment.refundable.minorUnits
        let amount = Money(minorUnits: random.chance(300) ? left : random.number(1...left), currency: sale.currency)
        let place = sale.tender == .cash ? drawn() : nil
        // Where nobody names a drawer, the cash comes out of that of the sale.
        let source = place ?? sale.drawer ?? .main
        if sale.tender == .cash {
            guard cash[source]?[sale.currency] ?? 0 > amount.minorUnits + LedgerDays.reserve else { return }
        }
        let before = try await world.till.lastSequence()
        let refund = RefundID(rawValue: "\(payment.id)-r\(payment.refunds.count + 1)")
        if let index = sales.firstIndex(where: { $0.id == sale.id }) { sales[index].isRefunded = true }
        let reason = [nil, "Wrong size", "Broken"][random.below(3)]
        try await Attribution.at(place) {
            try await world.append([.refundStarted(refund, attempt, amount, reason: reason)], to: payment.id)
        }
        if sale.tender != .cash, random.chance(300) {
            waiting.append((payment: payment.id, event: .refunded(refund, nil)))
        } else {
            try await world.append([.refunded(refund, nil)], to: payment.id)
        }
        guard sale.tender == .cash else { return }
        try await moved(0 - amount.minorUnits, sale.currency, in: source, after: before)
    }

    /// Has a refund fail that had succeeded. What is then owed to the customer is written off at times.
    private func failRefund() async throws {
        guard let (_, payment) = try await sold(where: { $0.tender != .cash && $0.isRefunded }),
            let refund = payment.refunds.last(where: { $0.state.isSucceeded && $0.origin != .elsewhere })
        else { return }
        try await world.append(
            [
                .refundReversed(refund.id, Decline(reason: .generic)),
                .attentionRequired(.refund(refund.id), .refundReversed(refund.amount)),
            ], to: payment.id)
        guard random.chance(600) else { return }
        let resolution = AttentionResolution(kind: .writtenOff, evidence: "slip \(made)", actor: "Ada")
        let closing = PaymentEvent.attentionClosed(payment.attentionItems.count + 1, resolution)
        if random.chance(500) { return waiting.append((payment: payment.id, event: closing)) }
        try await world.append([closing], to: payment.id)
    }

    /// Has a capture fail that had succeeded, or come back.
    private func failCapture() async throws {
        if !reversed.isEmpty, random.chance(500) {
            let back = reversed.remove(at: random.below(reversed.count))
            return try await world.append([.captureRestored(back.capture)], to: back.payment)
        }
        guard let (_, payment) = try await sold(where: { $0.tender != .cash }),
            let capture = payment.captures.last(where: { $0.state.isSucceeded && $0.origin != .elsewhere })
        else { return }
        try await world.append(
            [
                .captureReversed(capture.id, Decline(reason: .generic)),
                .attentionRequired(.capture(capture.id), .captureReversed(capture.amount)),
            ], to: payment.id)
        reversed.append((payment: payment.id, capture: capture.id))
    }

    /// Opens a dispute over a part or all that the shop has, at times in the other currency.
    private func dispute() async throws {
        guard let (sale, payment) = try await sold(where: { $0.tender != .cash }), payment.net.isPositive,
            let attempt = payment.captures.first?.attempt
        else { return }
        made += 1
        let foreign: Currency = sale.currency == .eur ? .chf : .eur
        let amount = Money(
            minorUnits: random.number(1...payment.net.minorUnits),
            currency: random.chance(100) ? foreign : sale.currency)
        let facts = Dispute.Facts(
            reference: ProviderReference(rawValue: "dp_\(made)"), reason: "fraudulent", stage: "needs_response",
            amount: amount)
        try await world.append(
            [.disputeOpened(attempt, facts), .disputeFundsWithdrawn(facts.reference, amount)], to: payment.id)
        disputes.append(OpenDispute(payment: payment.id, facts: facts, withdrawn: amount.minorUnits))
    }

    /// Wins a dispute, loses it, gets a part back, or has one begin anew.
    private func decideDispute() async throws {
        guard !disputes.isEmpty else { return }
        let index = random.below(disputes.count)
        let dispute = disputes[index]
        let reference = dispute.facts.reference
        func back(_ units: Int64) -> PaymentEvent {
            .disputeFundsReinstated(reference, Money(minorUnits: units, currency: dispute.facts.amount.currency))
        }
        var events: [PaymentEvent] = []
        switch random.below(4) {
        case 0:
            disputes.remove(at: index)
            events = [back(dispute.withdrawn), .disputeClosed(reference, .won)]
        case 1: events = [.disputeClosed(reference, .lost)]
        case 2:
            guard dispute.withdrawn > 1 else { return }
            let units = random.number(1...dispute.withdrawn - 1)
            disputes[index].withdrawn -= units
            events = [back(units)]
        default: events = [.disputeUpdated(dispute.facts)]
        }
        try await world.append(events, to: dispute.payment)
    }

    /// Learns of money that moved outside, or of an attempt's account.
    private func report() async throws {
        guard let (sale, payment) = try await sold(where: { _ in true }),
            let attempt = payment.captures.first?.attempt
        else { return }
        made += 1
        let reference = ProviderReference(rawValue: "out_\(made)")
        let isElsewhere = sale.tender == .cash || random.chance(500)
        let origin: OperationOrigin = isElsewhere ? .elsewhere : .provider(reference)
        var event = PaymentEvent.attemptBound(attempt, ProviderIdentity(account: "acct_2", mode: .live))
        switch random.below(3) {
        case 0:
            let amount = Money(minorUnits: random.number(1...5_000), currency: sale.currency)
            let capture = CaptureID(rawValue: "\(payment.id)-c\(payment.captures.count + 1)")
            event = .captureReported(capture, attempt, amount, origin)
        case 1:
            guard payment.refundable.isPositive else { return }
            let amount = Money(
                minorUnits: random.number(1...payment.refundable.minorUnits), currency: sale.currency)
            let refund = RefundID(rawValue: "\(payment.id)-r\(payment.refunds.count + 1)")
            event = .refundReported(refund, attempt, amount, origin)
        default: guard sale.tender != .cash else { return }
        }
        try await world.append([event], to: payment.id)
    }

    /// Has something come that was expected later.
    private func come() async throws {
        guard !waiting.isEmpty else { return }
        let next = waiting.remove(at: random.below(waiting.count))
        try await world.append([next.event], to: next.payment)
    }
}
