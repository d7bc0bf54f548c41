/// The bytes of the commands that receipt printers share, as Epson's reference has them.
public enum ESCPOSCommand {
    /// Which side text keeps to.
    public enum Alignment: UInt8, Hashable, Sendable {
        /// Lines begin at the left edge; what a printer does after a reset.
        case left = 0
        /// Lines stand in the middle of the paper.
        case center = 1
        /// Lines end at the right edge.
        case right = 2
    }

    /// What a question about the state is about.
    public enum Question: UInt8, Hashable, Sendable, CaseIterable {
        /// Whether it is online, and the drawer's contact.
        case printer = 1
        /// Why it is offline: cover, paper, error.
        case offline = 2
        /// Which error stopped it, and whether it can continue by itself.
        case error = 3
        /// Whether paper is there or runs low.
        case paper = 4
    }

    /// `ESC @`: everything as after switching on.
    public static let initialize: [UInt8] = [0x1B, 0x40]
    /// Prints the line and feeds the paper by one.
    public static let lineFeed: [UInt8] = [0x0A]

    /// `ESC a n`: where the lines that follow stand; taken at the beginning of a line only.
    public static func align(_ side: Alignment) -> [UInt8] { [0x1B, 0x61, side.rawValue] }
    /// `ESC E n`: heavy letters from here, or no more.
    public static func bold(_ on: Bool) -> [UInt8] { [0x1B, 0x45, on ? 1 : 0] }
    /// `GS ! n`: width and height, 1 to 8 times.
    public static func size(width: Int, height: Int) -> [UInt8] {
        let across = UInt8(min(8, max(1, width)) - 1)
        let down = UInt8(min(8, max(1, height)) - 1)
        return [0x1D, 0x21, across << 4 | down]
    }
    /// `ESC t n`: the number is the printer's own.
    public static func codePage(_ number: UInt8) -> [UInt8] { [0x1B, 0x74, number] }
    /// `ESC d n`: this many lines on.
    public static func feed(_ lines: UInt8) -> [UInt8] { [0x1B, 0x64, lines] }
    /// `ESC d 6`, `GS V m`: the paper past the knife, then the cut.
    public static func cut(partial: Bool) -> [UInt8] { feed(6) + [0x1D, 0x56, partial ? 1 : 0] }
    /// `ESC p m t1 t2`: a pulse of 100 ms to the cash drawer on pin 2 or 5. No renderer ever writes it: opening the
    /// drawer is a permission of its own.
    public static func drawer(pin: Int) -> [UInt8] { [0x1B, 0x70, pin == 5 ? 1 : 0, 0x32, 0x32] }
    /// `DLE EOT n`: asks for the state; it passes by the buffer.
    public static func status(_ question: Question) -> [UInt8] { [0x10, 0x04, question.rawValue] }
    /// `GS a n`: reports the state by itself whenever it changes.
    public static func automaticStatus(_ on: Bool) -> [UInt8] { [0x1D, 0x61, on ? 0xFF : 0] }

    /// `GS v 0`: dots, in bands of ``bandHeight`` rows, since printers hold only so much.
    public static func raster(_ image: MonochromeImage) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(image.bytes.count + 64)
        var row = 0
        while row < image.height {
            let count = min(bandHeight, image.height - row)
            bytes += [0x1D, 0x76, 0x30, 0x00] + pair(image.stride) + pair(count)
            bytes += image.rows(from: row, count: count)
            row += count
        }
        return bytes
    }

    /// Rows of one `GS v 0`.
    public static let bandHeight = 960

    /// `GS ( k`: a QR code that the printer draws itself, with modules of 1 to 16 dots, at the middle level.
    public static func code(_ code: CodeText, module: Int) -> [UInt8] {
        let data = Array(code.text.utf8)
        let size = UInt8(min(16, max(1, module)))
        return [0x1D, 0x28, 0x6B, 0x04, 0x00, 0x31, 0x41, 0x32, 0x00]
            + [0x1D, 0x28, 0x6B, 0x03, 0x00, 0x31, 0x43, size]
            + [0x1D, 0x28, 0x6B, 0x03, 0x00, 0x31, 0x45, 0x31]
            + [0x1D, 0x28, 0x6B] + pair(data.count + 3) + [0x31, 0x50, 0x30] + data
            + [0x1D, 0x28, 0x6B, 0x03, 0x00, 0x31, 0x51, 0x30]
    }

    private static func pair(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}
