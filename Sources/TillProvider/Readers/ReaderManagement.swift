public import TillCore

/// Manages an account's readers and the places where they stand, where the provider has an interface for that.
/// Elsewhere it is done in the provider's dashboard.
public protocol ReaderManagement: Sendable {
    /// Every reader of the account, those that a phone drives included.
    /// - Parameter location: only those that stand there; `nil`: all.
    func readers(at location: String?) async throws(ReaderError) -> [CounterReader]
    /// The reader that somebody means by its id, its label or its serial number, also one that a phone drives.
    func anyReader(named name: String) async throws(ReaderError) -> CounterReader
    /// Makes a reader one of the account's.
    /// - Parameter code: what its screen shows.
    func register(code: String, label: String?, location: String?) async throws(ReaderError) -> CounterReader
    func rename(_ id: String, to label: String) async throws(ReaderError) -> CounterReader
    /// Takes a reader out of the account.
    func remove(_ id: String) async throws(ReaderError)
    /// Shows an order on a reader's screen; its default screen where there is none. Refused while the reader is busy.
    func display(_ order: Order?, at id: String) async throws(ReaderError) -> CounterReader
    /// Sets the hours in which the readers of a location restart and install software.
    func setRebootWindow(_ window: RebootWindow, at location: String) async throws(ReaderError)

    func locations() async throws(ReaderError) -> [ReaderLocation]
    func createLocation(_ name: String, _ address: ReaderLocation.Address) async throws(ReaderError) -> ReaderLocation
    /// Changes what is given; the rest stays.
    func updateLocation(
        _ id: String, name: String?, address: ReaderLocation.Address?
    ) async throws(ReaderError) -> ReaderLocation
    /// Removes a place that has no readers.
    func removeLocation(_ id: String) async throws(ReaderError)
}

/// The hours between which readers restart, by their own clock.
public struct RebootWindow: Hashable, Sendable {
    /// Both 0 to 23, and not the same.
    public let start: Int64
    public let end: Int64

    /// - Returns: `nil` unless both are hours of a day and differ.
    public init?(from start: Int64, to end: Int64) {
        let hours: ClosedRange<Int64> = 0...23
        guard hours.contains(start), hours.contains(end), start != end else { return nil }
        self.start = start
        self.end = end
    }
}

/// A place where readers stand. Its country may decide which cards and currencies they take.
public struct ReaderLocation: Hashable, Sendable {
    /// The provider's name for it, which stays.
    public let id: String
    public let displayName: String
    public let address: Address
    /// The provider's name for the settings that the readers there follow instead of the account's.
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
        /// State, province or county, where addresses have one.
        public var state: String?
        /// Two letters of ISO 3166-1.
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
