/// The proof that a WooCommerce document adds up.
///
/// A shop may round tax once for the whole order instead of on each line. Then the taxes that it shows do not make the
/// total that it shows, but the digits in `taxes[].total` do. That, and nothing else, is accepted besides a plain match.
struct WooCommerceArithmetic {
    private typealias Part = WooCommerceDocument.Part
    private typealias TaxReading = (Part) -> ExactAmount

    private let document: WooCommerceDocument

    /// - Throws: ``OrderError/doesNotAddUp(order:declared:sum:parts:)`` first, then
    ///   ``OrderError/declaredPartDiffers(order:part:declared:listed:)``.
    static func check(_ document: WooCommerceDocument) throws(OrderError) {
        let arithmetic = WooCommerceArithmetic(document: document)
        let failure: OrderError?
        do throws(MoneyError) { failure = try arithmetic.failure() } catch {
            throw .wrongAmount(field: "the sum", text: "", error)
        }
        if let failure { throw failure }
    }

    private func failure() throws(MoneyError) -> OrderError? {
        let shown: TaxReading = { $0.tax ?? .zero }
        let sum = try sum(shown).rounded(to: document.currency)
        if sum == document.total { return try contradiction(shown) }
        if let detailed = try detailedReading() { return try contradiction(detailed) }
        return .doesNotAddUp(order: document.number, declared: document.total, sum: sum, parts: parts)
    }

    private func sum(_ tax: TaxReading) -> ExactAmount {
        let goods = document.lines.sum { $0.total }
        let shipping = document.shipping.sum { $0.total }
        let fees = document.fees.sum { $0.total }
        return goods + shipping + fees + allTax(tax) - document.giftCards.sum { $0.amount }
    }

    private func allTax(_ tax: TaxReading) -> ExactAmount {
        document.lines.sum(tax) + document.shipping.sum(tax) + document.fees.sum(tax) + document.orderTax
    }

    /// The reading of tax by its detailed digits, if each part's digits round to the tax that the part shows and the
    /// exact sums round to the declared total and the declared tax.
    private func detailedReading() throws(MoneyError) -> TaxReading? {
        guard let totalTax = document.declared.totalTax else { return nil }
        for part in document.lines + document.shipping + document.fees {
            guard let detailed = part.detailedTax else { continue }
            let shown = part.tax ?? .zero
            let rounded = try detailed.rounded(to: document.currency)
            guard detailed == shown || ExactAmount(rounded) == shown else { return nil }
        }
        let reading: TaxReading = { $0.detailedTax ?? $0.tax ?? .zero }
        guard try sum(reading).rounded(to: document.currency) == document.total,
            try allTax(reading).rounded(to: document.currency) == totalTax.rounded(to: document.currency)
        else { return nil }
        return reading
    }

    /// A declared part that is not what the document lists.
    private func contradiction(_ tax: TaxReading) throws(MoneyError) -> OrderError? {
        let declared = document.declared
        var checks: [(part: String, declared: ExactAmount?, listed: ExactAmount)] = [
            ("total_tax", declared.totalTax, allTax(tax)),
            ("shipping_total", declared.shippingTotal, document.shipping.sum { $0.total }),
        ]
        if document.orderTax == .zero {
            checks.append(("shipping_tax", declared.shippingTax, document.shipping.sum(tax)))
            checks.append(("cart_tax", declared.cartTax, document.lines.sum(tax) + document.fees.sum(tax)))
        }
        if document.lines.contains(where: { $0.subtotal != nil }) {
            let discount = document.lines.sum { ($0.subtotal ?? $0.total) - $0.total }
            checks.append(("discount_total", declared.discountTotal, discount))
        }
        for check in checks {
            guard let declared = try check.declared?.rounded(to: document.currency) else { continue }
            let listed = try check.listed.rounded(to: document.currency)
            if declared != listed {
                return .declaredPartDiffers(
                    order: document.number, part: check.part, declared: declared, listed: listed)
            }
        }
        return nil
    }

    /// "lines 30.00 + shipping 133.00 + tax 1.20", with every digit that the document shows.
    private var parts: String {
        let tax = allTax { $0.tax ?? .zero }
        var text = "lines \(document.lines.sum { $0.total }.text(document.currency))"
        for (name, amount) in [
            ("+ shipping", document.shipping.sum { $0.total }), ("+ fees", document.fees.sum { $0.total }),
            ("+ tax", tax), ("- gift cards", document.giftCards.sum { $0.amount }),
        ] where amount != .zero { text += " \(name) \(amount.text(document.currency))" }
        return text
    }
}
