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

    /// The stored form; ``init(json:)`` parses it.
    var json: JSONValue { .members(["endpoint": .string(endpoint), "url": .string(url)]) }

    init(endpoint: String, url: String) { (self.endpoint, self.url) = (endpoint, url) }

    /// Parses the stored form; `nil` if the document has another one.
    init?(json: JSONValue) {
        guard let endpoint = json["endpoint"]?.stringValue, let url = json["url"]?.stringValue else { return nil }
        self.init(endpoint: endpoint, url: url)
    }
}
