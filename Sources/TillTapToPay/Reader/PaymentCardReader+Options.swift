extension PaymentCardReader {
    /// The options of a reader.
    public struct Options: Hashable, Sendable {
        /// `true` if a read returns as soon as the card is read, not after the animation. iOS 16.4.
        public var returnReadResultImmediately: Bool
        /// `true` if a failed read returns a result with its outcome and any sealed data, instead of throwing. The
        /// provider wants those data too, so it is on by default in Till. iOS 16.4.
        public var includeErrorInReadResult: Bool

        public init(returnReadResultImmediately: Bool = true, includeErrorInReadResult: Bool = true) {
            self.returnReadResultImmediately = returnReadResultImmediately
            self.includeErrorInReadResult = includeErrorInReadResult
        }
    }
}
