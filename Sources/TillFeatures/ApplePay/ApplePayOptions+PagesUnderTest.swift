import TillApplePay

/// The sheets of pages under test, which a simulated Apple opens with the settings of a shop.
extension ApplePayOptions {
    /// Takes over what the sheets of a shop show, with its delivery rule and coupons. Certificates, keys and merchant
    /// stay the sandbox's.
    ///
    /// A shop with one domain is tested as that domain. Of several, each page under test has the name, country,
    /// networks, currency and icons of the domain that lists its origin; all other pages have those of the whole shop.
    /// - Parameter local: the sandbox's one domain, with every origin under test.
    mutating func show(_ shop: ApplePayOptions, on local: ApplePayDomain) {
        (factory, currency) = (shop.factory, shop.currency)
        (area, radius, places) = (shop.area, shop.radius, shop.places)
        coupons = shop.coupons
        // It stays the first, which the counter's own pages and apps have.
        var own = local
        var others: [ApplePayDomain] = []
        if shop.domains.count == 1, let only = shop.domains.first {
            (factory, currency) = (shop.factory(for: only), shop.currency(of: only))
            own.icons = only.icons
        } else {
            for domain in shop.domains {
                let tested = own.origins.intersection(domain.origins)
                guard !tested.isEmpty else { continue }
                own.origins.subtract(tested)
                var other = local
                (other.domain, other.origins) = (domain.domain, tested)
                (other.factory, other.currency, other.icons) = (domain.factory, domain.currency, domain.icons)
                others.append(other)
            }
        }
        domains = [own] + others
    }
}
