/// The smart card service of this machine, as required by ``PCSCChannel``. All calls block, so they run on a dedicated
/// thread; only ``cancel(_:)`` may be called from any thread while another call waits.
protocol PCSCService: Sendable {
    func establish() throws(PCSCStatus) -> PCSCContext
    /// Closes a context and every connection in it.
    func release(_ context: PCSCContext)
    /// Returns the readers' names; throws ``PCSCStatus/noReaders`` for none.
    func readers(_ context: PCSCContext) throws(PCSCStatus) -> [String]
    /// Waits until the state of a reader differs from the one given, or the time is over, which throws
    /// ``PCSCStatus/timeout``. ``cancel(_:)`` ends it with ``PCSCStatus/canceled``.
    func waitForChange(
        _ context: PCSCContext, _ known: [PCSCReaderState], milliseconds: UInt32
    ) throws(PCSCStatus) -> [PCSCReaderState]
    /// Powers the card and connects to it exclusively.
    func connect(_ context: PCSCContext, reader: String) throws(PCSCStatus) -> PCSCConnection
    /// Sends a command and returns the answer.
    func transmit(_ connection: PCSCConnection, _ bytes: [UInt8]) throws(PCSCStatus) -> [UInt8]
    /// Powers the card down and releases it.
    func disconnect(_ connection: PCSCConnection)
    /// Ends a pending ``waitForChange(_:_:milliseconds:)``.
    func cancel(_ context: PCSCContext)
}

/// A context of the service.
struct PCSCContext: Hashable, Sendable { let value: Int }

/// A connection to a card.
struct PCSCConnection: Hashable, Sendable {
    let value: Int
    /// The protocol between card and reader.
    let style: Style

    /// The two protocols of cards.
    enum Style: UInt32, Hashable, Sendable {
        /// T=0: bytes; an answer to a command with data is fetched by a second command.
        case bytes = 1
        /// T=1: blocks. The protocol of contactless readers.
        case blocks = 2
    }
}

/// A reader and the contents of its field.
struct PCSCReaderState: Hashable, Sendable {
    let name: String
    /// The service's bits; 0 is "not known yet".
    var bits: UInt32 = 0

    /// A card is in the field.
    var hasCard: Bool { bits & 0x20 != 0 }
    /// A card is present but does not respond intelligibly.
    var isMute: Bool { bits & 0x200 != 0 }
    /// The reader is gone.
    var isGone: Bool { bits & 0x04 != 0 || bits & 0x08 != 0 }
}
