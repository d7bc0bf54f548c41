import Synchronization
import TillApplePay
package import TillCheckout
package import TillCore
import TillJournal
import TillWeb

/// Turns an authorized sheet into a paid order: verifies the token and binds it to the basket, checks contact and
/// address again, and runs the payment through the regular engine.
///
/// A basket has one payment at a time. The claim is recorded before the token is examined, the payment's identifier
/// before the authorization is requested, and the answer before it is sent. A lost sheet, a repeated request and a
/// crash therefore all lead back to the same payment.
package struct ApplePayCheckout: Sendable {
    package let live: LiveApplePayOptions
    let verifier: PaymentTokenVerifier
    let baskets: ApplePayBaskets
    let customers: CustomerAccounts
    let replay: any ReplayStore
    package let checkout: Checkout
    /// The account of the sales, which is the counter's own.
    package let account: AccountID
    package let provider: ProviderName
    package let clock: any TillClock
    package let metrics: ApplePayMetrics
    /// The shops' own prices; `nil` if this counter asks no shop.
    var quotes: ShopQuotes?
    /// The baskets in progress in this process.
    let atWork = BasketsAtWork()
    let refusals = HandoverRefusals()

    private var options: ApplePayOptions { live.current }

    /// The reason that the sheet cannot be paid, in the sheet's terms. No charge was made.
    struct Refusal: Error {
        package var errors: [SheetError]
        package var code: String
        package var next: String

        /// The refusal of a repeated request whose payment, or another one of the basket, was refused.
        static let earlierRefused = Refusal(
            errors: [SheetError(.unknown, nil, "The payment did not go through. Please try again.")],
            code: "earlier_refused", next: "Open a new sheet.")

        /// The refusal of a sheet that shows another basket than the present one.
        static let basketChanged = Refusal(
            errors: [SheetError(.unknown, nil, "Your basket changed. Please check it and pay again.")],
            code: "basket_changed", next: "Load the basket again and open a new sheet.")
    }

    struct Authorized: Sendable {
        var basketID: String
        package var version: Int
        package var merchant: MerchantIDHash
        package var token: JSONValue
        var shipping: WalletContact
        var billing: WalletContact?
        /// The total that the sheet showed; `nil` if the page or the app did not say.
        var shown: Money?
    }

    /// Pays an authorized sheet and returns its answer. Returns within the payment budget; a payment that takes longer
    /// continues and is reported as pending.
    func pay(_ sheet: Authorized) async throws -> JSONValue {
        let unverified: UnverifiedPaymentToken
        do throws(PaymentTokenError) { unverified = try UnverifiedPaymentToken(document: sheet.token) } catch {
            metrics.token(error.code)
            throw error
        }
        let id = sheet.basketID
        atWork.add(id)
        let admission: ApplePayBaskets.Admission
        do {
            admission = try await baskets.begin(id, version: sheet.version, transaction: unverified.transactionID)
        } catch {
            atWork.remove(id)
            throw error
        }
        guard case .begin(let entry) = admission else {
            atWork.remove(id)
            return try await repeated(admission, id, unverified.transactionID.description)
        }
        // Not a task group: that would wait for the payment even after the budget has elapsed.
        let (outcomes, outcome) = AsyncStream<Result<JSONValue, any Error>>.makeStream()
        Task {
            let result = await run(sheet, unverified, entry)
            atWork.remove(id)
            outcome.yield(result)
            outcome.finish()
        }
        let budget = Task {
            guard await clock.pause(for: options.paymentBudget) else { return }
            outcome.finish()
        }
        defer { budget.cancel() }
        for await result in outcomes { return withToken(try result.get(), id) }
        metrics.payment("pending")
        return pending(id)
    }

    /// Answers a repeated request. The basket has one payment: a repetition, with this token or another, gets its
    /// status.
    private func repeated(
        _ admission: ApplePayBaskets.Admission, _ id: String, _ transaction: String
    ) async throws -> JSONValue {
        switch admission {
        case .missing: throw Problem.notFound
        case .taken(let entry) where isWorked(on: entry): return try await settled(id)
        case .taken(let entry):
            let answer = try await status(id, showsToken: true)
            // The decline of another token is no answer to this one.
            guard SheetAnswerStatus(of: answer) != .declined || entry.attempt?.transaction == transaction else {
                throw Refusal.earlierRefused
            }
            return answer
        case .closed:
            throw Refusal(
                errors: [SheetError(.unknown, nil, "This basket is closed. Nothing was charged.")],
                code: Problem.basketClosed.code, next: Problem.basketClosed.next)
        case .refused:
            throw Refusal(
                errors: [SheetError(.unknown, nil, "This payment was refused. Please authorize another one.")],
                code: "token_refused", next: "Open a new sheet.")
        case .begin, .changed: throw Refusal.basketChanged
        }
    }

    /// Returns `true` if a live process is working on the basket.
    private func isWorked(on entry: ApplePayBaskets.Entry) -> Bool {
        guard let attempt = entry.attempt, attempt.answer == nil else { return false }
        if atWork.contains(entry.basket.id) { return true }
        return entry.holder == .anotherProcess
    }

    /// Returns the current status of a basket's payment. An unknown outcome, or one left by a crashed process, is
    /// resolved from the journal.
    /// - Parameter showsToken: `true` if the caller has presented the basket's proof.
    package func status(_ id: String, showsToken: Bool) async throws -> JSONValue {
        guard let entry = try await baskets.entry(id) else { throw Problem.notFound }
        guard let attempt = entry.attempt else {
            let status: SheetAnswerStatus = entry.isOpen(at: clock.now()) ? .open : .closed
            return .object([status.member, JSONMember(key: "moneyMoved", value: .string("no"))])
        }
        if isWorked(on: entry) { return pending(id) }
        if let answer = entry.answer, SheetAnswerStatus(of: answer) != .pending {
            return showsToken ? withToken(answer, id) : answer
        }
        let answer = try await resolved(entry, attempt)
        return showsToken ? withToken(answer, id) : answer
    }

    /// Resolves an abandoned payment from the journal. Requests no money.
    private func resolved(
        _ entry: ApplePayBaskets.Entry, _ attempt: WalletAttempt
    ) async throws -> JSONValue {
        let id = entry.basket.id
        guard let payment = try await payment(of: attempt, order: entry.order),
            payment.status != .requiresPaymentMethod
        else {
            // No authorization was requested: the basket can be paid again, and that attempt reuses the order's
            // payment.
            try await baskets.end(id, transaction: attempt.transaction, answer: nil)
            return try await status(id, showsToken: false)
        }
        let (newer, isFree) = await answer(payment, entry, contact: attempt.fullContact)
        guard SheetAnswerStatus(of: newer) != .pending else { return newer }
        await finish(id, attempt.transaction, newer, isFree: isFree)
        // No process holds the basket of a dead one: an erasure may have come between the contact and its account.
        if attempt.contact != nil, let guest = newer["guestAccount"]?.stringValue {
            let contacts = WalletContacts(baskets.journal, pepper: nil, clock: clock)
            try? await contacts.eraseGuest(guest, of: id, account: account)
        }
        if isFree { await close(payment) }
        return newer
    }

    /// Returns the payment of an attempt; without a recorded one it is the order's. `nil` if it was paid by another
    /// tender meanwhile: the sheet's card was not charged then.
    private func payment(of attempt: WalletAttempt, order: OrderID) async throws -> Payment? {
        let found: Payment?
        if let number = attempt.payment {
            found = try await checkout.payment(number, account: account)
        } else {
            found = try await baskets.journal.livePayment(account: account, order: order)
        }
        guard let payment = found, payment.tender.map({ $0.kind == .wallet }) ?? true else { return nil }
        return payment
    }

    /// Waits, within the budget, for a payment that another request began.
    private func settled(_ basket: String) async throws -> JSONValue {
        let end = clock.now().adding(options.paymentBudget)
        while clock.now() < end {
            guard let entry = try await baskets.entry(basket), entry.attempt != nil else {
                throw Refusal.earlierRefused
            }
            if !isWorked(on: entry) { return try await status(basket, showsToken: true) }
            try await clock.sleep(for: .milliseconds(100))
        }
        return pending(basket)
    }

    /// Runs the whole payment; records the answer before returning it.
    private func run(
        _ sheet: Authorized, _ token: UnverifiedPaymentToken, _ entry: ApplePayBaskets.Entry
    ) async -> Result<JSONValue, any Error> {
        let transaction = token.transactionID.description
        WalletFailpoint.afterBasketIsTaken.reached()
        do {
            let contact = try check(sheet, entry)
            let priced = try await confirmed(entry, transaction, contact)
            try bind(sheet, to: priced)
            let tender = try await accept(sheet, token, priced)
            WalletFailpoint.afterTokenIsAccepted.reached()
            let (answer, isFree) = try await charge(tender, transaction, priced, contact)
            WalletFailpoint.beforeAnswerIsWritten.reached()
            await finish(entry.basket.id, transaction, answer, isFree: isFree)
            WalletFailpoint.afterAnswerIsWritten.reached()
            return .success(answer)
        } catch {
            // Everything thrown before the charge moved no money; the charge itself returns an answer even for an
            // unknown outcome.
            await finish(entry.basket.id, transaction, .null, isFree: true)
            return .failure(error)
        }
    }

    /// Records the answer. A failed write loses nothing: the payment is in the journal and is resolved from there.
    private func finish(_ id: String, _ transaction: String, _ answer: JSONValue, isFree: Bool) async {
        try? await baskets.end(
            id, transaction: transaction, answer: isFree ? nil : answer.bytes(), refuses: isFree)
    }

    /// Cancels a payment without a hold, so that the order can be paid with another card. If that fails, the order
    /// stays occupied and the metrics count it.
    private func close(_ payment: Payment) async {
        do throws(CheckoutError) {
            _ = try await checkout.cancel(payment.id, account: account, reason: "sheet_declined")
        } catch { metrics.payment("not_closed") }
    }

    private func check(_ sheet: Authorized, _ entry: ApplePayBaskets.Entry) throws -> FullContact {
        let contact: FullContact
        do {
            let service = entry.basket.service
            let customer = WalletContact.customer(shipping: sheet.shipping, billing: sheet.billing, service: service)
            contact = try FullContact(customer, needsAddress: service == .delivery)
        } catch {
            throw Refusal(errors: error.errors, code: "contact_incomplete", next: "Complete the contact.")
        }
        guard let address = contact.address else { return contact }
        let answer = entry.delivers(to: address.postalCode, country: address.countryCode, otherwise: options)
        if let error = answer.refusal(of: address.postalCode, isComplete: true) {
            throw Refusal(
                errors: [error], code: answer == .unknownPlace ? "place_unknown" : "address_unserviceable",
                next: "Choose another address.")
        }
        return contact
    }

    /// Verifies a token, binds it to the basket, and converts it to a tender for the provider.
    private func accept(
        _ sheet: Authorized, _ token: UnverifiedPaymentToken, _ entry: ApplePayBaskets.Entry
    ) async throws -> Tender {
        do {
            let verified = try await verifier.verify(token, at: clock.now())
            guard !ApplePayBaskets.isEarlier(applicationDataHash: verified.applicationDataHash, of: entry) else {
                throw Refusal.basketChanged
            }
            let order = "\(entry.basket.id):\(entry.basket.version)"
            let bound = ApplePayBaskets.applicationData(entry)
            let sealed = try UnverifiedPaymentToken.sealed(in: sheet.token)
            let payment: WalletPayment
            switch options.opening {
            case .here:
                let expectation = PaymentTokenExpectation(
                    amount: try entry.basket.total(), merchant: sheet.merchant, applicationData: bound, order: order)
                let accepted = try await verified.decrypt(with: options.keys).accept(for: expectation, replay: replay)
                payment = try WalletPayment(accepted, sealed: sealed)
            case .provider:
                let accepted = try await verified.acceptSealed(for: order, applicationData: bound, replay: replay)
                payment = WalletPayment(accepted, sealed: sealed)
            }
            metrics.token("accepted")
            return .wallet(payment)
        } catch let error as PaymentTokenError {
            metrics.token(error.code)
            throw error
        }
    }

    private func charge(
        _ tender: Tender, _ transaction: String, _ entry: ApplePayBaskets.Entry, _ contact: FullContact
    ) async throws -> (JSONValue, isFree: Bool) {
        let id = entry.basket.id
        let order = try ApplePayCheckout.order(of: entry.basket, on: entry.terms)
        let payment: Payment
        do throws(CheckoutError) {
            let draft = checkout.draft(account: account, order: order, captureMode: .automatic)
            let created = try await checkout.open(draft, whenOccupied: .continueOrReplaceUnpaid).payment
            guard created.status == .requiresPaymentMethod || created.status == .declined else {
                // Of another tender: this card was not charged, and the sheet must not show it as charged.
                guard created.tender?.kind == .wallet else {
                    throw .orderOccupied(order.id, by: created.id, created.status)
                }
                // The order is paid or may be paid: report that payment, and make no other.
                try await note(created, id, transaction, contact)
                return await answer(created, entry, contact: contact)
            }
            guard created.amount == order.total else {
                throw .orderOccupied(order.id, by: created.id, created.status)
            }
            try await note(created, id, transaction, contact)
            payment = try await checkout.confirm(
                created.id, account: account, provider: provider, tender: tender)
        } catch {
            // A request that may have been sent is resolved, not retried.
            guard error.moneyMoved == .no else { return (pending(id), false) }
            throw error
        }
        metrics.payment(payment.status.rawValue)
        refusals.ended(payment, isPaid: ApplePayCheckout.isPaid(payment.status), at: clock.now())
        let (answer, isFree) = await answer(payment, entry, contact: contact)
        if isFree { await close(payment) }
        return (answer, isFree)
    }

    /// Records the basket's payment before the authorization is requested.
    private func note(
        _ payment: Payment, _ basket: String, _ transaction: String, _ contact: FullContact
    ) async throws(CheckoutError) {
        do throws(JournalError) {
            try await baskets.note(
                payment.id, of: basket, transaction: transaction, contact: contact.json.bytes())
        } catch { throw .journal(error) }
        WalletFailpoint.afterPaymentIsNoted.reached()
    }

    // MARK: Answers

    private static func isPaid(_ status: PaymentStatus) -> Bool {
        switch status {
        case .succeeded, .requiresCapture, .partiallyCaptured, .partiallyRefunded, .refunded: true
        case .declined, .requiresPaymentMethod, .canceled, .expired, .captureFailed, .requiresAction, .stored,
            .processing, .unknown:
            false
        }
    }

    /// Returns the sheet's answer for a payment. A guest with a paid order gets a customer account.
    private func answer(
        _ payment: Payment, _ entry: ApplePayBaskets.Entry, contact: FullContact?
    ) async -> (JSONValue, isFree: Bool) {
        switch payment.status {
        case .declined, .requiresPaymentMethod, .canceled, .expired, .captureFailed, .requiresAction:
            let isTaken = HandoverRefusals.refusal(of: payment) == nil
            return (isTaken ? ApplePayCheckout.declined : ApplePayCheckout.notTaken, true)
        case .succeeded, .requiresCapture, .partiallyCaptured, .partiallyRefunded, .refunded:
            var guest: CustomerAccounts.Account?
            if entry.account == nil, let contact {
                guest = await customers.account(of: contact, basket: entry.basket.id)
            }
            return (ApplePayCheckout.placed(payment, guest: guest, customer: entry.account), false)
        case .processing, .stored, .unknown: return (pending(entry.basket.id), false)
        }
    }

    package func pending(_ basket: String) -> JSONValue {
        .object([
            SheetAnswerStatus.pending.member,
            JSONMember(key: "moneyMoved", value: .string("unknown")),
            JSONMember(key: "statusURL", value: .string("/applepay/payment/\(basket)")),
        ])
    }

    private static func placed(
        _ payment: Payment, guest: CustomerAccounts.Account?, customer: String?
    ) -> JSONValue {
        let order = payment.order
        var members = [
            SheetAnswerStatus.placed.member,
            JSONMember(key: "orderId", value: .string(order.id.rawValue)),
            JSONMember(key: "paymentId", value: .string(payment.id.rawValue)),
            JSONMember(key: "moneyMoved", value: .string("yes")),
            JSONMember(key: "amount", value: .string(order.total.decimalString)),
            JSONMember(key: "currency", value: .string(order.currency.code)),
        ]
        if let guest { members.append(JSONMember(key: "guestAccount", value: .string(guest.id))) }
        if let customer { members.append(JSONMember(key: "account", value: .string(customer))) }
        return .object(members)
    }

    /// Adds the token that signs in a new guest. It is never stored, so after a restart the account has to be claimed
    /// again.
    private func withToken(_ answer: JSONValue, _ basket: String) -> JSONValue {
        guard SheetAnswerStatus(of: answer) == .placed, let members = answer.objectValue,
            let token = customers.token(ofBasket: basket)
        else { return answer }
        return .object(members + [JSONMember(key: "guestToken", value: .string(token.reveal()))])
    }

    private static let declined = refused("The card was declined. Please try another one.")
    /// The answer where the provider took no token of this shop: another card would not help.
    private static let notTaken = refused(
        "This shop cannot take Apple Pay now. Nothing was charged. Please pay in another way.")

    private static func refused(_ words: String) -> JSONValue {
        .object([
            SheetAnswerStatus.declined.member,
            JSONMember(key: "moneyMoved", value: .string("no")),
            JSONMember(key: "errors", value: .array([SheetError(.unknown, nil, words).json])),
        ])
    }
}

/// The baskets in progress in this process.
final class BasketsAtWork: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ id: String) { counts.withLock { $0[id, default: 0] += 1 } }

    func remove(_ id: String) {
        counts.withLock { counts in
            let left = (counts[id] ?? 1) - 1
            counts[id] = left > 0 ? left : nil
        }
    }

    func contains(_ id: String) -> Bool { counts.withLock { $0[id] != nil } }
}
