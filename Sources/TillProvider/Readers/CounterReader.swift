public import TillCore

/// A card reader of the shop, as shown by the counter's page, API and commands.
public struct CounterReader: Hashable, Sendable {
    /// The provider's permanent identifier.
    public let id: String
    /// The label assigned by the shop.
    public let label: String
    /// The device type, in the provider's terms.
    public let deviceType: String
    /// The status last known to the provider; `nil` if unknown. A sale is attempted regardless.
    public let status: Status?
    /// The provider's identifier of the reader's location.
    public let location: String?
    public let serialNumber: String?
    public let softwareVersion: String?
    /// The address on the shop's local network.
    public let ipAddress: String?
    /// The time at which the reader last contacted the provider.
    public let lastSeenAt: Timestamp?
    /// `true` for a simulated reader, which accepts test cards.
    public let isSimulated: Bool
    /// `true` for a reader driven by a phone over the provider's SDK; the counter cannot sell at it.
    public let needsPhone: Bool
    /// The current or last action; `nil` if the provider does not report it.
    public let action: ReaderAction?

    public init(
        id: String, label: String, deviceType: String, status: Status? = nil, location: String? = nil,
        serialNumber: String? = nil, softwareVersion: String? = nil, ipAddress: String? = nil,
        lastSeenAt: Timestamp? = nil, isSimulated: Bool = false, needsPhone: Bool = false, action: ReaderAction? = nil
    ) {
        self.id = id
        self.label = label
        self.deviceType = deviceType
        self.status = status
        self.location = location
        self.serialNumber = serialNumber
        self.softwareVersion = softwareVersion
        self.ipAddress = ipAddress
        self.lastSeenAt = lastSeenAt
        self.isSimulated = isSimulated
        self.needsPhone = needsPhone
        self.action = action
    }

    /// `true` if the reader has an action in progress that another command would replace.
    public var isBusy: Bool { action?.status == .inProgress }

    /// The connection status of a reader. Open: an unknown value is kept.
    public struct Status: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let online = Status(rawValue: "online")
        public static let offline = Status(rawValue: "offline")
    }
}
