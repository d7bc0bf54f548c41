import TillReceipts

/// An incremental parser of the byte stream to a receipt printer, command by command. Written from Epson's reference
/// and sharing no code with the receipt writer, so that errors in either are detected by the other.
struct ESCPOSReader {
    /// A parsed command.
    enum Command: Hashable {
        case initialize
        /// Text in the code page with the given number.
        case text([UInt8], page: UInt8)
        case lineFeed
        case feed(Int)
        case bold(Bool)
        case align(Int)
        case size(UInt8)
        case codePage(UInt8)
        case cut(isPartial: Bool)
        case drawer(pin: Int)
        /// A raster image: width, height, and the number of black dots.
        case raster(width: Int, height: Int, black: Int)
        case code([UInt8])
        /// `DLE EOT n`: answered immediately.
        case status(UInt8)
        /// `GS r n`: answered once everything before it has been processed.
        case transmit(UInt8)
        case automatic(UInt8)
        /// Any other known command without an effect on the output.
        case setting([UInt8])
        /// An unknown byte.
        case unknown(UInt8)
    }

    /// The maximum size of a command, in bytes.
    static let longest = 1 << 20

    private var waiting: [UInt8] = []
    private var page: UInt8 = 0
    private var codeData: [UInt8] = []

    /// Consumes bytes and returns the completed commands.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Command] {
        waiting += bytes
        var commands: [Command] = []
        var rest = waiting[...]
        while !rest.isEmpty, let (command, used) = next(rest) {
            rest = rest.dropFirst(used)
            if let command { commands.append(command) }
        }
        // Unterminated input is no command.
        if rest.count > ESCPOSReader.longest { rest = [] }
        waiting = Array(rest)
        return commands
    }

    /// Returns the first command and its length; `nil` if it is incomplete.
    private mutating func next(_ bytes: ArraySlice<UInt8>) -> (Command?, Int)? {
        let all = Array(bytes.prefix(8))
        switch all[0] {
        case 0x0A: return (.lineFeed, 1)
        case 0x0D, 0x09, 0x0C: return (.setting([all[0]]), 1)
        case 0x10: return realTime(all)
        case 0x1B: return escape(all, bytes)
        case 0x1C: return all.count < 2 ? nil : (.setting(Array(all.prefix(2))), 2)
        case 0x1D: return group(all, bytes)
        case 0x00..<0x20: return (.unknown(all[0]), 1)
        default:
            let text = Array(bytes.prefix { $0 >= 0x20 })
            return (.text(text, page: page), text.count)
        }
    }

    private func realTime(_ all: [UInt8]) -> (Command?, Int)? {
        guard all.count >= 3 else { return nil }
        switch all[1] {
        case 0x04: return (.status(all[2]), 3)
        case 0x05: return (.setting(Array(all.prefix(3))), 3)
        case 0x14: return all.count < 5 ? nil : (.setting(Array(all.prefix(5))), 5)
        default: return (.unknown(all[0]), 1)
        }
    }

    private mutating func escape(_ all: [UInt8], _ bytes: ArraySlice<UInt8>) -> (Command?, Int)? {
        guard all.count >= 2 else { return nil }
        switch all[1] {
        case 0x40:
            page = 0
            return (.initialize, 2)
        case 0x32, 0x0C: return (.setting(Array(all.prefix(2))), 2)
        case 0x69: return (.cut(isPartial: false), 2)
        case 0x6D: return (.cut(isPartial: true), 2)
        case 0x70: return all.count < 5 ? nil : (.drawer(pin: all[2] & 1 == 1 ? 5 : 2), 5)
        case 0x24, 0x5C: return all.count < 4 ? nil : (.setting(Array(all.prefix(4))), 4)
        default: break
        }
        guard all.count >= 3 else { return nil }
        let number = all[2]
        switch all[1] {
        case 0x45: return (.bold(number & 1 == 1), 3)
        case 0x61: return (.align(Int(number % 48)), 3)
        case 0x64: return (.feed(Int(number)), 3)
        case 0x74:
            page = number
            return (.codePage(number), 3)
        case 0x21, 0x2D, 0x47, 0x4D, 0x52, 0x7B, 0x33, 0x4A, 0x20, 0x56, 0x63, 0x3D, 0x55, 0x72:
            return (.setting(Array(all.prefix(3))), 3)
        default: return (.unknown(all[1]), 2)
        }
    }

    private mutating func group(_ all: [UInt8], _ bytes: ArraySlice<UInt8>) -> (Command?, Int)? {
        guard all.count >= 3 else { return nil }
        let number = all[2]
        switch all[1] {
        case 0x21: return (.size(number), 3)
        case 0x56:
            guard number % 48 > 1 || number > 49 else { return (.cut(isPartial: number % 48 == 1), 3) }
            return all.count < 4 ? nil : (.cut(isPartial: number & 1 == 0), 4)
        case 0x61: return (.automatic(number), 3)
        case 0x72: return (.transmit(number), 3)
        case 0x76: return raster(all, bytes)
        case 0x28, 0x38: return counted(all, bytes)
        case 0x6B: return barcode(number, bytes)
        case 0x4C, 0x57, 0x50: return all.count < 4 ? nil : (.setting(Array(all.prefix(4))), 4)
        case 0x42, 0x48, 0x62, 0x66, 0x68, 0x77: return (.setting(Array(all.prefix(3))), 3)
        default: return (.unknown(all[1]), 2)
        }
    }

    /// `GS v 0 m xL xH yL yH d…`
    private func raster(_ all: [UInt8], _ bytes: ArraySlice<UInt8>) -> (Command?, Int)? {
        guard all.count == 8 else { return nil }
        let across = Int(all[4]) + Int(all[5]) << 8
        let down = Int(all[6]) + Int(all[7]) << 8
        let count = across * down
        guard count <= ESCPOSReader.longest else { return (.unknown(all[1]), 2) }
        guard bytes.count >= 8 + count else { return nil }
        let black = bytes.dropFirst(8).prefix(count).reduce(0) { $0 + $1.nonzeroBitCount }
        return (.raster(width: across * 8, height: down, black: black), 8 + count)
    }

    /// `GS ( x pL pH …` and `GS 8 L p1 p2 p3 p4 …`
    private mutating func counted(_ all: [UInt8], _ bytes: ArraySlice<UInt8>) -> (Command?, Int)? {
        let head = all[1] == 0x38 ? 7 : 5
        guard all.count >= head else { return nil }
        let count = all[3..<head].reversed().reduce(0) { $0 << 8 + Int($1) }
        guard count <= ESCPOSReader.longest else { return (.unknown(all[1]), 2) }
        guard bytes.count >= head + count else { return nil }
        let content = Array(bytes.dropFirst(head).prefix(count))
        guard all[2] == 0x6B, content.count >= 2 else { return (.setting(Array(all.prefix(3))), head + count) }
        // A code is stored first (function 80) and printed then (81).
        switch content[1] {
        case 0x50:
            codeData = Array(content.dropFirst(3))
            return (nil, head + count)
        case 0x51: return (.code(codeData), head + count)
        default: return (.setting(Array(all.prefix(3))), head + count)
        }
    }

    /// `GS k m d… NUL` and `GS k m n d…`
    private func barcode(_ kind: UInt8, _ bytes: ArraySlice<UInt8>) -> (Command?, Int)? {
        let rest = bytes.dropFirst(3)
        if kind <= 6 {
            guard let end = rest.firstIndex(of: 0) else { return nil }
            return (.code(Array(rest[..<end])), end - bytes.startIndex + 1)
        }
        guard let count = rest.first.map(Int.init), rest.count > count else { return nil }
        return (.code(Array(rest.dropFirst().prefix(count))), 4 + count)
    }
}
