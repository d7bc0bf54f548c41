public import TillCore

/// A card reader of the shop as the counter's page, its interface and its commands show it.
public struct CounterReader: Hashable, Sendable {
    /// The provider's name for it, which stays.
    public let id: String
    /// The name that the shop gave it.
    public let label: String
    /// The kind of device, in the provider's word.
    public let deviceType: String
    /// As the provider heard last; `nil` where nobody knows. A sale is tried whatever it is.
    public let status: Status?
    /// The provider's name for the place where it stands.
    public let location: String?
    public let serialNumber: String?
    public let softwareVersion: String?
    /// Its address in the shop's own network.
    public let ipAddress: String?
    /// When the provider heard of it last.
    public let lastSeenAt: Timestamp?
    /// No device: test cards can be presented to it.
    public let isSimulated: Bool
    /// A phone drives it, over the provider's SDK: the counter cannot sell at it.
    public let needsPhone: Bool
    /// What it does or did last; `nil` where the provider does not say.
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

    /// It has something to do that another command would push aside.
    public var isBusy: Bool { action?.status == .inProgress }

    /// Whether a reader was seen lately. Open: a word that is not known is kept.
    public struct Status: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let online = Status(rawValue: "online")
        public static let offline = Status(rawValue: "offline")
    }
}
