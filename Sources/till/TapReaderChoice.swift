import TillContactless
import TillPCSC

/// Which reader a tap is taken at.
enum TapReaderChoice {
    /// `pcsc` takes whichever PC/SC reader gets a card, `pcsc:NAME` the one with that in its name; nil for other
    /// readers.
    static func pcsc(_ reader: String) -> (any CardChannel)? {
        if reader == "pcsc" { return PCSCChannel() }
        guard reader.hasPrefix("pcsc:") else { return nil }
        return PCSCChannel(reader: String(reader.dropFirst("pcsc:".count)))
    }
}
