extension PaymentCardReader {
    /// A credential that allows this device to read cards for one shop: a text signed by the provider, valid for
    /// ``TapToPayDeadlines/tokenLifetime``.
    ///
    /// It prints, dumps and mirrors as a mask; only ``rawValue`` reveals it.
    public struct Token: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        /// The provider's text, unchanged.
        public let rawValue: String

        /// Takes the text as it is; the driver decides on its validity.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Always the same mask.
        public var description: String { "••••" }
        /// Always the same mask.
        public var debugDescription: String { "••••" }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }
}
