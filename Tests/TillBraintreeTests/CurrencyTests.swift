import HTTPTypes
import Testing
import TillCards
import TillCheckout
import TillCore
import TillHTTP
import TillJournal
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

/// Braintree takes no currency: the merchant account has one, and the digits are the same in each.
@Suite("Currencies at Braintree") struct CurrencyTests {
    /// Hides the merchant account, as if nobody had sent it: the default one is used.
    private struct Forgetful: HTTPTransport {
        let base: SandboxBraintree

        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            let text = String(decoding: body, as: UTF8.self)
                .replacing("<merchant_account_id>sandbox_jpy</merchant_account_id>", with: "")
            return try await base.send(request, body: Array(text.utf8), deadline: deadline)
        }
    }

    private static let yen = Money(minorUnits: 3500, currency: .jpy)

    private func checkout(_ transport: any HTTPTransport) throws -> Checkout {
        let provider = try BraintreeProviderTests.provider(transport)
        return Checkout(journal: MemoryJournal(), providers: [provider], clock: ManualClock(waits: .last))
    }

    private func sale(_ checkout: Checkout, _ amount: Money) async throws -> Payment {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: amount)
        let payment = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic))
        return try await checkout.confirm(
            payment.id, account: .main, provider: ProviderName(rawValue: "braintree"),
            tender: .card(BraintreeProviderTests.card().details))
    }

    @Test("each currency goes into the account that is named for it") func account() async throws {
        let sandbox = SandboxBraintree()
        let paid = try await sale(try checkout(sandbox), Self.yen)
        #expect(paid.status == .succeeded && paid.captured == Self.yen)
        #expect(await sandbox.ledger().first?["currency"]?.stringValue == "JPY")
    }

    @Test("a currency without an account is refused before anything is written or sent, and the setting is named")
    func unnamed() async throws {
        let wire = RecordingTransport(SandboxBraintree())
        let checkout = try checkout(wire)
        let dollars = Money(minorUnits: 3500, currency: .usd)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: dollars)
        let payment = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic))
        let error = await #expect(throws: CheckoutError.self) {
            _ = try await checkout.confirm(
                payment.id, account: .main, provider: ProviderName(rawValue: "braintree"),
                tender: .card(BraintreeProviderTests.card().details))
        }
        #expect(error?.what.contains("braintree.merchant_accounts") == true)
        #expect(try await checkout.payment(payment.id, account: .main).version == 1)
        #expect(wire.exchanges.isEmpty)
    }

    @Test("an answer in another currency is an alarm and no payment, and canceling voids it") func other() async throws
    {
        let sandbox = SandboxBraintree()
        let checkout = try checkout(Forgetful(base: sandbox))
        let payment = try await sale(checkout, Self.yen)
        let taken = Money(minorUnits: 350_000, currency: .eur)
        #expect(payment.status == .unknown && payment.captured.isZero)
        #expect(payment.attention == [.wrongCurrency(authorized: taken, asked: Self.yen)])
        let canceled = try await checkout.cancel(payment.id, account: .main)
        #expect(canceled.status == .canceled)
        #expect(await sandbox.ledger().map { $0["state"]?.stringValue } == ["voided"])
    }

    @Test("accounts are written as currency and name, each currency once") func parsing() throws {
        #expect(
            try BraintreeConfig.merchantAccounts(parsing: "EUR=shop_eur; JPY = shop-jpy")
                == [.eur: "shop_eur", .jpy: "shop-jpy"])
        #expect(try BraintreeConfig.merchantAccounts(parsing: "").isEmpty)
        for text in ["EUR", "EUR=", "EUR=a; EUR=b", "XXX=a", "EUR=a/b", "=a"] {
            #expect(throws: BraintreeConfigError.merchantAccounts) {
                try BraintreeConfig.merchantAccounts(parsing: text)
            }
        }
    }
}
