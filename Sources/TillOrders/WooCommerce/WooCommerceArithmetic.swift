import TillCore

/// The arithmetic check of a WooCommerce document.
///
/// In most documents the displayed values add up to the total. A shop that rounds once for the whole order, instead of
/// on each line, computes with digits that are shown elsewhere only: tax in `taxes[].total`, lines as `price` times
/// `quantity`, fees as `amount`. Then these must add up to the total, and each must round to the value displayed in its
/// place. Nothing else is accepted; there is no tolerance.
struct WooCommerceArithmetic {
    private typealias Part = WooCommerceDocument.Part

    /// The digits to be summed.
    private enum Reading {
        case shown, allDigits

        func total(_ part: Part) -> ExactAmount { self == .allDigits ? part.exactTotal ?? part.total : part.total }

        func tax(_ part: Part) -> ExactAmount {
            let shown = part.tax ?? .zero
            return self == .shown ? shown : part.detailedTax ?? shown
        }
    }

    private let document: WooCommerceDocument

    /// - Throws: `OrderError.doesNotAddUp` first, then `OrderError.declaredPartDiffers`.
    static func check(_ document: WooCommerceDocument) throws(OrderError) {
        let arithmetic = WooCommerceArithmetic(document: document)
        let failure: OrderError?
        do throws(MoneyError) { failure = try arithmetic.failure() } catch {
            throw .wrongAmount(field: "the sum", text: "", error)
        }
        if let failure { throw failure }
    }

    private func failure() throws(MoneyError) -> OrderError? {
        let sum = try sum(.shown).rounded(to: document.currency)
        if sum == document.total || isExplainedByDigits { return try contradiction() }
        return .doesNotAddUp(order: document.number, declared: document.total, sum: sum, parts: parts)
    }

    /// `true` if the digits that are not displayed in their place add up to the declared total and the declared tax.
    private var isExplainedByDigits: Bool {
        guard hasTruthfulDigits else { return false }
        return ExactAmount(document.total).isRounding(of: sum(.allDigits), places: document.places) && isTaxExplained
    }

    /// `true` if the declared tax is rounded once, or is the sum of the tax of goods and fees and that of shipping,
    /// each rounded once, as displayed by a shop that rounds for the whole order.
    private var isTaxExplained: Bool {
        let (declared, places) = (document.declared, document.places)
        guard let totalTax = declared.totalTax else { return false }
        if totalTax.isRounding(of: allTax(.allDigits), places: places) { return true }
        guard document.orderTax == .zero, let cart = declared.cartTax, let shipping = declared.shippingTax else {
            return false
        }
        let goods = document.lines.sum(Reading.allDigits.tax) + document.fees.sum(Reading.allDigits.tax)
        return totalTax == cart + shipping && cart.isRounding(of: goods, places: places)
            && shipping.isRounding(of: document.shipping.sum(Reading.allDigits.tax), places: places)
    }

    /// `true` if each part's tax digits round to the tax that the part displays, rounded once or once for each rate.
    private var hasTruthfulDigits: Bool {
        (document.lines + document.shipping + document.fees).allSatisfy { part in
            guard let detailed = part.detailedTax else { return true }
            return (part.tax ?? .zero).isRounding(of: detailed, places: document.places, times: part.taxCount)
        }
    }

    private func sum(_ reading: Reading) -> ExactAmount {
        let goods = document.lines.sum(reading.total)
        let shipping = document.shipping.sum(reading.total)
        let fees = document.fees.sum(reading.total)
        return goods + shipping + fees + allTax(reading) - document.giftCards.sum { $0.amount }
    }

    private func allTax(_ reading: Reading) -> ExactAmount {
        document.lines.sum(reading.tax) + document.shipping.sum(reading.tax) + document.fees.sum(reading.tax)
            + document.orderTax
    }

    /// Returns an error for a declared part that differs from the document's list.
    private func contradiction() throws(MoneyError) -> OrderError? {
        let declared = document.declared
        var checks: [(part: String, declared: ExactAmount?, listed: (Reading) -> ExactAmount)] = [
            ("total_tax", declared.totalTax, allTax),
            ("shipping_total", declared.shippingTotal, { reading in document.shipping.sum(reading.total) }),
        ]
        if document.orderTax == .zero {
            checks.append(("shipping_tax", declared.shippingTax, { document.shipping.sum($0.tax) }))
            checks.append(("cart_tax", declared.cartTax, { document.lines.sum($0.tax) + document.fees.sum($0.tax) }))
        }
        for check in checks {
            guard let exact = check.declared else { continue }
            let amount = try exact.rounded(to: document.currency)
            let listed = try check.listed(.shown).rounded(to: document.currency)
            if amount == listed { continue }
            if check.part == "total_tax", hasTruthfulDigits, isTaxExplained { continue }
            if hasTruthfulDigits, exact.isRounding(of: check.listed(.allDigits), places: document.places) { continue }
            return .declaredPartDiffers(
                order: document.number, part: check.part, declared: amount, listed: listed)
        }
        return try discountContradiction()
    }

    /// Checks the declared discount: the difference of the lines before and after it. A shop with tax-inclusive prices
    /// takes the tax out of the discount as a whole, so that it may differ by the rounding of each discounted line;
    /// then the coupons, or the discount with its tax, must match `discount_total`.
    private func discountContradiction() throws(MoneyError) -> OrderError? {
        let discounted = document.lines.filter { ($0.subtotal ?? $0.total) != $0.total }
        guard let exact = document.declared.discountTotal,
            document.lines.contains(where: { $0.subtotal != nil })
        else { return nil }
        let listedExactly = document.lines.sum { ($0.subtotal ?? $0.total) - $0.total }
        let declared = try exact.rounded(to: document.currency)
        let listed = try listedExactly.rounded(to: document.currency)
        if declared == listed { return nil }
        let isNear = exact.isRounding(of: listedExactly, places: document.places, times: 2 * discounted.count)
        if !discounted.isEmpty, isNear {
            if let coupons = document.declared.couponTotal,
                exact.isRounding(of: coupons, places: document.places)
            {
                return nil
            }
            if let tax = document.declared.discountTax, exact + tax == listedExactly + discountedTax(discounted) {
                return nil
            }
        }
        return .declaredPartDiffers(
            order: document.number, part: "discount_total", declared: declared, listed: listed)
    }

    /// Returns the lines' tax before the discount, less the tax after it.
    private func discountedTax(_ lines: [Part]) -> ExactAmount {
        lines.sum { line in
            let before = line.json["subtotal_tax"]?.plainText.flatMap { ExactAmount(ifValid: $0) }
            return before.map { $0 - (line.tax ?? .zero) } ?? .zero
        }
    }

    /// The parts as text, "lines 30.00 + shipping 133.00 + tax 1.20", with every digit that the document shows.
    private var parts: String {
        let tax = allTax(.shown)
        var text = "lines \(document.lines.sum { $0.total }.text(document.currency))"
        for (name, amount) in [
            ("+ shipping", document.shipping.sum { $0.total }), ("+ fees", document.fees.sum { $0.total }),
            ("+ tax", tax), ("- gift cards", document.giftCards.sum { $0.amount }),
        ] where amount != .zero { text += " \(name) \(amount.text(document.currency))" }
        return text
    }
}
