public import TillCore

/// How a reader collects a card.
public struct TerminalCollection: Hashable, Sendable {
    /// The customer can cancel it at the reader.
    public var customerCancels: Bool?
    /// No tip is asked for.
    public var skipsTipping: Bool?
    /// The part of the amount that a tip counts from, in the wire's units.
    public var tipEligible: Int64?
    /// Whether a saved card may be shown to the customer again: `always`, `limited`, `unspecified`.
    public var allowRedisplay: String?
    /// Where methods that leave the reader come back to.
    public var returnURL: String?

    /// Makes one; what is not given is not sent.
    public init(
        customerCancels: Bool? = nil, skipsTipping: Bool? = nil, tipEligible: Int64? = nil,
        allowRedisplay: String? = nil, returnURL: String? = nil
    ) {
        self.customerCancels = customerCancels
        self.skipsTipping = skipsTipping
        self.tipEligible = tipEligible
        self.allowRedisplay = allowRedisplay
        self.returnURL = returnURL
    }

    func put(into form: inout TerminalForm, _ name: String) {
        form.put("\(name)[enable_customer_cancellation]", customerCancels)
        form.put("\(name)[skip_tipping]", skipsTipping)
        form.put("\(name)[tipping][amount_eligible]", tipEligible)
        form.put("\(name)[allow_redisplay]", allowRedisplay)
    }
}

/// A refund for which the card is presented again.
public struct TerminalRefund: Hashable, Sendable {
    /// What was paid; this or ``charge``.
    public var paymentIntent: ProviderReference?
    /// What was paid; this or ``paymentIntent``.
    public var charge: String?
    /// In the wire's units; all that is left without it.
    public var amount: Int64?
    /// Kept with the refund.
    public var metadata: [String: String]
    /// The customer can cancel it at the reader.
    public var customerCancels: Bool?

    public init(
        paymentIntent: ProviderReference? = nil, charge: String? = nil, amount: Int64? = nil,
        metadata: [String: String] = [:], customerCancels: Bool? = nil
    ) {
        self.paymentIntent = paymentIntent
        self.charge = charge
        self.amount = amount
        self.metadata = metadata
        self.customerCancels = customerCancels
    }
}

/// A payment intent that a reader is to collect for.
public struct TerminalIntentDraft: Hashable, Sendable {
    /// In the wire's units.
    public var amount: Int64
    /// The currency's three letters, in lower case.
    public var currency: String
    /// When the money is taken: `manual` or `manual_preferred`.
    public var captureMethod = "manual"
    public var paymentMethodTypes = ["card_present"]
    /// Hold the money longer than by default, where the scheme can.
    public var requestsExtendedAuthorization = false
    /// The amount may be raised later.
    public var requestsIncrementalAuthorization = false
    /// Which network of a card with two goes first: `domestic` or `international`.
    public var requestedPriority: String?
    public var description: String?
    /// What the customer's bank statement says.
    public var statementDescriptor: String?
    /// Where Stripe sends its own receipt.
    public var receiptEmail: String?
    /// What Stripe keeps for the platform, in the wire's units.
    public var applicationFee: Int64?
    public var metadata: [String: String] = [:]

    public init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }
}

/// Which readers are wanted.
public struct TerminalReaderFilter: Hashable, Sendable {
    /// Only of this kind.
    public var deviceType: TerminalDeviceType?
    /// Only at this place.
    public var location: String?
    /// Only the one with this number.
    public var serialNumber: String?
    /// Only those in this state.
    public var status: TerminalReaderStatus?

    /// Makes one; all of them without arguments.
    public init(
        deviceType: TerminalDeviceType? = nil, location: String? = nil, serialNumber: String? = nil,
        status: TerminalReaderStatus? = nil
    ) {
        self.deviceType = deviceType
        self.location = location
        self.serialNumber = serialNumber
        self.status = status
    }
}
