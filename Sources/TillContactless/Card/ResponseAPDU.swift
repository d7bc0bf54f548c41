import TillCore

/// A response APDU: data and a status word.
public struct ResponseAPDU: Hashable, Sendable {
    /// The data, without the status word.
    public let data: [UInt8]
    /// The status word: SW1 and SW2.
    public let status: StatusWord

    /// Creates a response; without data it is the status word alone.
    public init(_ data: [UInt8] = [], status: StatusWord = .done) {
        self.data = data
        self.status = status
    }

    /// Parses a response; `nil` for fewer than two bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count >= 2 else { return nil }
        data = Array(bytes.dropLast(2))
        status = StatusWord(rawValue: UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
    }

    /// Data and status word.
    public var bytes: [UInt8] {
        data + [UInt8(truncatingIfNeeded: status.rawValue >> 8), UInt8(truncatingIfNeeded: status.rawValue)]
    }
}

/// The status of a command; unknown values are preserved. Source: ISO 7816-4, section 5.6, and EMV Book 1.
public struct StatusWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// SW1 in the high byte, SW2 in the low byte.
    public let rawValue: UInt16
    /// Creates a status word from its two bytes.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let done = StatusWord(rawValue: 0x9000)
    /// 6A82: the file or application was not found.
    public static let notFound = StatusWord(rawValue: 0x6A82)
    /// 6A83: the record was not found.
    public static let recordNotFound = StatusWord(rawValue: 0x6A83)
    /// 6985: the conditions of use are not satisfied.
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    /// 6984: the data are blocked or invalidated.
    public static let dataInvalidated = StatusWord(rawValue: 0x6984)
    /// 6986: the command is not allowed now; a phone awaits confirmation on the device.
    public static let notAllowed = StatusWord(rawValue: 0x6986)
    /// 6700: the command's length is wrong.
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    /// 6D00: the instruction is not supported.
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
    /// 6283: the selected application is blocked.
    public static let selectedInvalidated = StatusWord(rawValue: 0x6283)

    /// The digits and their meaning.
    public var description: String {
        let digits = Hex.text([UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)])
        return "\(digits) (\(meaning))"
    }

    /// The meaning according to the standard.
    public var meaning: String {
        switch rawValue {
        case 0x9000: "done"
        case 0x6200: "a warning, nothing changed"
        case 0x6281: "a part of the data may be damaged"
        case 0x6282: "the end of the file came first"
        case 0x6284: "the control information is not in its form"
        case 0x6285: "the selected file is in its state of termination"
        case 0x6286: "no input from a sensor"
        case 0x6283: "the selected file is blocked"
        case 0x6287: "the device is locked"
        case 0x6300: "verification failed"
        case 0x6310: "more data are there"
        case 0x6340: "the application version is not supported"
        case 0x63C0...0x63CF: "verification failed, \(rawValue & 15) tries left"
        case 0x6381: "the file is full"
        case 0x6400: "an error in running it, nothing changed"
        case 0x6401: "the card wants to be answered at once"
        case 0x6500: "an error in running it, something changed"
        case 0x6581: "an error in the card's memory"
        case 0x6700: "wrong length"
        case 0x6800: "the class is not supported in this way"
        case 0x6881: "logical channels not supported"
        case 0x6883: "the last command of a chain was expected"
        case 0x6884: "chains of commands not supported"
        case 0x6900: "command not allowed"
        case 0x6981: "the command does not fit the kind of file"
        case 0x6987: "the objects of secure messaging are missing"
        case 0x6988: "the objects of secure messaging are wrong"
        case 0x6999: "the applet cannot be selected"
        case 0x6A00: "wrong parameters"
        case 0x6A84: "not enough memory in the file"
        case 0x6A85: "the length does not fit the structure"
        case 0x6A87: "the length does not fit the parameters"
        case 0x6A89: "the file exists already"
        case 0x6A8A: "the name exists already"
        case 0x6882: "secure messaging not supported"
        case 0x6982: "security status not satisfied"
        case 0x6983: "the method is blocked"
        case 0x6984: "referenced data invalidated, or the customer must act"
        case 0x6985: "conditions of use not satisfied"
        case 0x6986: "command not allowed: check the phone"
        case 0x6A80: "incorrect data"
        case 0x6A81: "function not supported, or the card is blocked"
        case 0x6A82: "not found"
        case 0x6A83: "record not found"
        case 0x6A86: "wrong parameters"
        case 0x6A88: "referenced data not found"
        case 0x6B00: "wrong parameters"
        case 0x6C00...0x6CFF: "wrong expected length, \(rawValue & 0xFF) bytes are there"
        case 0x6100...0x61FF: "done, \(rawValue & 0xFF) more bytes wait"
        case 0x6D00: "instruction not supported"
        case 0x6E00: "class not supported"
        case 0x6F00: "no precise diagnosis"
        default: "not a status that is known"
        }
    }
}
