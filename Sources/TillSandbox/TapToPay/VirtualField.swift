public import TillContactless
public import TillCore

/// A reader's field into which virtual cards are placed manually, one per read.
public actor VirtualField: CardChannel {
    private let clock: any TillClock
    private var card: VirtualCardChannel?
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastID: UInt64 = 0

    public init(clock: any TillClock = SystemClock()) { self.clock = clock }

    /// Places a card into the field, replacing any other.
    public func present(_ card: VirtualCard) {
        self.card = VirtualCardChannel(card, clock: clock)
        wake()
    }

    /// Removes the card.
    public func remove() { card = nil }

    /// `true` while a read waits for a card.
    public var isWaiting: Bool { !waiting.isEmpty }

    /// Waits until a card is placed in the field.
    public func waitForCard() async throws(CardChannelError) {
        while card == nil {
            if Task.isCancelled { throw .canceled }
            lastID &+= 1
            let id = lastID
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    if Task.isCancelled || card != nil { return waiter.resume() }
                    waiting[id] = waiter
                }
            } onCancel: {
                Task { await self.wake() }
            }
        }
        try await card?.waitForCard()
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        guard let card else { throw .cardRemoved }
        return try await card.transmit(command)
    }

    /// Ends the read and removes the card.
    public func powerOff() async {
        await card?.powerOff()
        card = nil
    }

    private func wake() {
        let waiters = waiting.values
        waiting = [:]
        for waiter in waiters { waiter.resume() }
    }
}
