import Synchronization
import TillCore
import TillProvider
import TillSandbox
import TillStandInStripe
import TillStripe
import TillTestSupport
import TillStatements

/// The card readers on a shop's counters, with Stripe as the provider and simulated customers. They share the ledger of
/// the other provider, so that one oracle sees all money.
final class WorldReaders: Sendable {
    /// The readers of one shop. Few, so that sales collide at one.
    static let count = 3
    /// The time a card stays in a reader.
    static let cardTime = Span.milliseconds(1_500)
    static let key = Secret("sk_test_simulation")

    /// Stripe without a network.
    let stripe: SandboxStripeTransport
    /// The customers' actions at a reader, also without a network.
    let people: StripeTerminal?
    private let names = Mutex<[String]>([])
    private let ear: Ear

    /// The receiver of Stripe's notifications, which is set only once the world is complete.
    private final class Ear: Sendable {
        let hear = Mutex<(@Sendable (SandboxNotification) -> Void)?>(nil)
        func notify(_ notice: SandboxNotification) { hear.withLock { $0 }?(notice) }
    }

    init(ledger: SandboxLedger, executor: SimulatedExecutor) {
        let ear = Ear()
        self.ear = ear
        stripe = SandboxStripeTransport(
            ledger: ledger, cardTime: WorldReaders.cardTime,
            spawn: { work in Task(executorPreference: executor) { await work() } }, notify: { ear.notify($0) })
        people = (try? StripeProvider(secretKey: WorldReaders.key, transport: stripe, clock: ledger.clock))
            .map { StripeTerminal($0) }
    }

    /// The provider name under which Stripe's list is swept.
    static let provider = StripeModule.name

    /// Returns Stripe's list of all sales at readers, as read over the given network.
    func charges(over wire: any HTTPTransport) -> (any ChargeListing)? {
        (try? StripeProvider(secretKey: WorldReaders.key, transport: wire, clock: stripe.ledger.clock))?.charges
    }

    /// The identifiers of the readers; empty before the shop opens.
    var ids: [String] { names.withLock { $0 } }

    /// Registers the readers.
    func open(hear: @escaping @Sendable (SandboxNotification) -> Void) async {
        ear.hear.withLock { $0 = hear }
        for number in 1...WorldReaders.count {
            let key = IdempotencyKey(rawValue: "register-\(number)")
            guard
                let reader = try? await people?.register(
                    code: "simulated-wpe", label: "Counter \(number)", location: nil, key: key)
            else { continue }
            names.withLock { $0.append(reader.id) }
        }
    }

    /// Stops forwarding notifications.
    func close() { ear.hear.withLock { $0 = nil } }
}

extension SimulatedWorld {
    /// Delivers a notification of Stripe: to the processes that wait for the reader, and about the payment, as
    /// unreliably as any webhook.
    func hear(_ notice: SandboxNotification) {
        if notice.type.hasPrefix("terminal.reader."), let reader = notice.object["id"]?.stringValue {
            guard chance(800) else { return }
            spawn { [self] in
                await pause(5...1500)
                for process in state.withLock({ $0.processes }) { process.feed.changed(reader) }
            }
        }
        guard notice.type.hasPrefix("payment_intent."), notice.type != "payment_intent.created",
            let payment = notice.object["metadata"]?["till_payment"]?.stringValue,
            let order = notice.object["metadata"]?["till_order"]?.stringValue
        else { return }
        let id = PaymentID(rawValue: payment)
        sendWebhook(
            about: AttemptContext(
                account: .main, order: OrderID(rawValue: order), payment: id,
                attempt: AttemptID(rawValue: "\(id)-a1"), startedAt: clock.now(), reference: nil))
    }

    /// Causes a random fault, or none, at a reader during a sale.
    func trouble(at reader: String) {
        guard !isCalm, chance(250) else { return }
        let stripe = readers.stripe
        switch number(0...7) {
        case 0:
            count("reader unplugged")
            spawn { [self] in
                await pause(0...20_000)
                stripe.act("offline", at: reader)
                await pause(3_000...300_000)
                stripe.act("online", at: reader)
            }
        case 1:
            count("reader restarts")
            spawn { [self] in
                await pause(0...15_000)
                stripe.act("reboot", at: reader)
            }
        case 2:
            count("customer cancels at the reader")
            spawn { [self] in
                await pause(500...15_000)
                stripe.act("customer_cancel", at: reader)
            }
        case 3:
            count("card taken out too early")
            spawn { [self] in
                await pause(500...15_000)
                stripe.act("remove_card", at: reader)
            }
        case 4:
            count("reader did it and did not answer")
            stripe.act("fault", at: reader, fault: "timeout_after")
        case 5:
            count("reader neither did it nor answered")
            stripe.act("fault", at: reader, fault: "timeout_before")
        case 6:
            count("command lost on the way to the reader")
            stripe.act("fault", at: reader, fault: "lost")
        default:
            count("reader out of order")
            stripe.act("fault", at: reader, fault: "hardware")
        }
    }

    /// Simulates a customer presenting a card as soon as the reader asks for one, whichever order it shows.
    func stand(at reader: String, with card: TerminalTestCard) {
        spawn { [self] in
            await pause(500...20_000)
            if chance(60) { return count("customer walks away") }
            for _ in 0..<30 {
                if readers.stripe.wantsCard(at: reader) {
                    let key = IdempotencyKey(rawValue: "card-\(number(0...Int64.max))")
                    if (try? await readers.people?.present(card, at: reader, key: key)) != nil { return }
                }
                await pause(1_500...8_000)
            }
        }
    }
}
