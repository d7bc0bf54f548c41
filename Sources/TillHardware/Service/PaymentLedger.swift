import TillCore

/// What a service remembers of the orders that it took payments for, so that one order has one intent. A value with
/// a limit; the journal behind ``PreConfirmation`` is what lasts.
struct PaymentLedger {
    struct Key: Hashable {
        let account: AccountID
        let order: OrderID
    }

    enum Standing: Hashable {
        /// No money was asked for, or the provider said no: a card may be collected again.
        case open
        /// Money was asked for and nobody knows what came of it.
        case unknown
        /// The money is held or taken.
        case paid
        /// The intent is over without money.
        case canceled
    }

    struct Entry {
        var intent: PaymentIntent
        var parameters: PaymentIntentParameters
        var clientSecret: Secret<String>?
        var standing = Standing.open
        /// Whether a card is tied to the intent whose money can be asked for.
        var isCollected = false
        /// How many cards money was asked for with; part of the key, so that the same card is asked once.
        var cards = 0
        /// How many intents the order had, this one included.
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

    /// Remembers an entry. `false`: everything remembered is of unknown outcome and there is no place left.
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

    /// Those whose money may move or have moved without anybody having heard of it.
    var unsettled: [(Key, Entry)] {
        entries.filter { $0.value.standing == .open || $0.value.standing == .unknown }
            .sorted { $0.value.place < $1.value.place }
    }

    /// The name under which the provider makes an intent once.
    static func intentKey(_ key: Key, generation: Int) -> IdempotencyKey {
        IdempotencyKey(
            rawValue: "till-\(short(key.account.rawValue))-\(short(key.order.rawValue))-intent-\(generation)")
    }

    /// The name under which the provider asks for the money of one collected card once.
    static func stepKey(_ intent: PaymentIntent, _ step: String, _ number: Int) -> IdempotencyKey {
        IdempotencyKey(rawValue: "till-\(short(intent.id.rawValue))-\(step)-\(number)")
    }

    /// Long names are cut and made distinct again by their FNV-1a sum, for providers that take 255 bytes.
    private static func short(_ text: String) -> String {
        guard text.utf8.count > 80 else { return text }
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(text.prefix(60)) + "~" + String(sum, radix: 16)
    }
}
