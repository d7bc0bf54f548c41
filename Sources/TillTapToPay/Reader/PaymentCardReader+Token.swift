extension PaymentCardReader {
    /// What lets this device read cards for one shop: a provider's signed
    /// text, valid for ``TapToPayDeadlines/tokenLifetime``.
    ///
    /// It is a credential: it prints, dumps and mirrors as a mask, and only ``rawValue`` gives it.
    public struct Token: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        /// The provider's text, unchanged.
        public let rawValue: String

        /// Takes the text as it is; whether it is valid is for the driver to say.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Always the same mask.
        public var description: String { "••••" }
        /// Always the same mask.
        public var debugDescription: String { "••••" }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }
}
