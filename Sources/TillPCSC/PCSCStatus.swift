import TillContactless

/// A return code of the smart card service; unknown values are kept. Source: PC/SC part 5, and pcsc-lite's
/// `pcsclite.h`.
public struct PCSCStatus: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
    /// The 32 bits of the code.
    public let rawValue: UInt32
    /// Takes the 32 bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    static let success = PCSCStatus(rawValue: 0)
    static let canceled = PCSCStatus(rawValue: 0x8010_0002)
    static let invalidHandle = PCSCStatus(rawValue: 0x8010_0003)
    static let insufficientBuffer = PCSCStatus(rawValue: 0x8010_0008)
    static let unknownReader = PCSCStatus(rawValue: 0x8010_0009)
    static let timeout = PCSCStatus(rawValue: 0x8010_000A)
    static let sharingViolation = PCSCStatus(rawValue: 0x8010_000B)
    static let noSmartCard = PCSCStatus(rawValue: 0x8010_000C)
    static let protocolMismatch = PCSCStatus(rawValue: 0x8010_000F)
    static let communicationWithService = PCSCStatus(rawValue: 0x8010_0013)
    static let notTransacted = PCSCStatus(rawValue: 0x8010_0016)
    static let readerUnavailable = PCSCStatus(rawValue: 0x8010_0017)
    static let noService = PCSCStatus(rawValue: 0x8010_001D)
    static let serviceStopped = PCSCStatus(rawValue: 0x8010_001E)
    static let noReaders = PCSCStatus(rawValue: 0x8010_002E)
    static let communicationWithCard = PCSCStatus(rawValue: 0x8010_002F)
    static let unresponsiveCard = PCSCStatus(rawValue: 0x8010_0066)
    static let unpoweredCard = PCSCStatus(rawValue: 0x8010_0067)
    static let resetCard = PCSCStatus(rawValue: 0x8010_0068)
    static let removedCard = PCSCStatus(rawValue: 0x8010_0069)

    /// The library itself is not on this machine. Not a code of the interface.
    static let notInstalled = PCSCStatus(rawValue: 0xFFFF_FFFF)

    /// The code's name in the interface and the remedy, without a full stop.
    public var description: String {
        switch self {
        case .success: "no error"
        case .canceled: "SCARD_E_CANCELLED: the wait was canceled"
        case .invalidHandle: "SCARD_E_INVALID_HANDLE: the smart card service was started anew; try again"
        case .insufficientBuffer: "SCARD_E_INSUFFICIENT_BUFFER: the card's answer is too long"
        case .unknownReader: "SCARD_E_UNKNOWN_READER: the reader is not there any more; plug it in again"
        case .timeout: "SCARD_E_TIMEOUT: nothing happened in time"
        case .sharingViolation: "SCARD_E_SHARING_VIOLATION: another program is using the reader; end it"
        case .noSmartCard: "SCARD_E_NO_SMARTCARD: there is no card"
        case .protocolMismatch: "SCARD_E_PROTO_MISMATCH: the card speaks no protocol that the reader does"
        case .communicationWithService: "SCARD_F_COMM_ERROR: the smart card service broke off; try again"
        case .notTransacted: "SCARD_E_NOT_TRANSACTED: the reader could not bring the command to the card"
        case .readerUnavailable: "SCARD_E_READER_UNAVAILABLE: the reader was unplugged; plug it in again"
        case .noService: "SCARD_E_NO_SERVICE: the smart card service is not running; start pcscd"
        case .serviceStopped: "SCARD_E_SERVICE_STOPPED: the smart card service was stopped; start pcscd"
        case .noReaders: "SCARD_E_NO_READERS_AVAILABLE: no card reader is connected; plug one in"
        case .communicationWithCard: "SCARD_E_COMM_DATA_LOST: the connection to the card was lost"
        case .unresponsiveCard: "SCARD_W_UNRESPONSIVE_CARD: the card does not answer to being powered"
        case .unpoweredCard: "SCARD_W_UNPOWERED_CARD: the card has no power"
        case .resetCard: "SCARD_W_RESET_CARD: the card was reset in the middle; present it again"
        case .removedCard: "SCARD_W_REMOVED_CARD: the card was removed"
        case .notInstalled: "the smart card library is not installed (Debian: apt-get install libpcsclite1 pcscd)"
        default: "a code that is not known"
        }
    }

    /// `true` if the service has gone, which invalidates everything opened with it.
    var endsContext: Bool {
        switch self {
        case .noService, .serviceStopped, .invalidHandle, .communicationWithService, .notInstalled: true
        default: false
        }
    }

    /// The card is absent or did not power up: waiting continues.
    var meansNoCardYet: Bool {
        switch self {
        case .noSmartCard, .removedCard, .unpoweredCard, .timeout: true
        default: false
        }
    }

    /// The channel's error for a call that ended with this status.
    var channelError: CardChannelError {
        switch self {
        case .canceled: .canceled
        case .timeout: .silence
        case .noSmartCard, .removedCard: .cardRemoved
        case .unresponsiveCard: .silence
        default: .reader(code: Int64(rawValue), message: description)
        }
    }
}
