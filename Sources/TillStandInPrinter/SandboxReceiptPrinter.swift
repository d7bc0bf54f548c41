import Synchronization
import TillCore
import TillReceipts

/// A virtual receipt printer: accepts ESC/POS, keeps its output, reports its state as in Epson's reference, and can run
/// out of paper in the middle of a receipt.
///
/// ```swift
/// let printer = SandboxReceiptPrinter()
/// printer.change { $0.paper = .low }
/// let answer = printer.take(bytes)
/// for line in printer.output.lines { print(line) }
/// ```
public final class SandboxReceiptPrinter: Sendable {
    public enum Paper: String, Hashable, Sendable {
        case ok
        /// The roll is nearly empty.
        case low
        /// The roll has run out.
        case end
    }

    /// The printer's state and behavior.
    public struct Conditions: Hashable, Sendable {
        public var paper = Paper.ok
        /// The number of lines until the paper ends; `nil` for unlimited paper.
        public var linesLeft: Int?
        /// `true` while the cover is open.
        public var isCoverOpen = false
        /// `true` while the cash drawer is open.
        public var isDrawerOpen = false
        /// `true` for a printer that never responds, like many print servers.
        public var isSilent = false
        /// `true` if `DLE EOT` is answered; print servers in between do not forward it.
        public var answersInRealTime = true
        /// The number of bytes after which the printer breaks the connection.
        public var breaksAfter: Int?

        public init() {}

        /// `true` while printing is blocked.
        var stands: Bool { paper == .end || isCoverOpen }
    }

    /// The printed output and device activity.
    public struct Output: Hashable, Sendable {
        /// Lines of text; images and codes as `[picture 576x24]`, `[code https://…]`.
        public var lines: [String] = []
        public var cuts = 0
        /// The number of drawer pulses.
        public var drawerPulses = 0
        /// The number of unknown bytes.
        public var unknown = 0
        public var received = 0
    }

    /// The maximum number of stored lines.
    public static let longestPaper = 20_000
    /// The number of bytes held while printing is blocked; beyond it the printer accepts no more.
    public static let buffer = 4_096

    private struct State {
        var conditions = Conditions()
        var output = Output()
        var reader = ESCPOSReader()
        var line = ""
        var held: [ESCPOSReader.Command] = []
        var heldBytes = 0
        var reportsByItself = false
        var lastReported: [UInt8] = []
    }
    private let state = Mutex(State())

    /// A printer with enough paper.
    public init() {}

    /// The printed output.
    public var output: Output { state.withLock { $0.output } }

    /// `true` while automatic status reporting is enabled.
    public var reportsByItself: Bool { state.withLock { $0.reportsByItself } }

    public var conditions: Conditions { state.withLock { $0.conditions } }

    /// `true` while the buffer is full.
    public var isFull: Bool { state.withLock { $0.conditions.stands && $0.heldBytes >= SandboxReceiptPrinter.buffer } }

    /// Changes the printer's state, as its operator would. Prints held data if it now can.
    /// - Returns: the automatic status report, if enabled.
    @discardableResult
    public func change(_ body: (inout Conditions) -> Void) -> [UInt8] {
        state.withLock { state in
            body(&state.conditions)
            if !state.conditions.stands {
                let held = state.held
                state.held = []
                state.heldBytes = 0
                for command in held { SandboxReceiptPrinter.perform(command, &state) }
            }
            return SandboxReceiptPrinter.report(&state)
        }
    }

    /// Consumes bytes as they arrive, whole commands or parts.
    /// - Returns: the response.
    public func take(_ bytes: [UInt8]) -> [UInt8] {
        state.withLock { state in
            state.output.received += bytes.count
            var answer: [UInt8] = []
            for command in state.reader.take(bytes) {
                switch command {
                // A real-time command bypasses the buffer.
                case .status(let kind):
                    if !state.conditions.isSilent, state.conditions.answersInRealTime {
                        answer += SandboxReceiptPrinter.status(kind, state.conditions)
                    }
                case .transmit(let kind):
                    guard !state.conditions.stands, !state.conditions.isSilent else { continue }
                    answer += SandboxReceiptPrinter.transmitted(kind, state.conditions)
                default:
                    if state.conditions.stands {
                        state.held.append(command)
                    } else {
                        SandboxReceiptPrinter.perform(command, &state)
                    }
                }
                answer += SandboxReceiptPrinter.report(&state)
            }
            if state.conditions.stands { state.heldBytes += bytes.count }
            return answer
        }
    }

