public import TillCore

/// The in-memory part of a stored payment. Kept small, because there may be very many.
public struct StoredEntry: Hashable, Sendable {
    /// The state of a stored payment.
    public enum State: UInt8, Hashable, Sendable {
        /// Stored, in no batch.
        case open
        case batched
        /// Quarantined for manual review.
        case quarantined
        /// Withdrawn: never to be forwarded.
        case voided
        case resolved
    }

    /// Its sequence in the log.
    public var sequence: UInt64
    /// Byte offset of the entry in the file.
    var offset: Int
    /// Amount in minor units.
    public var minorUnits: Int64
    /// The three letters of the ISO 4217 code, packed.
    public var currency: UInt32
    /// Time at which the card was read, milliseconds since 1970.
    var at: Int64
    /// Time until which the provider accepts it, milliseconds since 1970.
    var expiry: Int64
    /// Lookup tag of the attempt.
    var attemptTag: UInt64
    /// Counting tag of the card.
    var cardTag: UInt64
    public var state: State
    /// `true` if the entry's payload was deleted from the file.
    var isRemoved: Bool

    /// Time at which the card was read.
    public var storedAt: Timestamp { Timestamp(milliseconds: at) }
    /// Time until which the provider accepts it.
    public var expires: Timestamp { Timestamp(milliseconds: expiry) }

    /// The currency's ISO 4217 code.
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

    /// Reads the required fields from an entry's bytes without creating strings; `nil` if there are too few bytes.
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

    /// Creates a payment with deleted data, of which only the position is known.
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
