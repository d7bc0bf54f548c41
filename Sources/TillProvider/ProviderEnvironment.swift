public import TillCore

/// The services that a counter supplies to a ``ProviderModule``.
public struct ProviderEnvironment: Sendable {
    public let clock: any TillClock
    /// The provider of requests that name none.
    public let defaultProvider: ProviderName
    /// Returns the return URL for the customer of an attempt; `nil` if the shop has no address for it.
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

    /// The counter's transport: one connection pool for all providers, with each call traced as part of its request.
    public var transport: any HTTPTransport { transports.shared() }

    /// Returns a transport to devices on the local network with certificates issued by their manufacturer's root.
    /// - Parameter root: the path of the root certificate, PEM.
    /// - Throws: an error if the file cannot be read.
    public func transport(trustingDevicesOf root: String) throws -> any HTTPTransport {
        try transports.trustingDevices(of: root)
    }

    /// Returns the store of a provider's webhook notifications.
    public func notifications(of provider: ProviderName) -> any NotificationStore { notifications(provider) }

    /// Returns a placeholder for a key that is not set, because a local stand-in accepts any key. `nil` unless the
    /// provider is selected and its address is loopback.
    public func standInKey(for provider: ProviderName, at url: String?, _ value: String = "local") -> String? {
        provider == defaultProvider && Loopback.isURL(url ?? "") ? value : nil
    }
}

/// The connections of a counter, created on first use.
public protocol ProviderTransports: Sendable {
    /// Returns the transport shared by all providers.
    func shared() -> any HTTPTransport
    /// Returns a transport that trusts the devices of one manufacturer.
    /// - Throws: an error if the root certificate cannot be read.
    func trustingDevices(of root: String) throws -> any HTTPTransport
}

/// A return URL with an unforgeable state.
public struct ReturnAddress: Sendable {
    /// The URL without its state.
    public let base: String
    /// The 128-bit state of the generator.
    public let state: (UInt64, UInt64)

    public init(base: String, state: (UInt64, UInt64)) {
        self.base = base
        self.state = state
    }
}
