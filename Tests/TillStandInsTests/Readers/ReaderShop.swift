import HTTPTypes
import Synchronization
import Testing
import TillAdyen
import TillCore
import TillHardware
import TillSandbox
import TillStandInAdyen
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// A shop with one reader of some vendor's, and everything that a test does to it.
protocol ReaderShop: Sendable {
    var clock: ManualClock { get }
    var driver: any CardReaderDriver { get }
    var limits: CardReaderServiceLimits { get }
    /// Acts as soon as the reader waits for a card.
    func whenWaiting(_ act: @escaping @Sendable () async -> Void)
    /// Presents a card; `false` if the reader takes none.
    @discardableResult
    func present(isRefused: Bool) async -> Bool
    /// Ends the wait for the card as the cashier does.
    func callOff(_ service: StandardCardReaderService) async
    /// Loses the answer to the next request for money, or the request.
    func lose(_ part: LostPart)
    /// Another till has the reader wait for a card for 7.77.
    func otherTill() async throws
    /// What was taken at the reader or is held, in minor units.
    func taken() async throws -> [Int64]
    /// The number of requests that have reached the vendor.
    var requests: Int { get }
}

enum LostPart { case answer, request }

enum Vendor: String, CaseIterable, CustomTestStringConvertible {
    case stripe
    case adyen

    var testDescription: String { rawValue }

    func open() async throws -> any ReaderShop {
        switch self {
        case .stripe: try await StripeShop()
        case .adyen: try await AdyenShop()
        }
    }
}

extension ReaderShop {
    /// A service of this shop with its reader connected.
    func service() async throws -> StandardCardReaderService {
        let service = StandardCardReaderService(driver: driver, clock: clock, limits: limits)
        try await service.start(NoCardReaderConfig(), discoveryMethod: .internet)
        for await found in service.discoveredReaders.subscribe() {
            guard let first = found.first else { continue }
            try await service.connect(first)
            break
        }
        return service
    }

    static func parameters(_ order: String = "o-1") -> PaymentIntentParameters {
        PaymentIntentParameters(
            amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: order))
    }

    /// Waits until something is so.
    func until(_ condition: () async -> Bool) async throws {
        while await !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }
}

/// Stripe's smart reader.
struct StripeShop: ReaderShop {
    let world: TerminalWorld
    let reader: TerminalReader
    let driver: any CardReaderDriver
    let limits = CardReaderServiceLimits()

    /// - Parameter country: the country of the reader's location, if it has one.
    init(country: String? = nil) async throws {
        world = try TerminalWorld()
        reader = try await world.register(country: country)
        driver = StripeTerminalDriver(world.readers)
    }

    var clock: ManualClock { world.clock }
    var requests: Int { world.wire.lines.withLock { $0.count } }

    func whenWaiting(_ act: @escaping @Sendable () async -> Void) { world.customer { _ in await act() } }

    @discardableResult
    func present(isRefused: Bool) async -> Bool {
        guard let card = TerminalTestCard(named: isRefused ? "declined:insufficient_funds" : "visa") else {
            return false
        }
        let key = world.key("card-\(UInt64.random(in: .min ... .max))")
        return (try? await world.readers.present(card, at: reader.id, key: key)) != nil
    }

    /// Beside the query that waits for this: the service returns once the sale has ended. The time stands still until
    /// the reader is told.
    func callOff(_ service: StandardCardReaderService) async {
        func told() -> Int { world.wire.lines.withLock { $0.count { $0.hasSuffix("/cancel_action") } } }
        let before = told()
        Task { try? await service.cancelPayment() }
        try? await until { told() > before }
    }

    func lose(_ part: LostPart) {
        world.wire.plan.withLock { plan in
            switch part {
            case .answer: plan.loseAnswer = ["/confirm_payment_intent"]
            case .request: plan.loseRequest = ["/confirm_payment_intent"]
            }
        }
    }

