/// A card reader of the shop as the counter's page and its interface show it.
public struct CounterReader: Hashable, Sendable {
    /// The provider's name for it, which stays.
    public let id: String
    /// The name that the shop gave it.
    public let label: String
    /// The kind of device, in the provider's word.
    public let deviceType: String
    /// `online` or `offline`, as the provider heard last; `nil` where nobody knows.
    public let status: String?
    /// The provider's name for the place where it stands.
    public let location: String?
    /// No device: test cards can be presented to it.
    public let isSimulated: Bool
    /// It is at something right now.
    public let isBusy: Bool

    public init(
        id: String, label: String, deviceType: String, status: String? = nil, location: String? = nil,
        isSimulated: Bool = false, isBusy: Bool = false
    ) {
        self.id = id
        self.label = label
        self.deviceType = deviceType
        self.status = status
        self.location = location
        self.isSimulated = isSimulated
        self.isBusy = isBusy
    }
}
