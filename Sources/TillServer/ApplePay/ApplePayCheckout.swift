import TillApplePay
import TillCheckout
import TillCore

/// Turns an authorized sheet into a paid order: the token is verified and bound to the basket, the contact and the
/// address are checked again, and the payment runs through the same engine as every other.
struct ApplePayCheckout: Sendable {
    let live: LiveApplePayOptions
    let verifier: PaymentTokenVerifier
    let baskets: ApplePayBaskets
    let guests: GuestAccounts
    let replay: any ReplayStore
    let checkout: Checkout
    let provider: ProviderName
    let clock: any TillClock
    let figures: ApplePayFigures

    private var options: ApplePayOptions { live.current }

    /// Why the sheet can not be paid, in its own words; nothing was charged.
    struct Refusal: Error {
        var errors: [SheetError]
        var code: String
        var next: String
    }

    struct Authorized: Sendable {
        var basketID: String
        var version: Int
        var merchant: MerchantIDHash
        var token: JSONValue
        var shipping: WalletContact
        var billing: WalletContact?
        var accountID: String?
    }

    /// The sheet's answer. At most the budget passes; a payment that takes longer goes on and is told as pending.
    func pay(_ sheet: Authorized) async throws -> JSONValue {
        let unverified: UnverifiedPaymentToken
        do throws(PaymentTokenError) { unverified = try UnverifiedPaymentToken(document: sheet.token) } catch {
            figures.token(error.code)
            throw error
        }
        switch await baskets.begin(sheet.basketID, version: sheet.version, transaction: unverified.transactionID) {
        case .missing: throw Problem.notFound
        case .changed:
            throw Refusal(
                errors: [SheetError(.unknown, nil, "Your basket changed. Please look at it and pay again.")],
                code: "basket_changed", next: "Load the basket again and open a new sheet.")
        case .repeated(let outcome), .other(let outcome):
            // The order has one payment: whoever asks again, with this token or another, is told how that stands.
            if case .answered = outcome.state { return try await status(sheet.basketID) }
            return try await settled(sheet.basketID)
        case .begin(let basket):
            let work = Task { await run(sheet, unverified, basket) }
            return try await withThrowingTaskGroup(of: JSONValue?.self) { group in
                group.addTask { try await work.value.get() }
                group.addTask {
                    try await clock.sleep(for: options.paymentBudget)
                    return nil
                }
                defer { group.cancelAll() }
                if case .some(.some(let answer)) = try await group.next() { return answer }
                figures.payment("pending")
                return pending(sheet.basketID)
            }
        }
    }

    /// How the payment of a basket stands now. What was not known is looked up in the journal.
    func status(_ id: String) async throws -> JSONValue {
        guard let entry = await baskets.entry(id) else { throw Problem.notFound }
        guard let outcome = entry.outcome else {
            return .object([
                JSONMember(key: "status", value: .string("open")),
                JSONMember(key: "moneyMoved", value: .string("no")),
            ])
        }
        guard case .answered(let answer) = outcome.state else { return pending(id) }
        guard answer["status"] == .string("pending"), let number = outcome.payment else { return answer }
        let payment = try await checkout.payment(number, account: .main)
        var guest: GuestAccounts.Account?
        if ApplePayCheckout.isPaid(payment.status), let contact = entry.contact {
            guest = await guests.account(for: contact)
        }
        let (newer, isFree) = self.answer(payment, entry.basket.id, guest)
        if newer["status"] != .string("pending") { await baskets.finish(id, newer, isFree: isFree) }
        return newer
    }

    /// Waits, within the budget, for a payment that another request began.
    private func settled(_ basket: String) async throws -> JSONValue {
        let end = clock.now().adding(options.paymentBudget)
        while clock.now() < end {
            guard let entry = await baskets.entry(basket), let outcome = entry.outcome else {
                throw Refusal(
                    errors: [SheetError(.unknown, nil, "The payment did not go through. Please try again.")],
                    code: "earlier_refused", next: "Open a new sheet.")
            }
            if case .answered(let answer) = outcome.state { return answer }
            try await clock.sleep(for: .milliseconds(100))
        }
        return pending(basket)
    }

    func pending(_ basket: String) -> JSONValue {
        .object([
            JSONMember(key: "status", value: .string("pending")),
            JSONMember(key: "moneyMoved", value: .string("unknown")),
            JSONMember(key: "statusURL", value: .string("/applepay/payment/\(basket)")),
        ])
    }

