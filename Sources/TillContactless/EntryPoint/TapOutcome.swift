/// The outcome of a tap. Source: EMV Contactless Book A, section 6.2.
public enum TapOutcome: String, Hashable, Sendable {
    /// The card approved offline.
    case approved
    /// The card declined, or its data are not trustworthy.
    case declined
    /// The card was read; the issuer decides online through the provider.
    case onlineRequest = "online_request"
    /// Present the card again.
    case tryAgain = "try_again"
    /// Insert or swipe the card instead.
    case tryAnotherInterface = "try_another_interface"
    /// The transaction cannot continue with this card.
    case endApplication = "end_application"

    /// The customer message, identical for every decline reason.
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

/// The customer-facing progress of a card reading. Source: EMV Contactless Book A, user interface requests.
public enum TapProgress: String, Hashable, Sendable {
    /// The field is on.
    case readyForTap = "ready_for_tap"
    /// A card is being read.
    case cardDetected = "card_detected"
    /// The card may be removed.
    case removeCard = "remove_card"
    /// The card was removed too early and must be presented again.
    case retry = "read_retry"
    /// Reading is complete.
    case completed = "read_completed"
    /// The card was not read.
    case notCompleted = "read_not_completed"
    /// Canceled before a card was read.
    case canceled = "read_cancelled"
}
