public import TillCore

/// A virtual card in the field, in this process.
public actor VirtualCardChannel: CardChannel {
    private var program: VirtualCardProgram
    private let clock: any TillClock
    private var sent = 0
    private var isPowered = false

    /// Puts a card in the field. Its certificates are created here, once.
    public init(_ card: VirtualCard, clock: any TillClock = SystemClock()) {
        program = VirtualCardProgram(card)
        self.clock = clock
    }

    /// Returns at once: the card is already present.
    public func waitForCard() async throws(CardChannelError) {
        if Task.isCancelled { throw .canceled }
        if program.card.fault == .collision { throw .collision }
        (isPowered, sent) = (true, 0)
    }

    /// Returns the card's response, as altered by its fault.
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if Task.isCancelled { throw .canceled }
        guard isPowered else { throw .cardRemoved }
        guard command.bytes != nil else { throw .commandTooLong }
        sent += 1
        switch program.card.fault {
        case .torn(let after) where sent > after:
            isPowered = false
            throw .cardRemoved
        case .silent(let after) where sent > after: throw .silence
        case .slow(let delay):
            do { try await clock.sleep(for: .milliseconds(delay)) } catch { throw .canceled }
        default: break
        }
        return program.answer(command, at: clock.now())
    }

    /// Powers the card off.
    public func powerOff() async { isPowered = false }
}
