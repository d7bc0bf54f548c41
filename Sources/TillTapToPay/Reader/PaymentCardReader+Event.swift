extension PaymentCardReader {
    /// What a reader reports while it is prepared and while it reads. Open: an event that is not known
    /// here keeps its name.
    public enum Event: Hashable, Sendable {
        /// Percent of the configuration, 0 to 100, while the reader is prepared. It is not the progress of a read.
        case updateProgress(Int)
        /// The reader cannot read now.
        case notReady
        /// The sheet is up and a card may be presented.
        case readyForTap
        /// A card is in the field.
        case cardDetected
        /// The card may leave.
        case removeCard
        /// The card is read.
        case readCompleted
        case readRetry
        /// The read was canceled.
        case readCancelled
        /// The card could not be read.
        case readNotCompleted
        /// The customer is asked for a PIN.
        case pinEntryRequested
        /// The customer has typed it.
        case pinEntryCompleted
        /// The system's sheet is gone.
        case userInterfaceDismissed
        /// A later release's event, by its name.
        case unrecognized(String)

        /// Its name, as Apple spells it.
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

        /// The release that brought it; nil for one that is not known here.
        public var release: SystemRelease? {
            switch self {
            case .userInterfaceDismissed: .iOS16_4
            case .unrecognized: nil
            default: .iOS16
            }
        }

        /// A sentence for the screen; nil where there is nothing to say.
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
