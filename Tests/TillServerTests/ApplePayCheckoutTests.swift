import Synchronization
import Testing
import TillApplePay
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal
import TillJournalSQLite
import TillSandbox
import TillStandInApple

@testable import TillServer
@testable import TillWeb

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who comes to it waits until it is opened, or until his task is canceled.
private final class Door: Sendable {
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    /// Who waits; `nil` once it is open. A stream for each: one that is canceled ends its stream.
    private let waiting = Mutex<[AsyncStream<Void>.Continuation]?>([])

    func pass() async {
        let (openings, opening) = AsyncStream<Void>.makeStream()
        let isShut = waiting.withLock { waiting in
            waiting?.append(opening)
            return waiting != nil
        }
        arrival.yield()
        guard isShut else { return }
        for await _ in openings {}
    }
    /// Returns when somebody has come.
    func someoneCame() async { for await _ in arrivals { return } }
    func open() {
        for one in waiting.withLock({ waiting in
            defer { waiting = nil }
            return waiting ?? []
        }) { one.finish() }
    }
}

/// A clock whose waits end when the test says so.
private final class HeldClock: TillClock {
    let door = Door()
    let waits = Mutex<[Span]>([])

    func now() -> Timestamp { SystemClock().now() }
    func sleep(for span: Span) async throws {
        waits.withLock { $0.append(span) }
        await door.pass()
        try Task.checkCancellation()
    }
}

/// The sandbox, with something that happens when it is asked for money, and mute if told so.
private struct Provider: PaymentServiceProvider {
    let base: SandboxProvider
    var isMute = false
    var whenAsked: @Sendable () async -> Void = {}
    var decline: @Sendable () -> Decline? = { nil }

    var name: ProviderName { base.name }
    var capabilities: ProviderCapabilities { base.capabilities }
    var amounts: AmountCodec { base.amounts }
    func identity() async -> ProviderIdentity { await base.identity() }

    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await base.prepare(request)
    }
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        await whenAsked()
        if let decline = decline() { return .declined(decline) }
        let answer = await base.authorize(request, with: tender)
        return isMute ? .unknown(reason: "no answer") : answer
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await base.capture(request)
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await base.void(request)
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await base.refund(request)
    }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        isMute ? .unknown(reason: "no answer") : await base.query(request)
    }
}

/// A store of transactions that takes its time.
private struct SlowReplayStore: ReplayStore {
    let door: Door
    func reserve(_ transaction: WalletTransactionID, for order: String, until: Timestamp) async -> Bool {
        await door.pass()
        return true
    }
}

/// A shop with Apple Pay, its journal in a file, its provider and its customer's device.
private struct Shop {
    static let merchant = "merchant.test.example"

    let path = FileManager.default.temporaryDirectory.path + "/sheet-\(UInt64.random(in: .min ... .max))"
    let clock = HeldClock()
    let apple: SandboxAppleAuthority
    let key: ProcessingKey
    let device: SandboxTokenMaker
    let provider = SandboxProvider(store: SandboxMemoryStore(), faults: SandboxFaults(followsTables: false))
    let basket: SheetBasket

    init() throws {
        apple = try SandboxAppleAuthority(issued: clock.now())
        let processing = try apple.processingIdentity(merchant: Shop.merchant)
        key = try ProcessingKey(
            certificate: Array(processing.certificate.utf8), key: Array(processing.key.reveal().utf8))
        device = try SandboxTokenMaker(apple: apple, processingCertificate: processing.certificate)
        let shop = SheetBasket.ShopAddress(
            name: "Shop", addressLines: ["1 Street"], locality: "London", postalCode: "EC4M 7RF", countryCode: "GB")
        basket = SheetBasket(
            id: "b-1", currency: .gbp, service: .collection(shop),
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: 250, currency: .gbp))])
    }

    func journal() throws -> SQLiteJournal { try SQLiteJournal.open(at: path + "/journal.sqlite") }
    func end() { try? FileManager.default.removeItem(atPath: path) }

    func checkout(
        _ journal: SQLiteJournal, _ provider: Provider? = nil, replay: (any ReplayStore)? = nil,
        account: AccountID = .main, opening: TokenOpening = .here
    ) throws -> ApplePayCheckout {
        var options = ApplePayOptions(
            environment: .sandbox, factory: ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB"),
            currency: .gbp, domains: [], keys: ProcessingKeyRing([key]),
            area: DeliveryArea(country: "GB", areas: ["EC4M"], parts: [:]))
        options.opening = opening
        let engine = Checkout(
            journal: journal, providers: [provider ?? Provider(base: self.provider)], clock: SystemClock())
        return ApplePayCheckout(
            live: LiveApplePayOptions(options, clock: MeasuringClock(clock)),
            verifier: PaymentTokenVerifier(
                trust: try SignerTrust(root: apple.rootCertificate), environment: .sandbox),
            baskets: ApplePayBaskets(journal: journal, owner: account, clock: clock),
            customers: CustomerAccounts(
                journal, owner: account, pepper: Pepper(besideJournal: journal.path), clock: clock),
            replay: replay ?? JournalReplayStore(store: journal, clock: clock), checkout: engine,
            account: account, provider: .sandbox, clock: clock, metrics: ApplePayMetrics())
    }

    /// What a page sends when the customer has authorized: a new token each time.
    func sheet(_ checkout: ApplePayCheckout) async throws -> ApplePayCheckout.Authorized {
        let entry = try #require(try await checkout.baskets.entry(basket.id))
        var request = SandboxTokenRequest(amount: try basket.total(), signedAt: clock.now())
        request.applicationData = ApplePayBaskets.applicationData(entry)
        return ApplePayCheckout.Authorized(
            basketID: basket.id, version: basket.version, merchant: MerchantIDHash(of: Shop.merchant),
            token: try device.token(request),
            shipping: WalletContact(
                givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@example.com",
                phoneNumber: "+44 20 7946 0000"))
    }

    func charged() async throws -> [Int64] { try await provider.ledger.charges().map(\.captured).filter { $0 > 0 } }
}

