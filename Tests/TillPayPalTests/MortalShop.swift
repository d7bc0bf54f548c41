import HTTPTypes
import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillPayPal
import TillPayPalClient
import TillSandbox
import TillStandInPayPal
import TillTestSupport

/// A process that dies at its n-th step. A step is before or after a write to the journal or a call to PayPal; after
/// its death nothing that it does has an effect.
final class Mortal: Sendable {
    private let state: Mutex<(left: Int, isDead: Bool)>
    init(steps: Int) { state = Mutex((steps, false)) }
    var isDead: Bool { state.withLock { $0.isDead } }
    func dies() -> Bool {
        state.withLock { state in
            if state.left == 0 { state.isDead = true }
            state.left -= 1
            return state.isDead
        }
    }
}

struct MortalJournal: JournalInFront {
    let base: MemoryJournal
    let process: Mortal?
    func write(_ write: JournalWrite) async throws(JournalError) {
        try step()
        try await base.write(write)
        try step()
    }
    /// At its death the process lets go of all that it works on.
    private func step() throws(JournalError) {
        guard process?.dies() ?? false else { return }
        base.crash()
        throw .unavailable("dead")
    }
}

/// The stand-in's wire with a list of what was asked of it, and something that may happen while an answer travels.
final class WatchedWire: HTTPTransport {
    private let base: SandboxPayPalTransport
    private let process: Mortal?
    private let lines = Mutex<[String]>([])
    private let onAnswer: @Sendable (String) async -> Void
    init(_ base: SandboxPayPalTransport, process: Mortal?, onAnswer: @escaping @Sendable (String) async -> Void) {
        self.base = base
        self.process = process
        self.onAnswer = onAnswer
    }
    /// What was asked, without tokens: `POST …/capture`.
    var asked: [String] { lines.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let line = "\(request.method.rawValue) \(request.path ?? "")"
        let isToken = request.path == "/v1/oauth2/token"
        if !isToken {
            if process?.dies() ?? false { throw .unknown(reason: "dead") }
            lines.withLock { $0.append(line) }
        }
        let reply = try await base.send(request, body: body, deadline: deadline)
        await onAnswer(line)
        if !isToken, process?.dies() ?? false { throw .unknown(reason: "dead") }
        return reply
    }
}

/// A shop with PayPal's stand-in, whose processes come and go over one journal, and whose clock is moved by hand.
struct MortalShop {
    let clock = ManualClock(waits: .last)
    let storage = MemoryJournal.Storage()
    let payPal: SandboxPayPalTransport

    init() { payPal = SandboxPayPalTransport(clock: clock) }

    /// A process.
    func engine(
        _ process: Mortal? = nil, onAnswer: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws -> (engine: Checkout, wire: WatchedWire) {
        let wire = WatchedWire(payPal, process: process, onAnswer: onAnswer)
        let provider = PayPalProvider(config: try Fixture.config(), transport: wire, clock: clock)
        let journal = MortalJournal(base: MemoryJournal(storage: storage, clock: clock), process: process)
        return (Checkout(journal: journal, providers: [provider], clock: clock), wire)
    }

    func sale(_ mode: CaptureMode, holder: String? = nil, by engine: Checkout? = nil) async throws -> Payment {
        let engine = try engine ?? self.engine().engine
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Fixture.amount)
        let id = try await engine.create(engine.draft(account: .main, order: order, captureMode: mode)).id
        let name = ProviderName(rawValue: "paypal")
        return try await engine.confirm(id, account: .main, provider: name, tender: try Fixture.tender(holder))
    }

    /// A sale whose customer has passed the bank's challenge, which nobody has noticed yet.
    func challenged(_ mode: CaptureMode = .automatic) async throws -> PaymentID {
        let payment = try await sale(mode, holder: "SCA-REQUIRED")
        guard payment.status == .requiresAction, let order = payment.currentAttempt?.reference?.rawValue,
            await payPal.answerChallenge(order, succeeds: true)
        else { throw Fault.noChallenge(payment.status) }
        return payment.id
    }

    /// Takes 5.00 of a hold of 12.50; more may be taken.
    func takePart(_ id: PaymentID) async throws {
        let part = Money(minorUnits: 500, currency: Fixture.amount.currency)
        let payment = try await engine().engine.capture(id, account: .main, amount: part, isFinal: false)
        guard payment.status == .partiallyCaptured else { throw Fault.noPart(payment.status) }
    }

    /// New processes, or the one that is there, look for what is due, over the next days.
    func settle(
        _ waits: [Span] = [.seconds(0), .minutes(6), .hours(2), .hours(8), .days(1)], by living: Checkout? = nil
    ) async throws {
        for wait in waits {
            clock.advance(by: wait)
            let engine = try living ?? engine().engine
            try await engine.recover()
        }
    }

    func payment(_ id: PaymentID) async throws -> Payment {
        try await engine().engine.payment(id, account: .main)
    }

    func names(_ id: PaymentID) async throws -> [String] {
        try await MemoryJournal(storage: storage, clock: clock).events(of: id).map(\.record.event.name)
    }

    /// What PayPal has taken and given back, in minor units.
    func taken() async -> Int64 {
        await payPal.ledger().reduce(0) { $0 + ($1["captured"]?.int64Value ?? 0) - ($1["refunded"]?.int64Value ?? 0) }
    }

    enum Fault: Error { case noChallenge(PaymentStatus), noPart(PaymentStatus) }
}
