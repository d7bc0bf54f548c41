public import TillCore

/// What a tap gave. The number and the track are sealed in `Secret`; everything else may be shown.
public struct CardReading: Sendable {
    /// How the reading ended, and so what may be done with it.
    public var outcome: TapOutcome
    /// Why, in one sentence.
    public var reason: String
    /// The selected application's identifier, 5 to 16 bytes; empty if none was selected.
    public var aid: [UInt8]
    /// What the card calls the application.
    public var label: String?
    /// What the issuer would like it to be called.
    public var preferredName: String?
    /// The scheme, when its identifier is known.
    public var scheme: String?
    /// Which kernel read it.
    public var kernel: KernelID
    /// First six and last four digits.
    public var maskedNumber: String?
    /// The last four digits.
    public var lastFour: String?
    /// Whether the card's date is over at the time of the tap.
    public var expiration: ExpirationState
    /// The card number; `nil` if the card gave none.
    public var number: Secret<String>?
    /// The track data that providers take, as they come from the card.
    public var track2: Secret<[UInt8]>?
    /// How the customer was verified.
    public var verification: Verification
    /// What offline data authentication found.
    public var authentication: DataAuthentication.Result
    /// Everything else that card and terminal said, nothing sensitive in it: what goes to the provider in the clear.
    public var general: [DataObject]
    /// How many commands were sent.
    public var commands: Int

    /// Whether the card's date is over.
    public enum ExpirationState: String, Hashable, Sendable {
        /// The card's last day has not passed.
        case notExpired = "not_expired"
        /// The card's last day has passed.
        case expired
        /// The card did not say, or said nonsense.
        case unknown
    }

    /// How the customer was verified.
    public enum Verification: String, Hashable, Sendable {
        /// Not, and it was not asked for.
        case none
        /// On the customer's own device.
        case device
        /// By a signature on the receipt.
        case signature
        /// By a PIN that goes to the issuer; this host cannot take one.
        case onlinePIN = "online_pin"
        /// It was asked for and did not happen.
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

    /// The value of a tag among what may be shown.
    public func value(_ tag: Tag) -> [UInt8]? { general.first(tag)?.value }
}

/// Why a tap gave no reading at all.
public enum TapError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The amount is negative, or over the limit for taps.
    case amountNotAllowed(limit: Int64?)
    /// The way to the card failed.
    case channel(CardChannelError)
    /// The card has no directory of contactless applications.
    case noDirectory(StatusWord)
    /// Card and terminal have no application in common.
    case noApplication
    /// The card names an application, and does not open it or any other.
    case applicationNotOpened(name: String, StatusWord)
    /// The card's answer cannot be read.
    case malformed(TLVError)
    /// The card broke a rule: which one, in words.
    case cardError(String)

    /// How the tap ended, in one sentence without the number.
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
