/// A name for one thing of one kind. Each kind has its own type, so that an order cannot be passed for a payment.
public protocol Identifier: RawRepresentable<String>, Hashable, Sendable, CustomStringConvertible {
    /// Takes the text as it is. Use ``init(validating:)`` for text from outside.
    init(rawValue: String)
}

/// Why a text cannot be an identifier.
public enum IdentifierError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text has no characters.
    case empty
    /// The text is longer than ``IdentifierLimits/maximumBytes``.
    case tooLong(Int)
    /// The text has a character that is not printable ASCII without space.
    case unprintable
    /// The text is a card number, or has one in it.
    case cardNumber

    /// One sentence that says what was wrong.
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

/// Limits on identifiers that come from outside.
public enum IdentifierLimits {
    /// The longest identifier taken, in bytes. Providers keep at least this much in their metadata.
    public static let maximumBytes = 128
}

extension Identifier {
    public var description: String { rawValue }

    /// Takes text from outside: 1 to 128 bytes of printable ASCII without space.
    public init(validating text: String) throws(IdentifierError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= IdentifierLimits.maximumBytes else { throw .tooLong(text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .unprintable }
        self.init(rawValue: text)
    }

    /// Takes text from outside; `nil` for whatever ``init(validating:)`` refuses, where the reason does not matter.
    public init?(ifValid text: String) {
        do throws(IdentifierError) { try self.init(validating: text) } catch { return nil }
    }
}

/// The shop on whose behalf money moves. A payment is only ever visible to its own account.
public struct AccountID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The account of a counter that serves one shop.
    public static let main = AccountID(rawValue: "main")
}

/// The order that a payment is for, as the shop names it.
public struct OrderID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name of an order that is about to be sold. A name is never masked, since two orders could then have one.
    /// - Throws: ``IdentifierError``, also for a name with a card number in it (``CardNumberMask``).
    public init(selling name: String) throws(IdentifierError) {
        try self.init(validating: name)
        guard !CardNumberMask.finds(in: name) else { throw .cardNumber }
    }
}

/// One payment for one order: the intent that the shop sees. `pay_` and 26 characters that sort by time.
public struct PaymentID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a new one from the time and 80 random bits, both passed in.
    public static func make(at time: Timestamp, random: (UInt64, UInt64)) -> PaymentID {
        var text = Array("pay_".utf8)
        text.reserveCapacity(30)
        let millis = UInt64(clamping: time.milliseconds)
        for shift in stride(from: 45, through: 0, by: -5) {
            text.append(crockford[Int((millis >> UInt64(shift)) & 31)])
        }
        for word in [random.0, random.1] {
            for shift in stride(from: 35, through: 0, by: -5) {
                text.append(crockford[Int((word >> UInt64(shift)) & 31)])
            }
        }
        return PaymentID(rawValue: String(decoding: text, as: UTF8.self))
    }
}

extension PaymentID {
    /// The payment in the name of one of its steps: `pay_…-a1`, `pay_…-r1`. `nil` for anything else.
    public init?(ofStep name: some StringProtocol) {
        guard name.hasPrefix("pay_"), let end = name.lastIndex(of: "-"),
            let id = PaymentID(ifValid: String(name[..<end]))
        else { return nil }
        self = id
    }

    /// Whether a name is one of this payment's refunds: `pay_…-r1`. What somebody refunds in a provider's dashboard has
    /// the name of its sale, or none.
    package func isRefund(_ name: some StringProtocol) -> Bool {
        PaymentID(ofStep: name) == self && name.dropFirst(rawValue.utf8.count).hasPrefix("-r")
    }
}

private let crockford = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

/// One try to authorize a payment with one provider: the payment's identifier and `-a1`, `-a2`, …
public struct AttemptID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One capture of an authorization: the payment's identifier and `-c1`, `-c2`, …
public struct CaptureID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One renewal of a hold: the payment's identifier and `-h1`, `-h2`, …
public struct RenewalID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One refund of captured money: the payment's identifier and `-r1`, `-r2`, …
public struct RefundID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What a provider calls the thing it made for us: Stripe's `pi_…`, a sandbox's `sb_…`.
public struct ProviderReference: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The key under which a provider does a thing at most once.
///
/// It is derived from the payment (so from the order), the attempt and the step, and it is in the journal before
/// the call leaves. The same step always has the same key, also after a crash and on another machine.
public struct IdempotencyKey: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The name of a payment service provider, as in `--provider stripe`.
public struct ProviderName: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The stand-in that ships with Till.
    public static let sandbox = ProviderName(rawValue: "sandbox")
    /// Money in the drawer.
    public static let cash = ProviderName(rawValue: "cash")
}

/// Somebody who works at the till. A name of theirs may change; this never does.
public struct StaffID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A thing with which somebody acts: a card reader, a phone, a tablet that was enrolled.
public struct DeviceID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}
