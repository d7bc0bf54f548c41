public import TillCore

/// Manages an account's readers and their locations, if the provider has an API for that. Otherwise it is done in the
/// provider's dashboard.
public protocol ReaderManagement: Sendable {
    /// Returns every reader of the account, including those driven by a phone.
    /// - Parameter location: a location to filter by; `nil` for all.
    func readers(at location: String?) async throws(ReaderError) -> [CounterReader]
    /// Returns the reader with the given id, label or serial number, including those driven by a phone.
    func anyReader(named name: String) async throws(ReaderError) -> CounterReader
    /// Registers a reader with the account.
    /// - Parameter code: the registration code shown on the reader's screen.
    func register(code: String, label: String?, location: String?) async throws(ReaderError) -> CounterReader
    func rename(_ id: String, to label: String) async throws(ReaderError) -> CounterReader
    /// Removes a reader from the account.
    func remove(_ id: String) async throws(ReaderError)
    /// Shows an order on a reader's screen, or the default screen for `nil`. Refused while the reader is busy.
    func display(_ order: Order?, at id: String) async throws(ReaderError) -> CounterReader
    /// Sets the hours in which the readers of a location restart and install updates.
    func setRebootWindow(_ window: RebootWindow, at location: String) async throws(ReaderError)

    func locations() async throws(ReaderError) -> [ReaderLocation]
    func createLocation(_ name: String, _ address: ReaderLocation.Address) async throws(ReaderError) -> ReaderLocation
    /// Updates the given values and leaves the rest unchanged.
    func updateLocation(
        _ id: String, name: String?, address: ReaderLocation.Address?
    ) async throws(ReaderError) -> ReaderLocation
    /// Removes a location without readers.
    func removeLocation(_ id: String) async throws(ReaderError)
}

/// The hours between which readers restart, in local time.
public struct RebootWindow: Hashable, Sendable {
    /// The start and end hours, 0 to 23 and different.
    public let start: Int64
    public let end: Int64

    /// Creates a window.
    /// - Returns: the window, or `nil` unless both values are hours of a day and differ.
    public init?(from start: Int64, to end: Int64) {
        let hours: ClosedRange<Int64> = 0...23
        guard hours.contains(start), hours.contains(end), start != end else { return nil }
        self.start = start
        self.end = end
    }
}

/// A location of readers. Its country may determine the accepted cards and currencies.
public struct ReaderLocation: Hashable, Sendable {
    /// The provider's permanent identifier.
    public let id: String
    public let displayName: String
    public let address: Address
    /// The provider's identifier of the configuration that overrides the account's for these readers.
    public let configuration: String?

    public init(id: String, displayName: String, address: Address, configuration: String? = nil) {
        self.id = id
        self.displayName = displayName
        self.address = address
        self.configuration = configuration
    }

    public struct Address: Hashable, Sendable {
        public var line1: String?
        public var line2: String?
        public var city: String?
        /// State, province or county, if addresses have one.
        public var state: String?
        /// The ISO 3166-1 alpha-2 code.
        public var country: String
        public var postalCode: String?

        public init(
            line1: String? = nil, line2: String? = nil, city: String? = nil, state: String? = nil, country: String,
            postalCode: String? = nil
        ) {
            self.line1 = line1
            self.line2 = line2
            self.city = city
            self.state = state
            self.country = country
            self.postalCode = postalCode
        }
    }
}