    private static func perform(_ command: ESCPOSReader.Command, _ state: inout State) {
        guard !state.conditions.stands else { return state.held.append(command) }
        switch command {
        case .initialize: state.line = ""
        case .text(let bytes, let page): state.line += SandboxReceiptPrinter.text(bytes, page: page)
        case .lineFeed: feed(state.line, &state)
        case .feed(let count):
            if !state.line.isEmpty { feed(state.line, &state) }
            for _ in 0..<max(0, count - 1) { feed("", &state) }
        case .cut:
            state.output.cuts += 1
            write("--------", &state)
        case .drawer:
            state.output.drawerPulses += 1
            state.conditions.isDrawerOpen = true
        case .raster(let width, let height, let black):
            feed(black == 0 ? "[empty \(width)x\(height)]" : "[picture \(width)x\(height)]", &state)
        case .code(let bytes): feed("[code \(String(decoding: bytes, as: UTF8.self))]", &state)
        case .unknown: state.output.unknown += 1
        case .automatic(let kinds):
            state.reportsByItself = kinds != 0
            state.lastReported = []
        case .bold, .align, .size, .codePage, .setting, .status, .transmit: break
        }
    }

    private static func feed(_ line: String, _ state: inout State) {
        write(line, &state)
        state.line = ""
        guard let left = state.conditions.linesLeft else { return }
        state.conditions.linesLeft = max(0, left - 1)
        if left <= 1 {
            state.conditions.paper = .end
            state.conditions.linesLeft = nil
        }
    }

    private static func write(_ line: String, _ state: inout State) {
        guard state.output.lines.count < longestPaper else { return }
        state.output.lines.append(line)
    }

    // MARK: What it says

    /// The answer to `DLE EOT n`; bits 1 and 4 are always set.
    static func status(_ kind: UInt8, _ now: Conditions) -> [UInt8] {
        var byte: UInt8 = 0x12
        switch kind {
        case 1:
            // Bit 2 is the drawer's plug: high while it is shut.
            if !now.isDrawerOpen { byte |= 0x04 }
            if now.stands { byte |= 0x08 }
        case 2:
            if now.isCoverOpen { byte |= 0x04 }
            if now.paper == .end { byte |= 0x20 }
        case 3: break
        case 4:
            if now.paper != .ok { byte |= 0x0C }
            if now.paper == .end { byte |= 0x60 }
        default: return []
        }
        return [byte]
    }

    /// Returns the automatic status report if enabled and changed since the last one.
    private static func report(_ state: inout State) -> [UInt8] {
        let now = automatic(state.conditions)
        guard state.reportsByItself, !state.conditions.isSilent, now != state.lastReported else { return [] }
        state.lastReported = now
        return now
    }

    /// Returns the four status bytes of `GS a`.
    static func automatic(_ now: Conditions) -> [UInt8] {
        var first: UInt8 = 0x10
        if !now.isDrawerOpen { first |= 0x04 }
        if now.stands { first |= 0x08 }
        if now.isCoverOpen { first |= 0x20 }
        let third: UInt8 = now.paper == .end ? 0x0F : now.paper == .low ? 0x03 : 0
        return [first, 0, third, 0]
    }

    private static func transmitted(_ kind: UInt8, _ now: Conditions) -> [UInt8] {
        switch kind {
        case 1, 49: [now.paper == .ok ? 0x00 : 0x03]
        case 2, 50: [now.isDrawerOpen ? 0x00 : 0x01]
        default: []
        }
    }

    private static func text(_ bytes: [UInt8], page: UInt8) -> String {
        let map = pages[page] ?? [:]
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : map[byte] ?? "\u{FFFD}") }
        return String(text)
    }

    /// The characters of the pages that most printers have, by number and byte.
    private static let pages: [UInt8: [UInt8: Unicode.Scalar]] = {
        var pages: [UInt8: [UInt8: Unicode.Scalar]] = [:]
        for known in ESCPOSProfile.defaultPages {
            var map: [UInt8: Unicode.Scalar] = [:]
            for value in UInt32(0xA0)...0x2265 {
                guard let scalar = Unicode.Scalar(value), let bytes = known.page.encode(String(scalar)),
                    let byte = bytes.first
                else { continue }
                map[byte] = scalar
            }
            pages[known.number] = map
        }
        return pages
    }()
}
