import TillCore
import TillFeatureWebhooks

/// The limits of quotes: prices that the shop tells while a sheet is open.
enum QuoteLimits {
    /// The limits of one question. Apple closes a sheet that is not answered within 30 s, and the counter answers a
    /// payment within 20 s, in which the shop may be asked once and the provider still has to be.
    static let call = SignedCalls.Limits(time: .seconds(8), answerBytes: 65_536)
    /// The limits of an answer's document.
    static let answer = JSONLimits(maximumBytes: call.answerBytes, maximumDepth: 8, maximumValues: 2_000)
    /// The maximum number of questions about one basket; replacing the basket begins anew.
    static let perBasket = 50
    /// Further questions that are for the payment alone, whatever an open sheet has caused.
    static let forPayment = 4
    /// The maximum number of errors in an answer.
    static let errors = 8
}

/// The address at which the shop's server tells the price of a basket.
struct QuoteCallback: Hashable, Sendable {
    /// The webhook endpoint whose secret signs the question, and to whose origin it goes.
    var endpoint: String
    var url: String
    /// `true` if the shop prices coupons of its own, whose codes the settings do not have.
    var takesCoupons: Bool

    /// The stored form; ``init(json:)`` parses it. Without coupons it is that of earlier versions, and so is the
    /// fingerprint of a request that was made before.
    var json: JSONValue {
        .members([
            "endpoint": .string(endpoint), "url": .string(url),
            "coupons": takesCoupons ? JSONValue.bool(true) : nil,
        ])
    }

    init(endpoint: String, url: String, takesCoupons: Bool = false) {
        (self.endpoint, self.url, self.takesCoupons) = (endpoint, url, takesCoupons)
    }

    /// Parses the stored form; `nil` if the document has another one.
    init?(json: JSONValue) {
        guard let endpoint = json["endpoint"]?.stringValue, let url = json["url"]?.stringValue else { return nil }
        self.init(endpoint: endpoint, url: url, takesCoupons: json["coupons"]?.boolValue ?? false)
    }
}
