public import TillCore

/// What a counter gives a ``ProviderModule`` to stand on.
public struct ProviderEnvironment: Sendable {
    public let clock: any TillClock
    /// Who is asked for money if a request names nobody.
    public let defaultProvider: ProviderName
    /// Where the bank's page sends the customer of an attempt back to; `nil` where the shop has no address for them.
    public let returnAddress: (@Sendable (AttemptID) -> ReturnAddress)?
    private let transports: any ProviderTransports
    private let notifications: @Sendable (ProviderName) -> any NotificationStore

    public init(
        clock: any TillClock, defaultProvider: ProviderName, transports: any ProviderTransports,
        returnAddress: (@Sendable (AttemptID) -> ReturnAddress)? = nil,
        notifications: @escaping @Sendable (ProviderName) -> any NotificationStore
    ) {
        self.clock = clock
        self.defaultProvider = defaultProvider
        self.transports = transports
        self.returnAddress = returnAddress
        self.notifications = notifications
    }

    /// The counter's transport: one pool for all providers, each call in the request's trace.
    public var transport: any HTTPTransport { transports.shared() }

    /// A transport to devices in the local network, whose certificates come from their maker's root.
    /// - Parameter root: the root's file, PEM.
    /// - Throws: when the file cannot be read.
    public func transport(trustingDevicesOf root: String) throws -> any HTTPTransport {
        try transports.trustingDevices(of: root)
    }

    /// Where what a provider's webhooks say is kept.
    public func notifications(of provider: ProviderName) -> any NotificationStore { notifications(provider) }

    /// A value for a key that nobody has set: a stand-in on this machine takes any. `nil` unless the provider is chosen
    /// and its address is this machine's own.
    public func standInKey(for provider: ProviderName, at url: String?, _ value: String = "local") -> String? {
        provider == defaultProvider && Loopback.isURL(url ?? "") ? value : nil
    }
}

/// The connections of a counter. They are made when they are first asked for.
public protocol ProviderTransports: Sendable {
    /// The one for all providers.
    func shared() -> any HTTPTransport
    /// One that trusts devices of one maker.
    /// - Throws: when the root's file cannot be read.
    func trustingDevices(of root: String) throws -> any HTTPTransport
}

/// An address to come back to, with a state that nobody else can make.
public struct ReturnAddress: Sendable {
    /// The address without its state.
    public let base: String
    /// The generator's state of 128 bits.
    public let state: (UInt64, UInt64)

    public init(base: String, state: (UInt64, UInt64)) {
        self.base = base
        self.state = state
    }
}
