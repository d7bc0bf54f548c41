/// A snapshot of a card reader. It does not change when the reader does, and two values are equal only if all their
/// fields are, so that a new battery level counts as a change.
public struct CardReader: Hashable, Sendable {
    /// The serial number, unique among one vendor's readers. It identifies the reader across discoveries.
    public let serial: String
    /// The vendor's own identifier, such as Stripe's `tmr_…`.
    public let vendorIdentifier: String?
    /// The name assigned by the shop.
    public let name: String?
    /// The connection status with this service.
    public var status: CardReaderStatus
    /// The version of the reader's software.
    public var softwareVersion: String?
    /// The battery, if the reader has one and reports it.
    public var battery: CardReaderBattery?
    /// The model, which determines the capabilities.
    public let readerType: CardReaderType
    /// The vendor's identifier of the reader's location.
    public var locationID: String?
    /// The network status as seen by the vendor. A hint: never a reason to refuse a payment.
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

    /// The display name: the reader's name, or its serial number.
    public var label: String { name ?? serial }
}

/// The connection status between a service and a reader.
public enum CardReaderStatus: String, Hashable, Sendable, CaseIterable {
    /// Discovered but not connected.
    case discovered
    case connected
    /// Connected before; the service is trying to reconnect.
    case reconnecting
}

/// A reader's network status as seen by the vendor. Open: an unknown value keeps its raw value.
public struct CardReaderNetworkStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The vendor can reach it.
    public static let online = CardReaderNetworkStatus(rawValue: "online")
    /// The vendor cannot reach it.
    public static let offline = CardReaderNetworkStatus(rawValue: "offline")
}

/// The charge state of a reader's battery.
public struct CardReaderBattery: Hashable, Sendable {
    /// The charge level, clamped to 0 to 100.
    public let percent: Int
    /// A Boolean value that indicates whether the battery is charging, if reported.
    public let isCharging: Bool?

    public init(percent: Int, isCharging: Bool? = nil) {
        self.percent = min(100, max(0, percent))
        self.isCharging = isCharging
    }

    /// The level, in percent, below which a reader should be charged.
    public static let lowPercent = 20
    /// The minimum level for a software update, in percent, even while the reader is charging.
    public static let updatePercent = 50
}
