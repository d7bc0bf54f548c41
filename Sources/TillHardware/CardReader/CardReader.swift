/// A card reader as the shop sees it. A value: it does not change when the reader does.
public struct CardReader: Hashable, Sendable {
    /// Its serial number; two readers never share one.
    public let serial: String
    /// Who made it, such as `SIMULATED`.
    public let vendor: String?
    /// The name that the shop gave it.
    public let label: String
    /// What kind of device it is.
    public let readerType: CardReaderType
    /// How full its battery is, 0 to 100 percent, if it has one and tells.
    public let batteryPercent: Int?
    /// What runs on it.
    public let softwareVersion: String?

    /// Makes one.
    public init(
        serial: String, vendor: String? = nil, label: String, readerType: CardReaderType, batteryPercent: Int? = nil,
        softwareVersion: String? = nil
    ) {
        self.serial = serial
        self.vendor = vendor
        self.label = label
        self.readerType = readerType
        self.batteryPercent = batteryPercent
        self.softwareVersion = softwareVersion
    }
}

/// What kind of device a reader is. Open: a kind that is not known keeps its raw value.
public struct CardReaderType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Held in the hand, paired with a phone.
    public static let mobile = CardReaderType(rawValue: "mobile")
    /// Stands on the counter.
    public static let countertop = CardReaderType(rawValue: "countertop")
    /// No device at all.
    public static let simulated = CardReaderType(rawValue: "simulated")
}