    func otherTill() async throws {
        var draft = TerminalIntentDraft(amount: 777, currency: "eur")
        draft.metadata = ["till_order": "other"]
        let other = try await world.readers.createIntent(draft, key: world.key("other"))
        _ = try await world.readers.process(other, at: reader.id, TerminalCollection(), key: world.key("other-process"))
    }

    func taken() async throws -> [Int64] {
        try await world.stripe.ledger.charges().map(\.authorized).filter { $0 > 0 }
    }
}

/// A terminal of Adyen's. A payment there waits for its customer.
struct AdyenShop: ReaderShop {
    let clock = ManualClock(waits: .moveTime(upTo: .seconds(5)))
    let sandbox = SandboxAdyen()
    let wire: WireToTerminal
    let driver: any CardReaderDriver
    let limits = CardReaderServiceLimits.adyenTerminal

    init() async throws {
        wire = WireToTerminal(sandbox)
        driver = AdyenTerminalDriver(try AdyenShop.terminal("Till", wire, clock), clock: clock)
        await sandbox.terminal.setWaits(true)
    }

    static func terminal(
        _ till: String, _ wire: any HTTPTransport, _ clock: any TillClock
    ) throws -> AdyenTerminal {
        try #require(
            AdyenTerminal(
                terminal: "V400m-324688179", till: till, url: "http://127.0.0.1:1", seal: nil, transport: wire,
                clock: clock))
    }

    var requests: Int { wire.categories.withLock { $0.count } }

    func whenWaiting(_ act: @escaping @Sendable () async -> Void) {
        Task { [sandbox] in
            while await !sandbox.terminal.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
            await act()
        }
    }

    @discardableResult
    func present(isRefused: Bool) async -> Bool { await sandbox.terminal.present(isRefused: isRefused) }

    /// The card is presented during the confirmation: the service cancels nothing then, the driver does.
    func callOff(_ service: StandardCardReaderService) async { try? await driver.cancelCollect() }

    func lose(_ part: LostPart) { wire.lost.withLock { $0 = part } }

    func otherTill() async throws {
        let other = try AdyenShop.terminal("Other", sandbox, clock)
        Task {
            _ = try? await other.pay(Money(minorUnits: 777, currency: .eur), transaction: "other", name: "0000000777")
        }
        try await until { await sandbox.terminal.isWaiting }
    }

    func taken() async throws -> [Int64] {
        await sandbox.terminal.sales.compactMap { Money(ifValid: $0.amount, currency: .eur)?.minorUnits }
    }
}

/// Carries requests to the terminal; loses what it is told to lose.
final class WireToTerminal: HTTPTransport {
    let categories = Mutex<[String]>([])
    /// Set after a disconnection.
    let isEnded = Mutex(false)
    /// The number of payments that left after that, as if nothing had ended them.
    let late = Mutex(0)
    /// The last payment that was lost on its way.
    private let held = Mutex<(request: HTTPRequest, body: [UInt8])?>(nil)
    /// What is lost of the next payment.
    let lost = Mutex<LostPart?>(nil)
    private let sandbox: SandboxAdyen

    init(_ sandbox: SandboxAdyen) { self.sandbox = sandbox }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let header = JSONValue(ifValid: body)?["SaleToPOIRequest"]?["MessageHeader"]
        let category = header?["MessageCategory"]?.stringValue ?? ""
        categories.withLock { $0.append(category) }
        let part = lost.withLock { lost -> LostPart? in
            guard category == "Payment" else { return nil }
            defer { lost = nil }
            return lost
        }
        if category == "Payment", !Task.isCancelled, isEnded.withLock({ $0 }) { late.withLock { $0 += 1 } }
        if part == .request {
            held.withLock { $0 = (request, body) }
            throw .unknown(reason: "lost on the way")
        }
        let reply = try await sandbox.send(request, body: body, deadline: deadline)
        if part == .answer { throw .unknown(reason: "lost on the way back") }
        return reply
    }

    /// Has the payment that was lost on its way arrive after all.
    func deliver() async throws {
        guard let late = held.withLock({ $0 }) else { return }
        _ = try await sandbox.send(late.request, body: late.body, deadline: .seconds(30))
    }
}
