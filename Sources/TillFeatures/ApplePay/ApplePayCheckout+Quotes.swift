import TillApplePay
import TillCore
import TillFeatureWebhooks

/// Prices that the shop tells by address: while the sheet is open, and once more if the complete address of the payment
/// has another part known before. A price that is not known is never shown as final and never charged.
extension ApplePayCheckout {
    /// A change of an open sheet, as the sheet is answered.
    struct Repriced: Hashable, Sendable {
        var basket: SheetBasket
        var errors: [SheetError]
    }

    /// Applies a change to a basket whose price the shop tells, and asks the shop for the price if the change needs it.
    /// - Parameter contact: the address of a changed contact; `nil` for another change.
    /// - Returns: `nil` if the basket has changed meanwhile and was left unchanged.
    func reprice(
        _ opened: ApplePayBaskets.Entry, by change: SheetChange, contact: QuoteAddress?
    ) async throws -> Repriced? {
        var wanted = opened.basket
        let own = change.apply(&wanted)
        let address = contact ?? opened.quotes.address
        var (errors, pricing) = (own, ApplePayBaskets.Pricing.unchanged)
        if contact != nil, !own.isEmpty {
            // Nothing is delivered there, so there is no price, and that of another address is not shown for it.
            pricing = .unknown(at: address)
        } else if contact != nil || wanted.awaitsPrice, let asked = QuoteQuestion.Change(change) {
            if let address {
                switch try await quote(asked, of: wanted, opened, at: address) {
                case .success(.priced(let items, methods: let methods)):
                    // The sheet's update for a chosen method has no place for other methods.
                    pricing = .quoted(items, methods: asked == .shippingMethod ? nil : methods, at: address)
                case .success(.refused(let refusals)):
                    // A coupon that the shop does not take leaves everything as it is.
                    if asked == .coupon { return try await unchanged(opened, refusals) }
                    pricing = .unknown(at: address)
                    errors += refusals
                case .failure:
                    // So does one that the shop could not be asked about: the price before it was told, and holds.
                    if asked == .coupon {
                        return try await unchanged(opened, own.isEmpty ? [ApplePayCheckout.unpriced(asked)] : own)
                    }
                    pricing = .unknown(at: address)
                    errors.append(ApplePayCheckout.unpriced(asked))
                }
            } else if case .shopCoupon = change {
                // A basket has no coupon of the shop's that the shop has never taken.
                return Repriced(basket: opened.basket, errors: [ApplePayCheckout.couponBeforeAddress])
            } else {
                pricing = .unknown(at: nil)
            }
        }
        guard let basket = try await baskets.price(opened, pricing, after: change.apply) else { return nil }
        return Repriced(basket: basket, errors: errors)
    }

    /// Returns a basket as it was before a change that was not applied, with the customer's errors.
    /// - Returns: `nil` if the basket has changed meanwhile.
    private func unchanged(
        _ opened: ApplePayBaskets.Entry, _ errors: [SheetError]
    ) async throws -> Repriced? {
        guard let basket = try await baskets.price(opened, .unchanged, after: { _ in [] }) else { return nil }
        return Repriced(basket: basket, errors: errors)
    }

    /// Returns the basket of an authorized payment with the price for its complete address.
    /// - Throws: ``Refusal`` if that price is not known, or not the one that the customer has authorized.
    func confirmed(
        _ entry: ApplePayBaskets.Entry, _ transaction: String, _ contact: FullContact
    ) async throws -> ApplePayBaskets.Entry {
        guard entry.terms?.quote != nil else { return entry }
        guard case .quoted = entry.basket.price, let complete = contact.address else { throw Refusal.priceUnknown }
        let address = QuoteAddress(complete)
        guard address != entry.quotes.address else { return entry }
        var confirmed = entry
        switch try await quote(.authorized, of: entry.basket, entry, at: address, transaction: transaction) {
        case .success(.priced(let items, methods: _)):
            guard confirmed.basket.confirm(items) else { throw Refusal.priceChanged }
        case .success(.refused(let errors)):
            throw Refusal(errors: errors, code: "quote_refused", next: "Choose another address.")
        case .failure: throw Refusal.priceUnknown
        }
        guard let stored = try await baskets.confirm(confirmed.basket, at: address, transaction: transaction) else {
            throw Refusal.basketChanged
        }
        confirmed.quotes = stored
        return confirmed
    }