/// What a sheet is told, and when its basket is free for another card, where a payment does not come to its end.
@Suite("A sheet's payment that is held up")
struct ApplePayCheckoutTests {
    private func isTaken(_ shop: Shop, _ journal: SQLiteJournal) async throws -> Bool {
        try await Records<WalletBasket>(journal).document(shop.basket.id)?.attempt != nil
    }

    /// The status, as soon as nobody works on the payment any more.
    private func settled(_ checkout: ApplePayCheckout, _ id: String) async throws -> String? {
        for _ in 0..<12_000 {
            let status = try await checkout.status(id, showsToken: false)["status"]?.stringValue
            if status != "pending" { return status }
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    @Test("A sale is of the account that the counter runs for, whatever its name is")
    func account() async throws {
        let shop = try Shop()
        defer { shop.end() }
        let (journal, north) = (try shop.journal(), AccountID(rawValue: "north"))
        let checkout = try shop.checkout(journal, account: north)
        try await checkout.baskets.open(shop.basket)
        let told = try await checkout.pay(try await shop.sheet(checkout))
        #expect(SheetAnswerStatus(of: told) == .placed)
        let attempt = try #require(try await Records<WalletBasket>(journal).document(shop.basket.id)?.attempt)
        let payment = try #require(attempt.payment)
        #expect(try await journal.payment(payment)?.account == north)
        #expect(try await shop.charged() == [250])
        // A counter of another account on the same journal knows neither the basket nor how it stands.
        let main = try shop.checkout(journal)
        #expect(try await main.baskets.entry(shop.basket.id) == nil)
        await #expect(throws: Problem.self) { try await main.status(shop.basket.id, showsToken: true) }
        let status = try await checkout.status(shop.basket.id, showsToken: true)
        #expect(SheetAnswerStatus(of: status) == .placed)
        try await journal.close()
    }

    @Test("The sheet waits for the provider twenty seconds and no longer; the payment goes on")
    func budget() async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let door = Door()
        let checkout = try shop.checkout(journal, Provider(base: shop.provider) { await door.pass() })
        try await checkout.baskets.open(shop.basket)
        let sheet = try await shop.sheet(checkout)
        async let told = checkout.pay(sheet)
        await door.someoneCame()
        await shop.clock.door.someoneCame()
        #expect(shop.clock.waits.withLock { $0 } == [.seconds(20)])
        shop.clock.door.open()
        #expect(try await told["status"]?.stringValue == "pending")
        #expect(try await isTaken(shop, journal))
        #expect(try await shop.charged() == [])
        door.open()
        #expect(try await settled(checkout, shop.basket.id) == "placed")
        #expect(try await shop.charged() == [250])
        try await journal.close()
    }

    @Test("A basket whose payment is only beginning is not free, whoever asks how it stands")
    func beginning() async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let door = Door()
        let checkout = try shop.checkout(journal, replay: SlowReplayStore(door: door))
        try await checkout.baskets.open(shop.basket)
        let sheet = try await shop.sheet(checkout)
        async let told = checkout.pay(sheet)
        // The token is being looked at: no payment is in the journal yet.
        await door.someoneCame()
        #expect(try await checkout.status(shop.basket.id, showsToken: false)["status"]?.stringValue == "pending")
        #expect(try await isTaken(shop, journal))
        door.open()
        #expect(try await told["status"]?.stringValue == "placed")
        #expect(try await shop.charged() == [250])
        try await journal.close()
    }