    /// The whole payment; what it comes to is written to the basket before it is returned.
    private func run(
        _ sheet: Authorized, _ token: UnverifiedPaymentToken, _ basket: SheetBasket
    ) async -> Result<JSONValue, any Error> {
        do {
            let contact = try check(sheet, basket)
            let accepted = try await accept(sheet, token, basket)
            let (answer, isFree) = try await charge(accepted, sheet, basket, contact)
            await baskets.finish(basket.id, answer, isFree: isFree)
            return .success(answer)
        } catch {
            // Everything thrown up to the charge moved nothing; the charge itself answers, also when it is not known.
            await baskets.finish(basket.id, .null, isFree: true)
            return .failure(error)
        }
    }

    private func check(_ sheet: Authorized, _ basket: SheetBasket) throws -> FullContact {
        let contact: FullContact
        do {
            let isDelivery = basket.service == .delivery
            var shipping = sheet.shipping
            let merged = WalletContact.merging(billing: sheet.billing, shipping: sheet.shipping)
            shipping.givenName = shipping.givenName ?? merged.givenName
            shipping.familyName = shipping.familyName ?? merged.familyName
            shipping.emailAddress = merged.emailAddress
            shipping.phoneNumber = merged.phoneNumber
            contact = try FullContact(shipping, needsAddress: isDelivery)
        } catch {
            throw Refusal(errors: error.errors, code: "contact_incomplete", next: "Complete the contact.")
        }
        if let address = contact.address,
            options.area.delivers(to: address.postalCode, country: address.countryCode) != .yes
        {
            throw Refusal(
                errors: [SheetError(.addressUnserviceable, .postalCode, "We do not deliver to this postcode.")],
                code: "address_unserviceable", next: "Choose another address.")
        }
        return contact
    }

    private func accept(
        _ sheet: Authorized, _ token: UnverifiedPaymentToken, _ basket: SheetBasket
    ) async throws -> AcceptedPaymentToken {
        do throws(PaymentTokenError) {
            let verified = try await verifier.verify(token, at: clock.now())
            let expectation = PaymentTokenExpectation(
                amount: try total(basket), merchant: sheet.merchant,
                applicationData: baskets.applicationData(basket.id), order: "\(basket.id):\(basket.version)")
            let accepted = try await verified.decrypt(with: options.keys).accept(for: expectation, replay: replay)
            figures.token("accepted")
            return accepted
        } catch {
            figures.token(error.code)
            throw error
        }
    }

    private func total(_ basket: SheetBasket) throws(PaymentTokenError) -> Money {
        (try? basket.total()) ?? Money(minorUnits: .max, currency: basket.currency)
    }

    private func charge(
        _ accepted: AcceptedPaymentToken, _ sheet: Authorized, _ basket: SheetBasket, _ contact: FullContact
    ) async throws -> (JSONValue, isFree: Bool) {
        let order = try ApplePayCheckout.order(of: basket)
        let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
        let payment: Payment
        do throws(CheckoutError) {
            let created = try await checkout.create(draft)
            await baskets.charges(basket.id, created.id, contact)
            payment = try await checkout.confirm(
                created.id, account: .main, provider: provider, tender: try tender(accepted, sheet))
        } catch {
            if case .orderOccupied(_, let other, _) = error {
                // The order has a payment already, such as one of before a restart: that one is told.
                await baskets.charges(basket.id, other, contact)
                let payment = try await checkout.payment(other, account: .main)
                return (answer(payment, basket.id, nil).0, false)
            }
            // What may have been sent is looked up, not tried again.
            guard error.moneyMoved == .no else { return (pending(basket.id), false) }
            throw error
        }
        figures.payment(payment.status.rawValue)
        let isPaid = ApplePayCheckout.isPaid(payment.status)
        let guest = isPaid && sheet.accountID == nil ? await guests.account(for: contact) : nil
        let (answer, isFree) = answer(payment, basket.id, guest)
        if isFree {
            // The order is free for another card: nothing is held, and this payment is closed.
            _ = try? await checkout.cancel(payment.id, account: .main, reason: "sheet_declined")
        }
        return (answer, isFree)
    }

    private static func isPaid(_ status: PaymentStatus) -> Bool {
        switch status {
        case .succeeded, .requiresCapture, .partiallyCaptured, .partiallyRefunded, .refunded: true
        case .declined, .requiresPaymentMethod, .canceled, .expired, .requiresAction, .stored, .processing, .unknown:
            false
        }
    }

