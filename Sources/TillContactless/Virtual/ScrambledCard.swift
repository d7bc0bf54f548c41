/// A card with realistic responses in which some bytes are changed, cut or inserted: for finding responses that break a
/// reader. The same seed yields the same card.
public actor ScrambledCard: CardChannel {
    private var state: UInt64
    /// Number of commands answered.
    public private(set) var sent = 0

    /// Responses of a fictitious card, in the form of kernels 2 and 3.
    private static let directory: [UInt8] =
        [0x6F, 0x23, 0x84, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [
            0xA5, 0x11, 0xBF, 0x0C, 0x0E, 0x61, 0x0C, 0x4F, 0x07,
        ]
        + [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10, 0x87, 0x01, 0x01]
    private static let application: [UInt8] =
        [
            0x6F, 0x17, 0x84, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10, 0xA5, 0x0C, 0x50, 0x04, 0x54, 0x45, 0x53,
            0x54,
        ]
        + [0x9F, 0x38, 0x03, 0x9F, 0x37, 0x04]
    private static let options: [UInt8] = [0x77, 0x0A, 0x82, 0x02, 0x19, 0x80, 0x94, 0x04, 0x08, 0x01, 0x02, 0x01]
    private static let record: [UInt8] =
        [
            0x70, 0x2C, 0x5A, 0x08, 0x54, 0x13, 0x33, 0x00, 0x89, 0x01, 0x04, 0x42, 0x5F, 0x24, 0x03, 0x30, 0x12, 0x31,
            0x57,
        ]
        + [0x11, 0x54, 0x13, 0x33, 0x00, 0x89, 0x01, 0x04, 0x42, 0xD3, 0x01, 0x22, 0x01, 0x12, 0x34, 0x50, 0x00, 0x00]
        + [0x8C, 0x06, 0x9F, 0x02, 0x06, 0x9F, 0x37, 0x04]
    private static let cryptogram: [UInt8] =
        [0x77, 0x14, 0x9F, 0x27, 0x01, 0x80, 0x9F, 0x36, 0x02, 0x00, 0x01, 0x9F, 0x26, 0x08, 1, 2, 3, 4, 5, 6, 7, 8]

    /// Creates the card for a seed.
    public init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    private func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns at once: the card is always in the field.
    public func waitForCard() async throws(CardChannelError) {}

    /// Returns a realistic response, scrambled in one of three.
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        sent += 1
        var bytes: [UInt8] =
            switch command.ins {
            case 0xA4: command.data.first == 0x32 ? ScrambledCard.directory : ScrambledCard.application
            case 0xA8: ScrambledCard.options
            case 0xB2: ScrambledCard.record
            default: ScrambledCard.cryptogram
            }
        bytes += [0x90, 0x00]
        if next() % 3 == 0 {
            for _ in 0..<(1 + next() % 4) where !bytes.isEmpty {
                let at = Int(next() % UInt64(bytes.count))
                switch next() % 4 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: next())
                case 1: bytes.remove(at: at)
                case 2: bytes.insert(UInt8(truncatingIfNeeded: next()), at: at)
                default: bytes = Array(bytes.prefix(at))
                }
            }
        }
        guard let response = ResponseAPDU(bytes: bytes) else { throw .malformedAnswer }
        return response
    }

    /// Does nothing.
    public func powerOff() async {}
}
