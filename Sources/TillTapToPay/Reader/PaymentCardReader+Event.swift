extension PaymentCardReader {
    /// An event of a reader during preparation or a read. Open: an unknown event keeps its name.
    public enum Event: Hashable, Sendable {
        /// Percent of the configuration, 0 to 100, during preparation. It is not the progress of a read.
        case updateProgress(Int)
        /// The reader cannot read now.
        case notReady
        /// The sheet is visible and a card may be presented.
        case readyForTap
        /// A card is in the field.
        case cardDetected
        /// The card may be removed.
        case removeCard
        /// The card was read.
        case readCompleted
        case readRetry
        /// The read was canceled.
        case readCancelled
        /// The card could not be read.
        case readNotCompleted
        /// The customer is prompted for a PIN.
        case pinEntryRequested
        /// The customer has entered the PIN.
        case pinEntryCompleted
        /// The system's sheet was dismissed.
        case userInterfaceDismissed
        /// An event of a later release, by its name.
        case unrecognized(String)

        /// The name, as spelled by Apple.
        public var name: String {
            switch self {
            case .updateProgress: "updateProgress"
            case .notReady: "notReady"
            case .readyForTap: "readyForTap"
            case .cardDetected: "cardDetected"
            case .removeCard: "removeCard"
            case .readCompleted: "readCompleted"
            case .readRetry: "readRetry"
            case .readCancelled: "readCancelled"
            case .readNotCompleted: "readNotCompleted"
            case .pinEntryRequested: "pinEntryRequested"
            case .pinEntryCompleted: "pinEntryCompleted"
            case .userInterfaceDismissed: "userInterfaceDismissed"
            case .unrecognized(let name): name
            }
        }

        /// The release that introduced it; nil for an unknown one.
        public var release: SystemRelease? {
            switch self {
            case .userInterfaceDismissed: .iOS16_4
            case .unrecognized: nil
            default: .iOS16
            }
        }

        /// A sentence for the screen; nil if there is nothing to show.
        public var sentence: String? {
            switch self {
            case .updateProgress(let percent): "Preparing: \(percent) %."
            case .notReady: "Not ready yet."
            case .readyForTap: "Ready. Hold the card or phone near the reader."
            case .cardDetected: "Reading. Keep the card still."
            case .removeCard: "You may remove the card."
            case .readCompleted: "Read."
            case .readRetry: "Please present the card again."
            case .readCancelled: "Canceled."
            case .readNotCompleted: "Not read."
            case .pinEntryRequested: "The customer is entering the PIN."
            case .pinEntryCompleted: "PIN taken."
            case .userInterfaceDismissed, .unrecognized: nil
            }
        }
    }
}