    private func answer(
        _ payment: Payment, _ basket: String, _ guest: GuestAccounts.Account?
    ) -> (JSONValue, isFree: Bool) {
        switch payment.status {
        case .declined, .requiresPaymentMethod, .canceled, .expired, .requiresAction: (declined(payment), true)
        case .succeeded, .requiresCapture, .partiallyCaptured, .partiallyRefunded, .refunded:
            (placed(payment, payment.order, guest), false)
        case .processing, .stored, .unknown: (pending(basket), false)
        }
    }

    /// The basket as an order: goods, coupon, shipping and fee are its parts.
    static func order(of basket: SheetBasket) throws -> Order {
        let zero = Money.zero(basket.currency)
        var fees: [OrderCharge] = []
        let discount = try basket.discount()
        if !discount.isZero, let coupon = basket.coupon {
            fees.append(OrderCharge(name: "Coupon \(coupon.code)", total: try discount.negated(), tax: zero))
        }
        if basket.paysByCredit, let fee = basket.creditFee {
            fees.append(OrderCharge(name: "Credit card fee", total: fee, tax: zero))
        }
        return try Order(
            id: OrderID(validating: basket.id), number: basket.id,
            lines: basket.lines.map {
                OrderLine(name: $0.label, quantity: "1", subtotal: $0.amount, total: $0.amount, tax: zero)
            },
            shipping: basket.shippingMethod.map { [OrderCharge(name: $0.label, total: $0.amount, tax: zero)] } ?? [],
            fees: fees, total: try basket.total())
    }

    private func tender(_ accepted: AcceptedPaymentToken, _ sheet: Authorized) throws(CheckoutError) -> Tender {
        let payload = accepted.payload
        let expiry = payload.expiry.reveal()
        let cryptogram: Secret<String>
        var indicator: String?
        switch payload.credential {
        case .threeDSecure(let value, let eci):
            cryptogram = value
            indicator = eci
        case .emv(let data, _): cryptogram = data
        case .other: cryptogram = Secret("")
        }
        let month = expiry.month < 10 ? "0\(expiry.month)" : "\(expiry.month)"
        guard let until = try? CardExpiry(parsing: "\(month)/\(expiry.year)") else {
            throw .refused(.unsupported("The token's expiry is not a month."))
        }
        let brand = accepted.token.claimedCardName?.split(separator: " ").first.map { $0.lowercased() } ?? "card"
        return .wallet(
            WalletPayment(
                wallet: "apple_pay", number: payload.accountNumber, expiry: Secret(until), cryptogram: cryptogram,
                eciIndicator: indicator, sealed: Secret(sheet.token.bytes()),
                card: CardSummary(
                    brand: brand, lastFour: payload.accountLastFour, entryMode: "apple_pay")))
    }

    // MARK: Answers

    private func placed(_ payment: Payment, _ order: Order, _ guest: GuestAccounts.Account?) -> JSONValue {
        var members = [
            JSONMember(key: "status", value: .string("placed")),
            JSONMember(key: "orderId", value: .string(order.id.rawValue)),
            JSONMember(key: "paymentId", value: .string(payment.id.rawValue)),
            JSONMember(key: "moneyMoved", value: .string("yes")),
            JSONMember(key: "amount", value: .string(order.total.decimalString)),
            JSONMember(key: "currency", value: .string(order.currency.code)),
        ]
        if let guest {
            members.append(JSONMember(key: "guestAccount", value: .string(guest.id)))
            if guest.isNew { members.append(JSONMember(key: "guestToken", value: .string(guest.token.reveal()))) }
        }
        return .object(members)
    }

    private func declined(_ payment: Payment) -> JSONValue {
        .object([
            JSONMember(key: "status", value: .string("declined")),
            JSONMember(key: "moneyMoved", value: .string("no")),
            JSONMember(
                key: "errors",
                value: .array([
                    SheetError(.unknown, nil, "The card was declined. Please try another one.").json
                ])),
        ])
    }
}

/// Accounts of customers who did not sign in: one for each e-mail address, made once.
actor GuestAccounts {
    struct Account: Sendable {
        var id: String
        var token: Secret<String>
        var isNew: Bool
    }

    /// Accounts kept at most; further orders are placed without one.
    static let maximum = 100_000
    private var accounts: [String: Account] = [:]

    func account(for contact: FullContact) -> Account? {
        let name = contact.emailAddress.lowercased()
        if var known = accounts[name] {
            known.isNew = false
            return known
        }
        guard accounts.count < GuestAccounts.maximum else { return nil }
        let random = Hex.lowercase((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let account = Account(
            id: "guest_" + Hex.lowercase(digest(Array(name.utf8)).prefix(8)), token: Secret(random), isNew: true)
        accounts[name] = account
        return account
    }
}
