import Foundation
import Synchronization
import TillCore
import TillTapToPay
import TillTestSupport

/// A provider of taps that does what a test wrote down for it, and keeps books.
final class ScriptedProvider: TapToPayService.PaymentServiceProvider {
    struct Refused: ExplainedError {
        let code = "refused"
        let what = "The journal refuses."
        let moneyMoved = MoneyMoved.no
        let next = "Try again."
    }
    struct Broken: Error {}

    struct Books {
        var tokens = 0
        var failsTokens = false
        var tokenDelay: Span = .milliseconds(0)
        var opened: [String] = []
        var closed: [String] = []
        var processed: [String] = []
        var refunded: [String] = []
        var forwarded: [String] = []
        var error: (any Error & Sendable)?
        var answer: TapToPayService.PaymentResult.Status = .approved
        var delay: Span = .milliseconds(0)
        var refusesToOpen = false
    }
    let books = Mutex(Books())
    let clock: any TillClock

    init(clock: any TillClock) { self.clock = clock }

    func fetchReaderToken() async throws -> String {
        let (number, fails, delay) = books.withLock { books in
            books.tokens += 1
            return (books.tokens, books.failsTokens, books.tokenDelay)
        }
        try await clock.sleep(for: delay)
        if fails { throw Broken() }
        return "token-\(number)"
    }

    func openPayment(_ amount: Money) async throws -> String? {
        try books.withLock { books in
            if books.refusesToOpen { throw Refused() }
            books.opened.append("pay-\(books.opened.count + 1)")
            return books.opened.last
        }
    }

    func closePayment(_ payment: String, reason: String) async {
        books.withLock { $0.closed.append("\(payment) \(reason)") }
    }

    func forwardFailedRead(_ card: PaymentCardReadResult, payment: String?) async {
        books.withLock { $0.forwarded.append("\(card.paymentCardData ?? "") \(payment ?? "")") }
    }

    func processPayment(
        cardData: String, amount: Decimal, currency: String
    ) async throws -> TapToPayService.PaymentResult {
        let (error, answer, delay) = books.withLock { books in
            books.processed.append("\(cardData) \(amount) \(currency)")
            return (books.error, books.answer, books.delay)
        }
        try await clock.sleep(for: delay)
        if let error { throw error }
        return TapToPayService.PaymentResult(status: answer)
    }

    func processRefund(
        cardData: String, amount: Decimal, currency: String
    ) async throws -> TapToPayService.RefundResult {
        let error = books.withLock { books in
            books.refunded.append("\(cardData) \(amount) \(currency)")
            return books.error
        }
        if let error { throw error }
        return TapToPayService.PaymentResult(status: .approved)
    }
}
