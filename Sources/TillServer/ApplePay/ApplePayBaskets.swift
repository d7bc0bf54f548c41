import Crypto
import TillApplePay
import TillCore

/// The baskets that are open, with what became of them. In memory: an order that was paid is in the journal.
actor ApplePayBaskets {
    /// Baskets kept at most; the oldest that is not paid goes first.
    static let maximum = 10_000
    /// How long a basket is kept.
    static let lifetime = Span.hours(24)

    /// What became of a payment.
    struct Outcome: Sendable {
        var transaction: WalletTransactionID
        var state: State
        /// The payment in the journal, once there is one.
        var payment: PaymentID?
        enum State: Sendable {
            case working
            case answered(JSONValue)
        }
    }

    struct Entry: Sendable {
        var basket: SheetBasket
        var outcome: Outcome?
        var openedAt: Timestamp
        /// Whose order it is, once it is being paid.
        var contact: FullContact?
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private let clock: any TillClock
    private let key = SymmetricKey(size: .bits256)

    init(clock: any TillClock) { self.clock = clock }

    func open(_ basket: SheetBasket) {
        let now = clock.now()
        while let oldest = order.first, let entry = entries[oldest],
            order.count >= ApplePayBaskets.maximum || now.since(entry.openedAt) > ApplePayBaskets.lifetime
        {
            entries[oldest] = nil
            order.removeFirst()
        }
        if entries.updateValue(Entry(basket: basket, openedAt: now), forKey: basket.id) == nil {
            order.append(basket.id)
        }
    }

    func entry(_ id: String) -> Entry? { entries[id] }

    /// Changes a basket that nobody is paying.
    func change(_ id: String, _ body: @Sendable (inout SheetBasket) -> [SheetError]) -> (SheetBasket, [SheetError])? {
        guard var entry = entries[id], entry.outcome == nil else { return nil }
        let errors = body(&entry.basket)
        entries[id] = entry
        return (entry.basket, errors)
    }

    enum Admission: Sendable {
        case begin(SheetBasket)
        case repeated(Outcome)
        case other(Outcome)
        case changed(SheetBasket)
        case missing
    }

    /// Takes a basket for a payment. One at a time; a repeat of the same token gets what the first got.
    func begin(_ id: String, version: Int, transaction: WalletTransactionID) -> Admission {
        guard var entry = entries[id] else { return .missing }
        if let outcome = entry.outcome {
            return outcome.transaction == transaction ? .repeated(outcome) : .other(outcome)
        }
        guard entry.basket.version == version else { return .changed(entry.basket) }
        entry.outcome = Outcome(transaction: transaction, state: .working)
        entries[id] = entry
        return .begin(entry.basket)
    }

    /// Writes what became of a payment. One that certainly moved nothing frees the basket for another try.
    func finish(_ id: String, _ answer: JSONValue, isFree: Bool) {
        guard var outcome = entries[id]?.outcome else { return }
        outcome.state = .answered(answer)
        entries[id]?.outcome = isFree ? nil : outcome
    }

    /// Notes which payment in the journal the basket has.
    func charges(_ id: String, _ payment: PaymentID, _ contact: FullContact) {
        entries[id]?.outcome?.payment = payment
        entries[id]?.contact = contact
    }

    /// Bytes that bind a sheet to its basket: Apple signs their hash into the token, and only this process can make
    /// them.
    nonisolated func applicationData(_ id: String) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: Array("data:\(id)".utf8), using: key)
        return Array("\(id).\(Hex.lowercase(code))".utf8)
    }

    /// What a page must show to change a basket: it was given with the basket, to allowed origins only.
    nonisolated func proof(_ id: String) -> String {
        Hex.lowercase(HMAC<SHA256>.authenticationCode(for: Array("proof:\(id)".utf8), using: key))
    }
}
