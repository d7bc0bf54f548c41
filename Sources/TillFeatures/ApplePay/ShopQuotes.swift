import TillApplePay
package import TillCore
package import TillFeatureWebhooks
import TillWeb

/// Asks shops for the prices of their baskets.
package struct ShopQuotes: Sendable {
    private let calls: SignedCalls
    private let account: AccountID

    /// - Parameter account: the account of the baskets, and of the webhook endpoints that they name.
    package init(_ calls: SignedCalls, account: AccountID) { (self.calls, self.account) = (calls, account) }

    /// Refuses a basket that names no endpoint of the account, or a URL that is not the endpoint's.
    func check(_ callback: QuoteCallback) async throws {
        do throws(SignedCallError) {
            try await calls.check(callback.url, of: WebhookEndpointID(rawValue: callback.endpoint), account: account)
        } catch {
            switch error {
            case .endpoint(.unknownEndpoint):
                throw Problem.field("quote/webhook_endpoint", "There is no such webhook endpoint.")
            case .endpoint(.url(let reason)): throw Problem.field("quote/url", "\(reason)")
            case .otherOrigin: throw Problem.field("quote/url", "\(error)")
            case .endpoint(let error): throw error
            case .busy, .failed: throw Problem.field("quote", "\(error)")
            }
        }
    }

    /// Asks once for a price and judges the answer.
    func ask(
        _ change: QuoteQuestion.Change, of basket: SheetBasket, on terms: BasketTerms, _ callback: QuoteCallback,
        at address: QuoteAddress, now: Timestamp
    ) async throws(QuoteFault) -> QuoteAnswer {
        let question = QuoteQuestion(
            change: change, basket: basket, order: terms.number, address: address, isLive: calls.isLive)
        let body: [UInt8]
        do throws(MoneyError) { body = try question.body(at: now) } catch { throw .malformed("\(error)") }
        let answer: WebhookAnswer
        do throws(SignedCallError) {
            answer = try await calls.call(
                callback.url, of: WebhookEndpointID(rawValue: callback.endpoint), account: account, body: body,
                limits: QuoteLimits.call)
        } catch { throw .noAnswer(error) }
        return try QuoteAnswer(answer, for: basket, on: terms)
    }
}
