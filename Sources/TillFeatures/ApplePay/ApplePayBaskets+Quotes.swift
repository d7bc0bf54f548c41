import Crypto
import TillApplePay
import TillCore
import TillJournal

/// The prices that the shop tells while a sheet is open. Each is stored with the address that it is for, before the
/// sheet shows it.
extension ApplePayBaskets {
    /// What a change to a sheet means for the price.
    enum Pricing: Sendable {
        /// The shop was not asked.
        case unchanged
        /// The price for an address, and the shipping methods from now on, if the shop told any.
        case quoted([SheetItem], methods: [SheetShippingMethod]?, at: QuoteAddress)
        /// The shop told no price for this address, or there is no address yet.
        case unknown(at: QuoteAddress?)
    }

    /// Counts a question about a basket before it is asked.
    /// - Parameter transaction: the payment in progress that needs the price; `nil` for an open basket.
    /// - Returns: `false` if as many were asked as may be, or if the basket is not as it was.
    func countQuote(of entry: Entry, transaction: String? = nil) async throws(JournalError) -> Bool {
        try await update(entry.basket.id) { kept in
            guard kept.generation == entry.generation, kept.version == entry.basket.version,
                transaction == kept.attempt?.transaction, transaction != nil || kept.isOpen(at: clock.now()),
                kept.quotes.count < QuoteLimits.perBasket + (transaction == nil ? 0 : QuoteLimits.forPayment)
            else { return false }
            kept.quotes.count += 1
            return true
        } != nil
    }

    /// Applies a change of an open sheet with its price.
    /// - Parameter entry: the basket that the price was asked for; one that has changed since is left unchanged.
    /// - Returns: the basket as it is now; `nil` if it was left unchanged.
    func price(
        _ entry: Entry, _ pricing: Pricing, after change: (inout SheetBasket) -> [SheetError]
    ) async throws(JournalError) -> SheetBasket? {
        var result: SheetBasket?
        _ = try await update(entry.basket.id) { kept in
            result = nil
            guard kept.isOpen(at: clock.now()), kept.generation == entry.generation,
                kept.version == entry.basket.version, let before = Entry(kept)
            else { return false }
            var basket = before.basket
            _ = change(&basket)
            switch pricing {
            case .unchanged: break
            case .quoted(let items, methods: let methods, at: let address):
                basket.quote(items, methods: methods)
                kept.quotes.address = address
                kept.quotes.seal = ApplePayBaskets.seal(
                    of: basket, generation: kept.generation, nonce: kept.nonce, at: address)
            case .unknown(at: let address):
                basket.awaitPrice()
                kept.quotes.address = address
                kept.quotes.seal = nil
            }
            result = basket
            kept.version = basket.version
            kept.document = basket.json.bytes()
            return basket != before.basket || kept.quotes != before.quotes
        }
        return result
    }

    /// Stores the lines that the shop told for the complete address of a payment in progress, of the same total.
    /// - Returns: what is stored of the price; `nil` if another payment is in progress.
    func confirm(
        _ basket: SheetBasket, at address: QuoteAddress, transaction: String
    ) async throws(JournalError) -> WalletBasket.Quotes? {
        try await update(basket.id) { kept in
            guard kept.attempt?.transaction == transaction, kept.version == basket.version else { return false }
            kept.document = basket.json.bytes()
            kept.quotes.address = address
            kept.quotes.seal = ApplePayBaskets.seal(
                of: basket, generation: kept.generation, nonce: kept.nonce, at: address)
            return true
        }?.quotes
    }

    /// Returns the code of a told price, made with the basket's own random bytes: a price that was told for another
    /// basket, another generation of it, another address or coupon, or in another total or currency has another code.
    /// - Returns: `nil` for a basket without a told price, or with a total that is out of range.
    static func seal(
        of basket: SheetBasket, generation: Int, nonce: [UInt8], at address: QuoteAddress
    ) -> String? {
        guard case .quoted = basket.price else { return nil }
        let total: Money
        do throws(MoneyError) { total = try basket.total() } catch { return nil }
        let bound = JSONValue.members([
            "basket": .string(basket.id), "generation": .number(String(generation)), "address": address.json,
            "coupon": basket.coupon.map { .string($0.code) },
            "total": .number(String(total.minorUnits)), "currency": .string(total.currency.code),
        ])
        let key = SymmetricKey(data: nonce)
        return Hex.lowercase(HMAC<SHA256>.authenticationCode(for: Array("quote:".utf8) + bound.bytes(), using: key))
    }
}