    @Test(
        "A token of the basket as it was before the shop replaced it pays nothing, whoever opens it",
        arguments: [TokenOpening.here, .provider])
    func replaced(_ opening: TokenOpening) async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let checkout = try shop.checkout(journal, opening: opening)
        var terms = BasketTerms(order: OrderID(rawValue: "o-1"), number: "o-1", fingerprint: [1])
        _ = try await checkout.baskets.open(shop.basket, on: terms, account: nil)
        var sheet = try await shop.sheet(checkout)
        (terms.note, terms.fingerprint) = ("Ring twice", [2])
        let replaced = try await checkout.baskets.replace(shop.basket.id, with: shop.basket, on: terms, account: nil)
        // The page has the new version, and the token is of the sheet that was open before.
        sheet.version = try #require(replaced?.basket.version)
        let late = sheet
        let refusal = await #expect(throws: ApplePayCheckout.Refusal.self) { try await checkout.pay(late) }
        #expect(refusal?.code == "basket_changed")
        #expect(try await !isTaken(shop, journal))
        #expect(try await shop.charged() == [])
        try await journal.close()
    }

    @Test(
        "A total that is sent with a payment is the one that is charged, whoever opens the token",
        arguments: [TokenOpening.here, .provider])
    func shownTotal(_ opening: TokenOpening) async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let checkout = try shop.checkout(journal, opening: opening)
        try await checkout.baskets.open(shop.basket)
        let entry = try #require(try await checkout.baskets.entry(shop.basket.id))
        var sheet = try await shop.sheet(checkout)
        try checkout.bind(sheet, to: entry)
        sheet.shown = Money(minorUnits: 250, currency: .gbp)
        try checkout.bind(sheet, to: entry)
        for (units, currency) in [(249, .gbp), (251, .gbp), (250, .eur)] as [(Int64, Currency)] {
            sheet.shown = Money(minorUnits: units, currency: currency)
            let late = sheet
            let refusal = await #expect(throws: ApplePayCheckout.Refusal.self) { try await checkout.pay(late) }
            #expect(refusal?.code == "price_changed")
            sheet = try await shop.sheet(checkout)
        }
        #expect(try await !isTaken(shop, journal))
        #expect(try await shop.charged() == [])
        try await journal.close()
    }

    @Test("Where the provider takes no token of the shop the customer is told of the shop, and staff until a sale")
    func notEnabled() async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let decline = Guarded<Decline?>(Decline(reason: .notEnabled, code: "parameter_unknown"))
        var provider = Provider(base: shop.provider)
        provider.decline = { decline.withLock { $0 } }
        let checkout = try shop.checkout(journal, provider)
        try await checkout.baskets.open(shop.basket)
        let told = try await checkout.pay(try await shop.sheet(checkout))
        #expect(SheetAnswerStatus(of: told) == .declined && told["moneyMoved"]?.stringValue == "no")
        let words = String(decoding: told.bytes(), as: UTF8.self)
        #expect(words.contains("This shop cannot take Apple Pay now") && !words.contains("card was declined"))
        let notice = try #require(checkout.refusals.notice(of: .sandbox))
        #expect(notice.code == "provider_refuses" && notice.since != nil && notice.reason.contains("parameter_unknown"))

        // A card that is declined is another matter.
        decline.withLock { $0 = Decline(reason: .generic) }
        let declined = try await checkout.pay(try await shop.sheet(checkout))
        #expect(String(decoding: declined.bytes(), as: UTF8.self).contains("card was declined"))
        #expect(checkout.refusals.notice(of: .sandbox)?.since == notice.since)

        decline.withLock { $0 = nil }
        #expect(SheetAnswerStatus(of: try await checkout.pay(try await shop.sheet(checkout))) == .placed)
        #expect(checkout.refusals.notice(of: .sandbox) == nil)
        try await journal.close()
    }

    @Test("A provider without an answer is told as pending, and the basket takes no other card")
    func mute() async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let asked = Mutex(0)
        var provider = Provider(base: shop.provider) { asked.withLock { $0 += 1 } }
        provider.isMute = true
        let checkout = try shop.checkout(journal, provider)
        try await checkout.baskets.open(shop.basket)
        let told = try await checkout.pay(try await shop.sheet(checkout))
        #expect(told["status"]?.stringValue == "pending" && told["moneyMoved"]?.stringValue == "unknown")
        #expect(try await isTaken(shop, journal))
        let again = try await checkout.pay(try await shop.sheet(checkout))
        #expect(again["status"]?.stringValue == "pending")
        #expect(asked.withLock { $0 } == 1)
        try await journal.close()
    }

    @Test("A counter that is stopped while the provider is asked does not say that nothing was charged")
    func stopped() async throws {
        let shop = try Shop()
        defer { shop.end() }
        let journal = try shop.journal()
        let checkout = try shop.checkout(journal, Provider(base: shop.provider) { try? await journal.close() })
        try await checkout.baskets.open(shop.basket)
        let told = try await checkout.pay(try await shop.sheet(checkout))
        #expect(told["status"]?.stringValue == "pending" && told["moneyMoved"]?.stringValue == "unknown")
        // The next one finds the basket taken and the money, once.
        let next = try shop.journal()
        #expect(try await isTaken(shop, next))
        let successor = try shop.checkout(next)
        try await successor.checkout.recover()
        #expect(try await settled(successor, shop.basket.id) == "placed")
        #expect(try await shop.charged() == [250])
        try await next.close()
    }
}
