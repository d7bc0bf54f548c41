import TillCore

/// The service's record of orders and their intents, so that one order has one intent. A bounded value; the journal
/// behind ``PreConfirmation`` is the durable record.
struct IntentLedger {
    struct Key: Hashable {
        let account: AccountID
        let order: OrderID
    }

    enum Standing: Hashable {
        /// Not confirmed, or declined: a card may be collected again.
        case open
        /// Confirmation was requested; its outcome is unknown.
        case unknown
        /// The money is held or captured.
        case paid
        /// The intent ended without money.
        case canceled
    }

    struct Entry {
        var intent: PaymentIntent
        var parameters: PaymentIntentParameters
        var clientSecret: Secret<String>?
        var standing = Standing.open
        /// `true` if a card is attached to the intent, so that it can be confirmed.
        var isCollected = false
        /// The number of cards in confirmations so far; part of the key, so that the same card is charged once.
        var cards = 0
        /// The number of intents of the order, including this one.
        var generation = 1
        var place: UInt64 = 0
    }

    let limit: Int
    private(set) var entries: [Key: Entry] = [:]
    /// The payment that a retry continues.
    var active: Key?
    private var lastPlace: UInt64 = 0

    init(limit: Int) { self.limit = max(1, limit) }

    subscript(key: Key) -> Entry? { entries[key] }

    /// Stores an entry. Returns `false` if every stored entry has an unknown outcome and there is no space left.
    mutating func remember(_ entry: Entry, for key: Key) -> Bool {
        if entries[key] == nil, entries.count >= limit {
            let settled = entries.filter { $0.value.standing != .unknown && $0.key != active }
            let oldest = settled.min { left, right in
                let (isLeftOpen, isRightOpen) = (left.value.standing == .open, right.value.standing == .open)
                return isLeftOpen == isRightOpen ? left.value.place < right.value.place : isRightOpen
            }
            guard let oldest else { return false }
            entries[oldest.key] = nil
        }
        lastPlace &+= 1
        var entry = entry
        entry.place = lastPlace
        entries[key] = entry
        return true
    }

    mutating func change(_ key: Key, _ body: (inout Entry) -> Void) {
        if var entry = entries[key] {
            body(&entry)
            entries[key] = entry
        }
    }

    /// The entries with an open or unknown outcome, oldest first.
    var unsettled: [(Key, Entry)] {
        entries.filter { $0.value.standing == .open || $0.value.standing == .unknown }
            .sorted { $0.value.place < $1.value.place }
    }

    /// Returns the idempotency key under which the provider creates an intent once.
    static func intentKey(_ key: Key, generation: Int) -> IdempotencyKey {
        IdempotencyKey(
            rawValue: "till-\(short(key.account.rawValue))-\(short(key.order.rawValue))-intent-\(generation)")
    }

    /// Returns the idempotency key of one step of an intent, such as the confirmation of one collected card.
    static func stepKey(_ intent: PaymentIntent, _ step: String, _ number: Int) -> IdempotencyKey {
        IdempotencyKey(rawValue: "till-\(short(intent.id.rawValue))-\(step)-\(number)")
    }

    /// Truncates long names and keeps them distinct with an FNV-1a hash, for providers that limit keys to 255 bytes.
    private static func short(_ text: String) -> String {
        guard text.utf8.count > 80 else { return text }
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(text.prefix(60)) + "~" + String(sum, radix: 16)
    }
}
