/// How a tap ended. Source: EMV Contactless Book A, section 6.2.
public enum TapOutcome: String, Hashable, Sendable {
    /// The card approved offline.
    case approved
    /// The card declined, or its data cannot be trusted.
    case declined
    /// The card was read; its issuer decides through the provider.
    case onlineRequest = "online_request"
    /// Present the card again.
    case tryAgain = "try_again"
    /// Insert or swipe the card instead.
    case tryAnotherInterface = "try_another_interface"
    /// Nothing can be done with this card here.
    case endApplication = "end_application"

    /// A sentence for the customer, the same for every reason of a decline.
    public var sentence: String {
        switch self {
        case .approved: "Approved."
        case .declined: "Declined."
        case .onlineRequest: "Card read. You may remove it."
        case .tryAgain: "Please present the card again."
        case .tryAnotherInterface: "Please insert or swipe the card."
        case .endApplication: "This card cannot be used here. Please try another card."
        }
    }
}

/// What the customer sees while a card is read. Source: EMV Contactless Book A, user interface requests.
public enum TapProgress: String, Hashable, Sendable {
    /// The field is on.
    case readyForTap = "ready_for_tap"
    /// A card is being read.
    case cardDetected = "card_detected"
    /// The card may leave.
    case removeCard = "remove_card"
    /// The card left too early: it is to be presented again.
    case retry = "read_retry"
    /// The card was read to its end.
    case completed = "read_completed"
    /// The card was not read.
    case notCompleted = "read_not_completed"
    /// Canceled before a card was read.
    case canceled = "read_cancelled"
}
