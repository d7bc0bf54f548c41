public import TillCore

/// Options for collecting a card at a reader.
public struct TerminalCollection: Hashable, Sendable {
    /// `true` if the customer can cancel at the reader.
    public var customerCancels: Bool?
    /// `true` to skip the tip prompt.
    public var skipsTipping: Bool?
    /// The part of the amount that tips are calculated from, in wire units.
    public var tipEligible: Int64?
    /// The permission to show a saved card to the customer again: `always`, `limited`, `unspecified`.
    public var allowRedisplay: String?
    /// The return URL of payment methods that leave the reader.
    public var returnURL: String?

    /// Creates options; absent values are not sent.
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
    /// The payment intent to refund; this or ``charge``.
    public var paymentIntent: ProviderReference?
    /// The charge to refund; this or ``paymentIntent``.
    public var charge: String?
    /// The amount in wire units; without it, the full remaining amount.
    public var amount: Int64?
    /// Metadata stored with the refund.
    public var metadata: [String: String]
    /// `true` if the customer can cancel at the reader.
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

/// A payment intent for collection by a reader.
public struct TerminalIntentDraft: Hashable, Sendable {
    /// The amount, in wire units.
    public var amount: Int64
    /// The currency's three letters, in lower case.
    public var currency: String
    /// The capture method: `manual` or `manual_preferred`.
    public var captureMethod = "manual"
    public var paymentMethodTypes = ["card_present"]
    /// `true` to request a longer hold, if the scheme supports it.
    public var requestsExtendedAuthorization = false
    /// `true` to allow later increments of the amount.
    public var requestsIncrementalAuthorization = false
    /// The preferred network of a co-badged card: `domestic` or `international`.
    public var requestedPriority: String?
    public var description: String?
    /// The text on the customer's bank statement.
    public var statementDescriptor: String?
    /// The address for Stripe's own receipt.
    public var receiptEmail: String?
    /// The platform's application fee, in wire units.
    public var applicationFee: Int64?
    public var metadata: [String: String] = [:]

    public init(amount: Int64, currency: String) {
        self.amount = amount
        self.currency = currency
    }
}

/// A filter for readers.
public struct TerminalReaderFilter: Hashable, Sendable {
    /// The device type.
    public var deviceType: TerminalDeviceType?
    /// The location.
    public var location: String?
    /// The serial number.
    public var serialNumber: String?
    /// The status.
    public var status: TerminalReaderStatus?

    /// Creates a filter; without arguments it matches all readers.
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
