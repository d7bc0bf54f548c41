/// The commands common to receipt printers, as bytes from Epson's ESC/POS reference.
public enum ESCPOSCommand {
    /// The alignment of text.
    public enum Alignment: UInt8, Hashable, Sendable {
        /// Left-aligned, the default after a reset.
        case left = 0
        /// Centered.
        case center = 1
        /// Right-aligned.
        case right = 2
    }

    /// The subject of a real-time status request.
    public enum Question: UInt8, Hashable, Sendable, CaseIterable {
        /// Online state and the drawer's contact.
        case printer = 1
        /// The offline cause: cover, paper, error.
        case offline = 2
        /// The error that stopped the printer, and its recoverability.
        case error = 3
        /// Paper present, low or out.
        case paper = 4
    }

    /// `ESC @`: resets to the power-on state.
    public static let initialize: [UInt8] = [0x1B, 0x40]
    /// Prints the line and feeds one line.
    public static let lineFeed: [UInt8] = [0x0A]

    /// `ESC a n`: aligns the following lines; effective only at the beginning of a line.
    public static func align(_ side: Alignment) -> [UInt8] { [0x1B, 0x61, side.rawValue] }
    /// `ESC E n`: turns bold on or off.
    public static func bold(_ on: Bool) -> [UInt8] { [0x1B, 0x45, on ? 1 : 0] }
    /// `GS ! n`: scales width and height, 1 to 8 times.
    public static func size(width: Int, height: Int) -> [UInt8] {
        let across = UInt8(min(8, max(1, width)) - 1)
        let down = UInt8(min(8, max(1, height)) - 1)
        return [0x1D, 0x21, across << 4 | down]
    }
    /// `ESC t n`: selects a code page by the printer's own number.
    public static func codePage(_ number: UInt8) -> [UInt8] { [0x1B, 0x74, number] }
    /// `ESC d n`: feeds `lines` lines.
    public static func feed(_ lines: UInt8) -> [UInt8] { [0x1B, 0x64, lines] }
    /// `ESC d 6`, `GS V m`: feeds the paper past the cutter, then cuts.
    public static func cut(partial: Bool) -> [UInt8] { feed(6) + [0x1D, 0x56, partial ? 1 : 0] }
    /// `ESC p m t1 t2`: sends a 100 ms pulse to the cash drawer on pin 2 or 5. No renderer emits it: opening the drawer
    /// requires a separate permission.
    public static func drawer(pin: Int) -> [UInt8] { [0x1B, 0x70, pin == 5 ? 1 : 0, 0x32, 0x32] }
    /// `DLE EOT n`: requests the status in real time, bypassing the print buffer.
    public static func status(_ question: Question) -> [UInt8] { [0x10, 0x04, question.rawValue] }
    /// `GS a n`: turns automatic status reports on or off.
    public static func automaticStatus(_ on: Bool) -> [UInt8] { [0x1D, 0x61, on ? 0xFF : 0] }

    /// `GS v 0`: prints a raster image in bands of ``bandHeight`` rows, because printer buffers are limited.
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

    /// Rows per `GS v 0` command.
    public static let bandHeight = 960

    /// `GS ( k`: prints a QR code drawn by the printer, with modules of 1 to 16 dots, at error correction level M.
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
