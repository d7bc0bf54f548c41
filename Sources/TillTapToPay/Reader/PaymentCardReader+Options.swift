extension PaymentCardReader {
    /// How a reader behaves.
    public struct Options: Hashable, Sendable {
        /// A read returns as soon as the card is read, not after the animation. iOS 16.4.
        public var returnReadResultImmediately: Bool
        /// A read that fails gives a result with its outcome and whatever sealed data exist, instead of throwing. The
        /// provider wants those data too, so Till turns it on by default. iOS 16.4.
        public var includeErrorInReadResult: Bool

        public init(returnReadResultImmediately: Bool = true, includeErrorInReadResult: Bool = true) {
            self.returnReadResultImmediately = returnReadResultImmediately
            self.includeErrorInReadResult = includeErrorInReadResult
        }
    }
}
