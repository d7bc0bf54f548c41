import TillApplePay
import TillCore
import TillWeb

/// The shop's address for the price of a basket in its request: `quote`.
extension BasketRequest {
    /// The maximum size of the address, in bytes.
    private static let maximumQuoteURLBytes = 2_048

    /// Returns the names in a request's quote, with their places. One is never masked, because it would lead elsewhere.
    static func quoteNames(in body: JSONValue) -> [(place: String, value: JSONValue)] {
        ["url", "webhook_endpoint"].compactMap { name in
            body["quote"]?[name].map { (place: "quote/\(name)", value: $0) }
        }
    }

    /// Returns the quote of a request; `nil` if it has none.
    static func quote(in body: JSONValue) throws -> QuoteCallback? {
        guard let value = body["quote"], !value.isNull else { return nil }
        let place = "quote/"
        try checkObject(value, ["url", "webhook_endpoint", "coupons"], place)
        guard let url = try value.text("url", in: place, atMost: maximumQuoteURLBytes) else {
            throw Problem.field(place + "url", "It is missing.")
        }
        guard let endpoint = value["webhook_endpoint"]?.stringValue,
            endpoint.utf8.count <= 64, endpoint.utf8.allSatisfy({ $0 < 0x80 }),
            endpoint.wholeMatch(of: /we_[a-z]+/) != nil
        else {
            throw Problem.field(
                place + "webhook_endpoint", "It must be the identifier (we_…) of the webhook endpoint that signs.")
        }
        var takesCoupons = false
        if let given = value["coupons"], !given.isNull {
            guard let answer = given.boolValue else {
                throw Problem.field(place + "coupons", "It must be true or false.")
            }
            takesCoupons = answer
        }
        return QuoteCallback(endpoint: endpoint, url: url, takesCoupons: takesCoupons)
    }

    /// Refuses a quote with what it leaves no place for.
    static func checkQuote(with service: SheetBasket.Service, creditFee: Money?) throws {
        guard service == .delivery else { throw Problem.field("quote", "It goes with the service delivery.") }
        guard creditFee == nil else {
            throw Problem.field("credit_fee", "It does not go with a quote, which has every line of the price.")
        }
    }
}
