import ProviderConformance
import Synchronization
import Testing
import TillCheckout
import TillCards
import TillCore
import TillSandbox

/// The sandbox, whose own faults are its line.
private struct SandboxWorld: ProviderWorld {
    /// A verb is one call.
    private final class Line: FaultyLine {
        private let faults: SandboxFaults
        private let isArmed = Mutex(false)
        let addresses: [String] = []

        init(_ faults: SandboxFaults) { self.faults = faults }

        func arm(_ fault: LineFault, after calls: Int, of verb: Verb) {
            guard calls == 0 else { return }
            isArmed.withLock { $0 = true }
            let operation: SandboxOperation =
                switch verb {
                case .authorize: .authorize
                case .capture: .capture
                case .void: .void
                case .refund: .refund
                }
            let happens: SandboxFault =
                switch fault {
                case .notSent: .notSent
                case .requestLost: .timeoutBeforeCommit
                case .answerLost: .timeoutAfterCommit
                }
            faults.fail(operation, with: happens)
        }

        func disarm() -> Bool {
            isArmed.withLock { isArmed in
                defer { isArmed = false }
                return isArmed
            }
        }
    }

    private let ledger: SandboxLedger
    let provider: any PaymentServiceProvider
    let line: (any FaultyLine)?
    let tender: Tender
    let declined: (tender: Tender, amount: Money)?
    let challenged: Tender?
    let secrets = ["4242424242424242", "4000000000009995", "\"987\""]
    let now = SystemClock().now()

    init(preparesFirst: Bool) throws {
        let faults = SandboxFaults()
        let sandbox = SandboxProvider(
            store: SandboxMemoryStore(), clock: SystemClock(), faults: faults, preparesFirst: preparesFirst)
        ledger = sandbox.ledger
        provider = sandbox
        line = Line(faults)
        func card(_ number: String) throws -> Tender {
            .card(
                try PaymentCard(
                    number: number, expiry: "12/34", securityCode: "987",
                    now: Timestamp(milliseconds: 1_795_000_000_000)
                ).details)
        }
        tender = try card("4242424242424242")
        declined = (try card("4000000000009995"), Moved.amount)
        challenged = try card("4000002760003184")
    }

    let canHappen: Set<AfterSaleNews> = [.refund, .failRefund, .capture, .failCapture, .dispute, .winDispute, .inquiry]
    func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool {
        let event: SandboxAfterSale =
            switch news {
            case .refund: .refund(500)
            case .failRefund: .failRefund(nil, isCanceled: false)
            case .capture: .capture(nil)
            case .failCapture: .failCapture
            case .dispute: .dispute(nil, reason: "fraudulent", isInquiry: false, respondBy: nil)
            case .inquiry: .dispute(nil, reason: "fraudulent", isInquiry: true, respondBy: nil)
            case .winDispute: .closeDispute(isWon: true)
            }
        return try await ledger.play(event, on: reference) != nil
    }

    func moved() async throws -> Moved {
        let charges = try await ledger.charges()
        return Moved(
            live: charges.filter { $0.state == .authorized && $0.authorized > 0 }.count,
            captured: charges.reduce(0) { $0 + $1.captured }, refunded: charges.reduce(0) { $0 + $1.refunded })
    }
}

/// A cash drawer, beside which somebody counts what was handed over.
private final class CountedDrawer: PaymentServiceProvider {
    private let drawer = CashDrawer()
    private let counted = Mutex<(taken: [ProviderReference: Int64], back: [RefundID: Int64])>(([:], [:]))
    var name: ProviderName { drawer.name }
    var capabilities: ProviderCapabilities { drawer.capabilities }
    var amounts: AmountCodec { drawer.amounts }
    func identity() async -> ProviderIdentity { await drawer.identity() }

    var moved: Moved {
        counted.withLock { counted in
            Moved(
                live: counted.taken.count, captured: counted.taken.values.reduce(0, +),
                refunded: counted.back.values.reduce(0, +))
        }
    }

    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        let answer = await drawer.authorize(request, with: tender)
        if case .approved(let taken) = answer {
            counted.withLock { $0.taken[taken.reference] = taken.amount.minorUnits }
        }
        return answer
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await drawer.capture(request)
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<TillCore.Confirmation> { await drawer.void(request) }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        let answer = await drawer.refund(request)
        if case .approved = answer { counted.withLock { $0.back[request.refund] = request.amount.minorUnits } }
        return answer
    }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> { await drawer.query(request) }
}

private struct CashWorld: ProviderWorld {
    private let drawer = CountedDrawer()
    var provider: any PaymentServiceProvider { drawer }
    let tender = Tender.cash(tendered: Moved.amount)
    let declined: (tender: Tender, amount: Money)? = (
        .cash(tendered: Money(minorUnits: 1, currency: .eur)), Moved.amount
    )
    let secrets: [String] = []
    let now = SystemClock().now()
    func moved() async throws -> Moved { drawer.moved }
}

@Suite("The sandbox and the cash drawer keep what every provider promises") struct ConformanceTests {
    @Test(arguments: Promise.all, [true, false]) func sandbox(_ promise: Promise, preparesFirst: Bool) async throws {
        let broken = try await promise.broken { try SandboxWorld(preparesFirst: preparesFirst) }
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test(arguments: Promise.all) func cash(_ promise: Promise) async throws {
        let broken = try await promise.broken { CashWorld() }
        #expect(broken.isEmpty, "\(broken)")
    }
}
