import Synchronization
import TillCheckout
import TillCore
import TillSandbox
import TillStandInStripe
import TillStripe

extension SimulatedWorld {
    private static let good = "4242424242424242"

    /// Sells one order: on one tablet, or on two at the same time.
    func sell(_ index: Int) async {
        await pause(0...horizon.milliseconds)
        let reader = chance(60) ? aReader() : nil
        let isInterac = chance(reader == nil ? 80 : 300)
        guard let currency = try? Currency(code: isInterac ? "CAD" : "EUR"),
            let order = try? Order(
                id: OrderID(rawValue: "o-\(index)"), amount: Money(minorUnits: number(50...20_000), currency: currency))
        else { return }
        let tablets = chance(60) ? 2 : 1
        if tablets == 2 { count("same order on two tablets") }
        let bill = Bill(order: order, isInterac: isInterac, reader: reader)
        if restoresBackups { state.withLock { $0.bills[order.id] = bill } }
        for _ in 0..<tablets { spawn { [self] in await tablet(bill) } }
        guard let reader = bill.reader, chance(150) else { return }
        count("two counters at one reader")
        spawn { [self] in
            await pause(0...8_000)
            guard let other = try? Order(id: OrderID(rawValue: "o-\(index)b"), amount: order.total) else { return }
            let bill = Bill(order: other, isInterac: isInterac, reader: reader)
            if restoresBackups { state.withLock { $0.bills[other.id] = bill } }
            await tablet(bill)
        }
    }

    /// Sells an order once more, in the same place or online.
    func sell(_ order: OrderID) async {
        guard var bill = state.withLock({ $0.bills[order] }) else { return }
        if !bill.isInterac, pastChance(300) { bill.reader = nil }
        await tablet(bill)
    }

    /// An order to be paid, and the method of payment.
    struct Bill {
        var order: Order
        var isInterac: Bool
        /// The reader; `nil` if the card goes straight to the provider.
        var reader: String?
    }

    private func aReader() -> String? {
        let ids = readers.ids
        return ids.isEmpty ? nil : ids[Int(number(0...Int64(ids.count - 1)))]
    }

    private func tablet(_ bill: Bill) async {
        let order = bill.order
        let mode: CaptureMode = chance(250) ? .manual : .automatic
        guard let id = await create(order, mode) else { return }
        if chance(60) {
            count("cancel racing")
            spawn { [self] in
                await pause(0...2000)
                _ = try? await engine().cancel(id, account: .main)
            }
        }
        for _ in 0..<3 {
            let paid =
                if let reader = bill.reader { await pay(id, bill, at: reader) } else {
                    await pay(id, brand: bill.isInterac ? "interac" : "visa")
                }
            guard let status = paid else { return }
            switch status {
            case .declined, .requiresPaymentMethod:
                if chance(300) {
                    _ = try? await engine().cancel(id, account: .main)
                    return
                }
            case .requiresCapture, .partiallyCaptured:
                if let honorPeriod, chance(400) { await keep(id, honorPeriod) }
                return await take(id)
            case .succeeded:
                spawn { [self] in await afterSale(id) }
                return await giveBack(id, bill)
            default: return
            }
        }
    }

    private func create(_ order: Order, _ mode: CaptureMode) async -> PaymentID? {
        var mine: Set<PaymentID> = []
        for _ in 0..<30 {
            let engine = await engine()
            let draft = engine.draft(account: .main, order: order, captureMode: mode)
            mine.insert(draft.payment.id)
            let epoch = epoch
            do throws(CheckoutError) {
                let payment = try await engine.create(draft)
                // It is in the journal that was lost meanwhile.
                guard self.epoch == epoch else { return nil }
                state.withLock { $0.created[payment.id] = order.id }
                return payment.id
            } catch {
                switch error {
                case .orderOccupied(_, let id, _): return mine.contains(id) ? id : nil
                case .restoring, .orderHeld:
                    count(error.code == "restoring" ? "refused while restoring" : "refused: order held")
                    await lapse(30_000...1_800_000)
                default: await pause(1000...3000)
                }
            }
        }
        return nil
    }

    /// Requests the payment and waits for its outcome.
    private func pay(_ id: PaymentID, brand: String) async -> PaymentStatus? {
        let dice = number(0...999)
        let card = dice < 120 ? "4000000000009995" : dice < 200 ? "4000002760003184" : SimulatedWorld.good
        let tender = Tender.cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:\(card):\(brand):contact_emv"), card: nil))
        do throws(CheckoutError) {
            acknowledge(try await engine().confirm(id, account: .main, provider: .sandbox, tender: tender))
        } catch {}
        return await outcome(of: id)
    }

    /// Requests the payment at a reader with a customer in front of it, under random faults.
    private func pay(_ id: PaymentID, _ bill: Bill, at reader: String) async -> PaymentStatus? {
        trouble(at: reader)
        stand(at: reader, with: card(of: bill))
        let tender = Tender.cardPresent(CardPresentPayload(reader: "r", sealed: Secret(reader), card: nil))
        do throws(CheckoutError) {
            acknowledge(
                try await engine().confirm(id, account: .main, provider: StripeTerminalProvider.name, tender: tender))
        } catch {}
        return await outcome(of: id)
    }

