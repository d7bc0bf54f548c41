public import TillCore

/// The failure of a call about readers.
public struct StripeTerminalError: ExplainedError, Hashable {
    /// The certainty of a failed call's outcome.
    public enum Certainty: String, Hashable, Sendable {
        case refused
        /// Refused by Stripe for now; a later attempt may succeed.
        case notNow = "not_now"
        /// Stripe rejected the API key, or the key lacks the permission to use readers. Confirmed not done.
        case keyRejected = "key_rejected"
        case notSent = "not_sent"
        /// Possibly done. Stripe returns the same response to the same key for as long as it remembers it.
        case kept
        /// Possibly done.
        case unknown
    }

    public let certainty: Certainty
    /// Stripe's error code, such as `terminal_reader_busy`.
    public let providerCode: String?
    /// The issuer's decline code, if any.
    public let declineCode: String?
    public let providerMessage: String?
    public let requestID: String?
    /// The HTTP status of the response, if any.
    public let status: Int?
    /// `true` if the call could have moved money.
    public let isAboutMoney: Bool

    init(_ error: StripeError, isAboutMoney: Bool) {
        certainty =
            switch error.meaning {
            case .refused: .refused
            case .notNow: .notNow
            case .keyRejected: .keyRejected
            case .kept: .kept
            case .unclear: .unknown
            }
        providerCode = error.code ?? error.type
        declineCode = error.declineCode
        providerMessage = error.message
        requestID = error.requestID
        status = error.status
        self.isAboutMoney = isAboutMoney
    }

    init(_ certainty: Certainty, code: String? = nil, _ message: String, isAboutMoney: Bool = false) {
        self.certainty = certainty
        providerCode = code
        declineCode = nil
        providerMessage = message
        requestID = nil
        status = nil
        self.isAboutMoney = isAboutMoney
    }

    /// Stripe's error code, or one derived from the certainty.
    public var code: String { providerCode ?? "terminal_\(certainty.rawValue)" }

    public var what: String {
        if let known = StripeTerminalError.sentences[code]?.what { return known }
        let detail = providerMessage.map { ": \($0)" + ($0.hasSuffix(".") ? "" : ".") } ?? "."
        let text =
            switch certainty {
            case .refused: "Stripe refused"
            case .notNow: "Stripe is too busy"
            case .keyRejected: "Stripe rejected the key"
            case .notSent: "Stripe could not be reached"
            case .kept, .unknown: "Stripe gave no clear answer"
            }
        return text + detail
    }

    /// No money moved in a refused or unsent call; unknown for an unclear call that could have moved money.
    public var moneyMoved: MoneyMoved { isUnclear && isAboutMoney ? .unknown : .no }

    private var isUnclear: Bool {
        switch certainty {
        case .kept, .unknown: true
        case .refused, .notNow, .keyRejected, .notSent: false
        }
    }

    /// The recommended next step.
    public var next: String {
        if let known = StripeTerminalError.sentences[code]?.next { return known }
        switch certainty {
        case .refused: return "Correct it, then try again."
        case .notNow: return "Try again in a moment."
        case .keyRejected: return "Correct the key in the settings, or give it the right to use Terminal: till doctor."
        case .notSent: return "Check the network and the address, then try again."
        case .kept, .unknown: return isAboutMoney ? "Check the payment before you try again." : "Try again."
        }
    }

    /// All error codes of Stripe's API for readers.
    static let sentences: [String: (what: String?, next: String)] = [
        "terminal_reader_busy": (
            "The reader is busy with something else.", "Wait until it is done, or cancel it: till readers cancel."
        ),
        "terminal_reader_offline": (
            "The reader cannot be reached.", "Check that it is on and connected to the network, then try again."
        ),
        "terminal_reader_timeout": (
            "The reader did not answer in time.", "Check the reader and the payment before you try again."
        ),
        "terminal_reader_hardware_fault": ("The reader has a fault.", "Restart it, or use another one."),
        "terminal_reader_invalid_location_for_payment": (
            "The reader stands in a country where this payment cannot be taken.",
            "Use a reader of the payment's country and currency."
        ),
        "terminal_reader_invalid_location_for_activation": (
            "The reader cannot be used in the country of this location.", "Give a location in the reader's country."
        ),
        "terminal_location_country_unsupported": (
            "Stripe has no readers in this country.", "Give a location in another country."
        ),
        "registration_code_invalid": (
            "There is no reader with this registration code.",
            "Read the code from the reader again; it changes each time it is shown."
        ),
        "reader_not_found": ("There is no such reader.", "List them: till readers discover."),
        "reader_ambiguous": ("More than one reader has this name.", "Name it by its id, tmr_…"),
        // Stripe's own message names the missing object.
        "resource_missing": (nil, "List what there is: till readers discover, till locations list."),
        "amount_too_small": ("The amount is below what can be charged in this currency.", "Charge more."),
    ]
}