    /// Binds an authorized sheet to the price that is about to be charged. What the sheet says that it showed is the
    /// basket's total and currency. Where the shop tells the price, these are those of the last price told for the
    /// complete address, too. The amount within a token that only the provider opens cannot be read here, so that there
    /// such a sheet must say what it showed; in a token that is opened here the amount itself is compared.
    /// - Throws: ``Refusal`` with `price_changed`; nothing was charged.
    func bind(_ sheet: Authorized, to entry: ApplePayBaskets.Entry) throws {
        guard entry.terms?.quote != nil else {
            guard let shown = sheet.shown else { return }
            guard let total = try? entry.basket.total(), shown == total else { throw Refusal.totalDiffers }
            return
        }
        guard let address = entry.quotes.address, let seal = entry.quotes.seal,
            seal
                == ApplePayBaskets.seal(
                    of: entry.basket, generation: entry.generation, nonce: entry.nonce, at: address)
        else { throw Refusal.priceChanged }
        switch live.current.opening {
        case .here where sheet.shown == nil: break
        case .here, .provider:
            guard let total = try? entry.basket.total(), sheet.shown == total else { throw Refusal.priceChanged }
        }
    }

    /// Asks the shop once, within the limits of one basket.
    private func quote(
        _ change: QuoteQuestion.Change, of basket: SheetBasket, _ entry: ApplePayBaskets.Entry,
        at address: QuoteAddress, transaction: String? = nil
    ) async throws -> Result<QuoteAnswer, QuoteFault> {
        guard let terms = entry.terms, let callback = terms.quote, let quotes else {
            return .failure(.noAnswer(.otherOrigin))
        }
        guard try await baskets.countQuote(of: entry, transaction: transaction) else {
            metrics.quote(QuoteFault.tooMany.code)
            return .failure(.tooMany)
        }
        do throws(QuoteFault) {
            let answer = try await quotes.ask(change, of: basket, on: terms, callback, at: address, now: clock.now())
            switch answer {
            case .priced: metrics.quote("priced")
            case .refused: metrics.quote("refused")
            }
            return .success(answer)
        } catch {
            metrics.quote(error.code)
            return .failure(error)
        }
    }

    /// Returns the customer's error for a price that is not known.
    private static func unpriced(_ change: QuoteQuestion.Change) -> SheetError {
        switch change {
        case .shippingContact, .authorized:
            SheetError(
                .shippingContactInvalid, .postalAddress,
                "The price for this address is not known at the moment. Please choose it again.")
        case .shippingMethod:
            SheetError(.unknown, nil, "The price is not known at the moment. Please choose your address again.")
        case .coupon:
            // The one code that the wallet shows at the field of the coupon, for whatever reason.
            SheetError(
                .couponCodeInvalid, nil,
                "The coupon cannot be checked at the moment. Nothing has changed. Please try again.")
        }
    }

    /// The customer's error for a coupon of the shop's without an address that it could be priced for.
    private static let couponBeforeAddress = SheetError(
        .couponCodeInvalid, nil, "Please choose your address first, and then enter the coupon again.")
}

extension ApplePayCheckout.Refusal {
    /// The refusal of a payment whose price the shop has not told.
    fileprivate static let priceUnknown = ApplePayCheckout.Refusal(
        errors: [
            SheetError(
                .shippingContactInvalid, .postalAddress,
                "The price for this address is not known. Nothing was charged. Please choose it again.")
        ],
        code: "quote_unavailable", next: "Choose the address in the sheet again.")

    /// The refusal of a payment whose sheet showed another total than the basket has.
    fileprivate static let totalDiffers = ApplePayCheckout.Refusal(
        errors: [
            SheetError(
                .unknown, nil,
                "You were shown another total. Nothing was charged. Please close this sheet and pay again.")
        ],
        code: "price_changed", next: "Load the basket again and open a new sheet.")

    /// The refusal of a payment whose complete address has another price than the sheet showed.
    fileprivate static let priceChanged = ApplePayCheckout.Refusal(
        errors: [
            SheetError(
                .shippingContactInvalid, .postalAddress,
                "The price for this address is another one. Nothing was charged. Please choose it again.")
        ],
        code: "price_changed", next: "Choose the address in the sheet again, and authorize the new price.")
}

extension QuoteQuestion.Change {
    /// The occasion of a question; `nil` for a change that has no influence on the price.
    fileprivate init?(_ change: SheetChange) {
        switch change {
        case .shippingContact: self = .shippingContact
        case .shippingMethod: self = .shippingMethod
        case .coupon, .shopCoupon: self = .coupon
        case .paymentMethod: return nil
        }
    }
}