    private func card(of bill: Bill) -> TerminalTestCard {
        if bill.isInterac { return TerminalTestCard(named: "interac") ?? TerminalTestCard() }
        return TerminalTestCard(named: chance(150) ? "declined:insufficient_funds" : "visa") ?? TerminalTestCard()
    }

    private func outcome(of id: PaymentID) async -> PaymentStatus? {
        for _ in 0..<40 {
            if let payment = try? await engine().payment(id, account: .main) {
                switch payment.status {
                case .processing: break
                case .unknown:
                    if payment.hasOtherCurrency, hostileChance(300) {
                        acknowledge(try? await engine().cancel(id, account: .main))
                    }
                case .requiresAction:
                    if laterChance(500) { try? await engine().queryWhileWatched(id) }
                    if let reference = payment.currentAttempt?.reference, chance(300) {
                        let succeeds = chance(700)
                        _ = try? await ledger(of: reference)?.completeAction(reference, succeeds: succeeds)
                        if let attempt = payment.currentAttempt {
                            sendWebhook(
                                about: AttemptContext(
                                    account: .main, order: payment.order.id, payment: id, attempt: attempt.id,
                                    startedAt: attempt.startedAt, reference: reference))
                        }
                    }
                default: return payment.status
                }
            }
            await pause(2000...20_000)
        }
        return nil
    }

    private func take(_ id: PaymentID) async {
        await captureInDashboard(id)
        await pause(0...600_000)
        guard let payment = try? await engine().payment(id, account: .main) else { return }
        switch number(0...9) {
        case 0...4: acknowledge(try? await engine().capture(id, account: .main))
        case 5...7:
            if laterChance(300) { return await takePart(id, of: payment) }
            let part = Money(minorUnits: max(1, payment.amount.minorUnits / 3), currency: payment.currency)
            acknowledge(try? await engine().capture(id, account: .main, amount: part, isFinal: false))
            for _ in 0..<2 {
                spawn { [self] in acknowledge(try? await engine().capture(id, account: .main, amount: part)) }
            }
        case 8: acknowledge(try? await engine().cancel(id, account: .main))
        default: return
        }
        guard await outcome(of: id) == .succeeded else { return }
        spawn { [self] in await afterSale(id) }
        await giveBack(id, nil)
    }

    /// Captures part of a hold and releases the rest, sometimes racing a further capture or a refund.
    private func takePart(_ id: PaymentID, of payment: Payment) async {
        let part = Money(minorUnits: max(1, payment.amount.minorUnits / 3), currency: payment.currency)
        acknowledge(try? await engine().capture(id, account: .main, amount: part, isFinal: false))
        if laterChance(300) {
            count("capture racing the release of the rest")
            spawn { [self] in acknowledge(try? await engine().capture(id, account: .main)) }
        }
        if laterChance(300) { spawn { [self] in acknowledge(try? await engine().refund(id, account: .main)) } }
        count("rest of a hold released")
        acknowledge(try? await engine().cancel(id, account: .main))
    }

    private func giveBack(_ id: PaymentID, _ bill: Bill?) async {
        guard chance(400) else { return }
        await pause(0...900_000)
        guard let payment = try? await engine().payment(id, account: .main) else { return }
        let most = Money(minorUnits: max(1, payment.captured.minorUnits * 6 / 10), currency: payment.currency)
        if let bill, bill.isInterac, let reader = bill.reader {
            count("refund at a reader")
            for process in state.withLock({ $0.processes }) { process.feed.useReader(reader, forRefundOf: id) }
            trouble(at: reader)
            stand(at: reader, with: card(of: bill))
        }
        switch number(0...9) {
        case 0...2: acknowledge(try? await engine().refund(id, account: .main))
        case 3 where payment.currency == SimulatedWorld.pendingRefund.currency:
            count("refund stays pending")
            acknowledge(try? await engine().refund(id, account: .main, amount: SimulatedWorld.pendingRefund))
            spawn { [self] in await decideRefund(of: payment) }
        case 3...6: acknowledge(try? await engine().refund(id, account: .main, amount: most))
        default:
            count("two refunds at once")
            for _ in 0..<2 {
                spawn { [self] in acknowledge(try? await engine().refund(id, account: .main, amount: most)) }
            }
        }
    }

    /// Settles or fails a pending refund, hours or days later.
    private func decideRefund(of payment: Payment) async {
        await pause(3_600_000...200_000_000)
        guard let attempt = payment.currentAttempt, let reference = attempt.reference else { return }
        try? await ledger(of: reference)?.settleRefunds(of: reference, succeed: chance(700))
        sendWebhook(
            about: AttemptContext(
                account: .main, order: payment.order.id, payment: payment.id, attempt: attempt.id,
                startedAt: attempt.startedAt, reference: reference))
    }

    /// Records the amounts shown at the counter, which are binding.
    func acknowledge(_ payment: Payment?) {
        guard let payment else { return }
        state.withLock { state in
            let before = state.acknowledged[payment.id] ?? (0, 0)
            state.acknowledged[payment.id] = (
                max(before.captured, payment.captured.minorUnits), max(before.refunded, payment.refunded.minorUnits)
            )
        }
    }
}

extension Payment {
    /// `true` if the provider has authorized an amount in another currency, which staff must void.
    var hasOtherCurrency: Bool {
        attention.contains { if case .wrongCurrency = $0 { true } else { false } }
    }
}
