public import TillCore

/// What is kept in memory of one stored payment: little, because there may be very many.
public struct StoredEntry: Hashable, Sendable {
    /// How a stored payment stands.
    public enum State: UInt8, Hashable, Sendable {
        /// Stored, in no batch.
        case open
        case batched
        /// Put aside; a person must review it.
        case quarantined
        /// Taken back: never to be forwarded.
        case voided
        case resolved
    }

    /// Its entry in the log.
    public var sequence: UInt64
    /// Where the entry begins in the file.
    var offset: Int
    /// How much, in minor units.
    public var minorUnits: Int64
    /// The currency's three letters of ISO 4217, packed.
    public var currency: UInt32
    /// When the card was read, milliseconds since 1970.
    var at: Int64
    /// Until when the provider takes it, milliseconds since 1970.
    var expiry: Int64
    /// What its attempt is found by.
    var attemptTag: UInt64
    /// What its card is counted by.
    var cardTag: UInt64
    public var state: State
    /// The entry's payload is not in the file any more.
    var isRemoved: Bool

    /// When the card was read.
    public var storedAt: Timestamp { Timestamp(milliseconds: at) }
    /// Until when the provider takes it.
    public var expires: Timestamp { Timestamp(milliseconds: expiry) }

    /// The currency's code as text.
    public var currencyCode: String {
        String(
            decoding: [UInt8(currency & 0xFF), UInt8(currency >> 8 & 0xFF), UInt8(currency >> 16 & 0xFF)], as: UTF8.self
        )
    }

    init(_ record: StoredRecord, sequence: UInt64, offset: Int) {
        self.sequence = sequence
        self.offset = offset
        minorUnits = record.amount.minorUnits
        currency = StoredEntry.pack(Array((record.amount.currency.code + "   ").utf8.prefix(3)))
        at = record.at.milliseconds
        expiry = record.expires.milliseconds
        attemptTag = RecordTag.of(record.attempt.rawValue)
        cardTag = RecordTag.of(record.card)
        state = .open
        isRemoved = false
    }

    /// Reads what is needed from an entry's bytes, without making text of any of it; `nil` if they are too short.
    init?(_ payload: UnsafeRawBufferPointer, sequence: UInt64, offset: Int) {
        guard payload.count >= 4 + StoredRecord.fixedBytes, payload[4] == 1 else { return nil }
        func long(_ place: Int) -> UInt64 { payload.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian }
        self.sequence = sequence
        self.offset = offset
        currency = StoredEntry.pack([payload[5], payload[6], payload[7]])
        at = Int64(bitPattern: long(8))
        expiry = Int64(bitPattern: long(16))
        minorUnits = Int64(bitPattern: long(24))
        attemptTag = long(32)
        cardTag = long(40)
        state = .open
        isRemoved = false
    }

    /// A payment whose data were removed: nothing but its place is known.
    init(removed sequence: UInt64, offset: Int) {
        self.sequence = sequence
        self.offset = offset
        (minorUnits, currency, at, expiry, attemptTag, cardTag) = (0, 0, 0, 0, 0, 0)
        state = .open
        isRemoved = true
    }

    private static func pack(_ code: [UInt8]) -> UInt32 {
        UInt32(code[0]) | UInt32(code[1]) << 8 | UInt32(code[2]) << 16
    }
}
