public import TillCore

/// The result of a tap. Number and track are `Secret`; everything else may be displayed.
public struct CardReading: Sendable {
    /// The outcome, which determines the next step.
    public var outcome: TapOutcome
    /// The reason for the outcome, in one sentence.
    public var reason: String
    /// The selected application's identifier, 5 to 16 bytes; empty if none was selected.
    public var aid: [UInt8]
    /// The application label.
    public var label: String?
    /// The issuer's preferred name for the application.
    public var preferredName: String?
    /// The scheme, if the identifier is known.
    public var scheme: String?
    /// The kernel used.
    public var kernel: KernelID
    /// First six and last four digits.
    public var maskedNumber: String?
    /// The last four digits.
    public var lastFour: String?
    /// The expiry state at the time of the tap.
    public var expiration: ExpirationState
    /// The card number; `nil` if the card returned none.
    public var number: Secret<String>?
    /// The track data required by providers, as read from the card.
    public var track2: Secret<[UInt8]>?
    /// The cardholder verification performed.
    public var verification: Verification
    /// The result of offline data authentication.
    public var authentication: DataAuthentication.Result
    /// All other data of card and terminal, without sensitive values: sent to the provider in the clear.
    public var general: [DataObject]
    /// Number of commands sent.
    public var commands: Int

    /// The expiry state of a card.
    public enum ExpirationState: String, Hashable, Sendable {
        /// The card has not expired.
        case notExpired = "not_expired"
        /// The card has expired.
        case expired
        /// The card returned no date, or an invalid one.
        case unknown
    }

    /// The cardholder verification of a tap.
    public enum Verification: String, Hashable, Sendable {
        /// Not performed and not required.
        case none
        /// On the customer's own device.
        case device
        /// By a signature on the receipt.
        case signature
        /// By a PIN verified by the issuer; this host cannot accept one.
        case onlinePIN = "online_pin"
        /// Required, but not performed.
        case failed
    }

    init(_ candidate: Candidate) {
        outcome = .endApplication
        reason = ""
        aid = candidate.aid
        label = candidate.label
        scheme = Scheme(aid: candidate.aid)?.name
        kernel = candidate.kernel
        expiration = .unknown
        verification = .none
        authentication = .notPerformed
        general = []
        commands = 0
    }

    /// Returns the value of a displayable tag.
    public func value(_ tag: Tag) -> [UInt8]? { general.first(tag)?.value }
}

/// The reason that a tap yielded no reading.
public enum TapError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The amount is negative, or over the limit for taps.
    case amountNotAllowed(limit: Int64?)
    /// Communication with the card failed.
    case channel(CardChannelError)
    /// The card has no directory of contactless applications.
    case noDirectory(StatusWord)
    /// Card and terminal have no application in common.
    case noApplication
    /// The card lists an application, but opens neither it nor any other.
    case applicationNotOpened(name: String, StatusWord)
    /// The card's response cannot be parsed.
    case malformed(TLVError)
    /// The card violated a rule, described in words.
    case cardError(String)

    /// The error in one sentence, without the card number.
    public var description: String {
        switch self {
        case .amountNotAllowed(let limit):
            limit.map { "The amount is over the limit for taps, \($0) minor units." } ?? "The amount is negative."
        case .channel(let error): error.description
        case .noDirectory(let status): "The card offers no contactless application: \(status)."
        case .noApplication: "The card offers no application that is taken here."
        case .applicationNotOpened(let name, let status): "The card names \(name) and does not open it: \(status)."
        case .malformed(let error): "The card's answer cannot be read. \(error)"
        case .cardError(let text): "The card broke a rule: \(text)."
        }
    }
}
