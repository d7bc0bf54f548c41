/// A card reader as the shop sees it. A value: it does not change when the reader does, and two values are equal only
/// if everything about them is, so that a new battery level is never taken for old news.
public struct CardReader: Hashable, Sendable {
    /// Its serial number; two readers of one vendor never share one. This is what a reader is found again by.
    public let serial: String
    /// The vendor's own name for it, such as Stripe's `tmr_…`.
    public let vendorIdentifier: String?
    /// The name that the shop gave it.
    public let name: String?
    /// Whether this service is connected to it.
    public var status: CardReaderStatus
    /// What runs on it.
    public var softwareVersion: String?
    /// Its battery, if it has one and reports it.
    public var battery: CardReaderBattery?
    /// Which model it is, and with that what it can do.
    public let readerType: CardReaderType
    /// The vendor's name for the place where it stands.
    public var locationID: String?
    /// Whether the vendor reaches it. A hint: it is never a reason to refuse a payment.
    public var networkStatus: CardReaderNetworkStatus?

    public init(
        serial: String, vendorIdentifier: String? = nil, name: String? = nil, status: CardReaderStatus = .discovered,
        softwareVersion: String? = nil, battery: CardReaderBattery? = nil, readerType: CardReaderType,
        locationID: String? = nil, networkStatus: CardReaderNetworkStatus? = nil
    ) {
        self.serial = serial
        self.vendorIdentifier = vendorIdentifier
        self.name = name
        self.status = status
        self.softwareVersion = softwareVersion
        self.battery = battery
        self.readerType = readerType
        self.locationID = locationID
        self.networkStatus = networkStatus
    }

    /// What people call it: its name, or its serial number.
    public var label: String { name ?? serial }
}

/// Whether a service is connected to a reader.
public enum CardReaderStatus: String, Hashable, Sendable, CaseIterable {
    /// It was found and is not connected.
    case discovered
    case connected
    /// Connected before; the service is trying to reach it again.
    case reconnecting
}

/// Whether a vendor reaches a reader over the network. Open: a word that is not known keeps its raw value.
public struct CardReaderNetworkStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The vendor reaches it.
    public static let online = CardReaderNetworkStatus(rawValue: "online")
    /// The vendor does not reach it.
    public static let offline = CardReaderNetworkStatus(rawValue: "offline")
}

/// How full a reader's battery is.
public struct CardReaderBattery: Hashable, Sendable {
    /// 0 to 100; other numbers are moved to the nearest of these.
    public let percent: Int
    /// Whether it is being charged, if the reader reports.
    public let isCharging: Bool?

    public init(percent: Int, isCharging: Bool? = nil) {
        self.percent = min(100, max(0, percent))
        self.isCharging = isCharging
    }

    /// Below this a reader should be charged, in percent.
    public static let lowPercent = 20
    /// A software update needs at least this much, in percent, even while the reader is being charged.
    public static let updatePercent = 50
}
