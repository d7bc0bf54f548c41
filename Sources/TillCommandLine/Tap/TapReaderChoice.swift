import TillContactless
import TillPCSC

/// The choice of the reader for a tap.
enum TapReaderChoice {
    /// Returns the PC/SC channel: `pcsc` uses the first reader that detects a card, `pcsc:NAME` the reader with that
    /// text in its name. Returns `nil` for other readers.
    static func pcsc(_ reader: String) -> (any CardChannel)? {
        if reader == "pcsc" { return PCSCChannel() }
        guard reader.hasPrefix("pcsc:") else { return nil }
        return PCSCChannel(reader: String(reader.dropFirst("pcsc:".count)))
    }
}
