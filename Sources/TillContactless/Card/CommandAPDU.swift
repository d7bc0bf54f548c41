import TillCore

/// A command APDU. Source: ISO 7816-4, section 5; short forms, and the extended form for parsing.
public struct CommandAPDU: Hashable, Sendable, CustomStringConvertible {
    public var cla: UInt8
    /// The instruction byte, such as 0xA4 for SELECT.
    public var ins: UInt8
    /// The instruction's first parameter.
    public var p1: UInt8
    /// The instruction's second parameter.
    public var p2: UInt8
    /// The command data, at most 255 bytes when sent.
    public var data: [UInt8]
    /// The expected response length: `nil` for none, 0 for as many bytes as available.
    public var le: Int?

    /// Creates a command from its header; `le` as in ``le``.
    public init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, data: [UInt8] = [], le: Int? = 0) {
        (self.cla, self.ins, self.p1, self.p2) = (cla, ins, p1, p2)
        (self.data, self.le) = (data, le)
    }

    /// Parses the bytes of a command; `nil` if the lengths are inconsistent.
    public init?(bytes: [UInt8]) {
        guard bytes.count >= 4 else { return nil }
        let (head, body) = (Array(bytes.prefix(4)), Array(bytes.dropFirst(4)))
        var (data, le): ([UInt8], Int?) = ([], nil)
        if body.count == 1 {
            le = Int(body[0])
        } else if body.count == 3, body[0] == 0 {
            le = Int(body[1]) << 8 | Int(body[2])
        } else if body.count > 1 {
            let isExtended = body[0] == 0 && body.count > 3
            let start = isExtended ? 3 : 1
            let count = isExtended ? Int(body[1]) << 8 | Int(body[2]) : Int(body[0])
            guard body.count >= start + count else { return nil }
            data = Array(body[start..<start + count])
            let rest = Array(body[(start + count)...])
            switch rest.count {
            case 0: break
            case 1: le = Int(rest[0])
            case 2 where isExtended: le = Int(rest[0]) << 8 | Int(rest[1])
            default: return nil
            }
        }
        self.init(head[0], head[1], head[2], head[3], data: data, le: le)
    }

    /// The encoded command; `nil` if the data do not fit a short command.
    public var bytes: [UInt8]? {
        guard data.count <= 255, le.map({ (0...256).contains($0) }) ?? true else { return nil }
        let body = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)] + data
        return [cla, ins, p1, p2] + body + (le.map { [UInt8(truncatingIfNeeded: $0)] } ?? [])
    }

    /// `true` for a valid instruction byte. Source: ISO 7816-4, section 5.4.2: `6x` and `9x` are status words; wrapped
    /// native commands, class `90`, have their own numbering.
    var mayBe: Bool { cla & 0xF0 == 0x90 || ins != 0 && ins >> 4 != 6 && ins >> 4 != 9 }

    /// The standard's name for the instruction.
    public var name: String {
        switch (cla & 0x80 != 0, ins) {
        case (false, 0xA4): return "SELECT"
        case (false, 0xB2): return "READ RECORD"
        case (false, 0xB0): return "READ BINARY"
        case (false, 0xC0): return "GET RESPONSE"
        case (false, 0x88): return "INTERNAL AUTHENTICATE"
        case (false, 0x82): return "EXTERNAL AUTHENTICATE"
        case (false, 0x84): return "GET CHALLENGE"
        case (false, 0x20): return "VERIFY"
        case (true, 0xA8): return "GET PROCESSING OPTIONS"
        case (true, 0xAE): return "GENERATE AC"
        case (true, 0x2A): return "COMPUTE CRYPTOGRAPHIC CHECKSUM"
        case (true, 0xEA): return "EXCHANGE RELAY RESISTANCE DATA"
        case (true, 0xD0): return "RECOVER AC"
        case (true, 0xCA): return p1 == 0x01 && (p2 == 0 || p2 == 1) ? "GET VAS DATA" : "GET DATA"
        case (true, 0x50): return "GET SMART TAP DATA"
        case (true, 0x53): return "NEGOTIATE SMART TAP SESSION"
        default: return "instruction \(Hex.text([cla, ins]))"
        }
    }

    /// Name and parameters, without the data.
    public var description: String { "\(name) \(Hex.text([cla, ins, p1, p2]))" }
}
