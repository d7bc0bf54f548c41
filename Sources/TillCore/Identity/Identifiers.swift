/// A typed identifier. Each kind of thing has its own type, so that an order cannot be passed for a payment.
public protocol Identifier: RawRepresentable<String>, Hashable, Sendable, CustomStringConvertible {
    /// Wraps the text without validating it. Use ``init(validating:)`` for external text.
    init(rawValue: String)
}

/// The reason for which a text is not a valid identifier.
public enum IdentifierError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text has no characters.
    case empty
    /// The text is longer than ``IdentifierLimits/maximumBytes``.
    case tooLong(Int)
    /// The text contains a character that is not printable ASCII, or a space.
    case unprintable
    /// The text is or contains a card number.
    case cardNumber

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .empty: "The identifier is empty."
        case .tooLong(let count):
            "The identifier has \(count) bytes; at most \(IdentifierLimits.maximumBytes) are taken."
        case .unprintable: "The identifier has a character that is not printable ASCII."
        case .cardNumber:
            "It reads as a card number, and those are kept nowhere. If it is the shop's own number, put a letter "
                + "between its digits."
        }
    }
}

/// Limits on external identifiers.
public enum IdentifierLimits {
    /// The longest accepted identifier, in bytes. Providers store at least this much in their metadata.
    public static let maximumBytes = 128
}

extension Identifier {
    public var description: String { rawValue }

    /// Validates external text: 1 to 128 bytes of printable ASCII without spaces.
    public init(validating text: String) throws(IdentifierError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= IdentifierLimits.maximumBytes else { throw .tooLong(text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .unprintable }
        self.init(rawValue: text)
    }

    /// Validates external text; `nil` for any text that ``init(validating:)`` rejects.
    public init?(ifValid text: String) {
        do throws(IdentifierError) { try self.init(validating: text) } catch { return nil }
    }
}

/// The shop for which money moves. A payment is visible to its own account only.
public struct AccountID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The account of a counter that serves one shop.
    public static let main = AccountID(rawValue: "main")
}

/// The identifier of an order, assigned by the shop.
///
/// ```swift
/// let sold = try OrderID(selling: "1001")  // validated: from a form, a file or a request
/// let stored = OrderID(rawValue: "1001")  // not validated: from the shop's own records
/// print(sold == stored)  // true
/// ```
public struct OrderID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Validates the identifier of an order to be sold. It is never masked, because two orders could then share an
    /// identifier.
    /// - Throws: ``IdentifierError``, also for an identifier that contains a card number (``CardNumberMask``).
    public init(selling name: String) throws(IdentifierError) {
        try self.init(validating: name)
        guard !CardNumberMask.finds(in: name) else { throw .cardNumber }
    }
}

/// One payment for one order: the intent visible to the shop. `pay_` and 26 characters that sort by time.
public struct PaymentID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an identifier from the time and 80 random bits, both supplied by the caller.
    public static func make(at time: Timestamp, random: (UInt64, UInt64)) -> PaymentID {
        let millis = UInt64(clamping: time.milliseconds)
        let text = String(unsafeUninitializedCapacity: 30) { text in
            var count = 0
            for letter in "pay_".utf8 {
                text[count] = letter
                count += 1
            }
            // Ten digits of time and eight of each word, of five bits each.
            for (bits, highest) in [(millis, 45), (random.0, 35), (random.1, 35)] {
                for shift in stride(from: highest, through: 0, by: -5) {
                    text[count] = crockford[Int((bits >> UInt64(shift)) & 31)]
                    count += 1
                }
            }
            return count
        }
        return PaymentID(rawValue: text)
    }
}

extension PaymentID {
    /// Extracts the payment from the identifier of one of its operations: `pay_…-a1`, `pay_…-r1`. `nil` for anything
    /// else.
    public init?(ofStep name: some StringProtocol) {
        guard name.hasPrefix("pay_"), let end = name.lastIndex(of: "-"),
            let id = PaymentID(ifValid: String(name[..<end]))
        else { return nil }
        self = id
    }

    /// Returns `true` if a name is one of this payment's refunds: `pay_…-r1`. A refund made in a provider's dashboard
    /// has the name of its sale, or none.
    package func isRefund(_ name: some StringProtocol) -> Bool {
        PaymentID(ofStep: name) == self && name.dropFirst(rawValue.utf8.count).hasPrefix("-r")
    }
}

let crockford = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

/// One attempt to authorize a payment with one provider: the payment's identifier and `-a1`, `-a2`, …
public struct AttemptID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AttemptID {
    /// Reads the identifier of an attempt, `pay_…-a1`. `nil` for anything else, another operation's included.
    public init?(ofStep name: some StringProtocol) {
        guard PaymentID(ofStep: name) != nil, let end = name.lastIndex(of: "-"), name[end...].hasPrefix("-a") else {
            return nil
        }
        self.init(rawValue: String(name))
    }
}

/// A capture of an authorization: the payment's identifier and `-c1`, `-c2`, …
public struct CaptureID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A renewal of a hold: the payment's identifier and `-h1`, `-h2`, …
public struct RenewalID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A refund of captured money: the payment's identifier and `-r1`, `-r2`, …
public struct RefundID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A provider's identifier of its own object: Stripe's `pi_…`, the sandbox's `sb_…`.
public struct ProviderReference: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The key under which a provider performs an operation at most once.
///
/// It is derived from the payment (so from the order), the attempt and the operation, and it is in the journal before
/// the call is sent. The same operation always has the same key, even after a crash and on another machine.
public struct IdempotencyKey: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The name of a payment service provider, as in `--provider stripe`.
public struct ProviderName: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The sandbox provider that ships with Till.
    public static let sandbox = ProviderName(rawValue: "sandbox")
    /// The cash drawer.
    public static let cash = ProviderName(rawValue: "cash")
}

/// The identifier of a staff member. The display name may change; the identifier never does.
public struct StaffID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a device on which an action is taken: an enrolled card reader, phone or tablet.
public struct DeviceID: Identifier {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }
}
