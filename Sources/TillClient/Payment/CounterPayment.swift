public import TillCore

/// A payment as the counter reports it. A snapshot.
public struct CounterPayment: Hashable, Sendable {
    public let id: PaymentID
    public let account: AccountID
    /// The order's identifier at the counter, with the counter's scope if it has one.
    public let order: OrderID
    public let status: CounterPaymentStatus
    /// The amount asked for, without a tip.
    public let amount: Money
    public let tip: Money
    public let captured: Money
    /// The amount held and neither captured nor released.
    public let held: Money
    public let refunded: Money
    public let captureMode: CaptureMode
    /// The attempts to charge it, newest last.
    public internal(set) var attempts: [CounterAttempt]
    /// The card that paid, if there was one.
    public let card: CounterCard?
    /// `true` if no real money is involved.
    public let isTest: Bool
    public let moneyMoved: MoneyMoved
    /// The counter's sentence for the cashier.
    public let message: String

    /// The number of attempts that ended without money.
    var endedAttempts: Int { attempts.count { $0.isOver } }

    /// `true` if the last attempt ended so that the same request, arriving again, charges the payment.
    var mayBeginAgain: Bool { attempts.last?.mayBeginAgain ?? false }

    /// Returns the payment without the attempts at its end that the same request may begin again, from the given number
    /// of ended attempts on: they are no answer to it.
    func withoutRepeatable(after ended: Int) -> CounterPayment {
        var copy = self
        while copy.mayBeginAgain, copy.endedAttempts > ended { copy.attempts.removeLast() }
        return copy
    }
}

/// The state of the money of a payment, for a caller that acts on it.
enum CounterStanding: Hashable {
    /// No attempt holds it.
    case unpaid
    case requiresAction
    /// An attempt, a capture or a void is under way, or the status is a word of a newer counter.
    case open
    /// The whole amount is held, for a capture by the shop.
    case held
    /// The whole amount was captured, and nothing of it refunded.
    case paid
    /// Another amount than the whole one is held or captured, or some was refunded. The word is the counter's, or
    /// ``otherAmount``.
    case other(String)
    /// It was captured, and the capture has failed since.
    case captureFailed
    case canceled

    /// The word for an amount that is not the whole one.
    static let otherAmount = "other_amount"
}

extension CounterPayment {
    /// The whole amount, with the tip; `nil` if it is no amount.
    var total: Money? { amount.adding(ifExact: tip) }

    /// The state of the money. Only the whole amount counts as held or paid.
    var standing: CounterStanding {
        // What is being voided may be gone the next moment.
        guard !attempts.contains(where: { $0.isBeingVoided }) else { return .open }
        guard case .known(let known) = status else { return .open }
        switch known {
        case .requiresPaymentMethod, .declined: return .unpaid
        case .requiresAction: return .requiresAction
        case .stored, .processing, .unknown: return .open
        case .requiresCapture:
            // The counter captures it itself, and has not yet.
            if captureMode == .automatic { return .open }
            return held == total ? .held : .other(CounterStanding.otherAmount)
        case .partiallyCaptured: return .other(known.rawValue)
        case .succeeded: return captured == total ? .paid : .other(CounterStanding.otherAmount)
        case .partiallyRefunded, .refunded: return .other(known.rawValue)
        case .canceled, .expired: return .canceled
        case .captureFailed: return .captureFailed
        }
    }

    /// The amounts, for a sentence.
    var sentenceOfMoney: String {
        "The payment \(id) is of \(amount) and a tip of \(tip): \(captured) was captured, \(held) is held and "
            + "\(refunded) was refunded."
    }

    /// The movement of money for the order, as far as it is known: also what was refunded has moved.
    var knownMoneyMoved: MoneyMoved {
        if captured.isPositive { return .yes }
        return held.isPositive ? .unknown : moneyMoved
    }

    /// Returns `true` if the payment is of this order. The counter's own identifier may have a scope.
    func isOf(_ asked: OrderID) -> Bool { order.isSame(as: asked) }
}

extension OrderID {
    /// Returns `true` if this identifier of the counter is the one asked for, or that one with a scope.
    func isSame(as asked: OrderID) -> Bool {
        if self == asked { return true }
        let ending = "/" + asked.rawValue
        guard rawValue.hasSuffix(ending) else { return false }
        return OrderScope(String(rawValue.dropLast(ending.count))) != nil
    }
}

/// A payment's status: known to this version, or a word of a newer counter.
public enum CounterPaymentStatus: Hashable, Sendable, CustomStringConvertible {
    case known(PaymentStatus)
    /// Neither paid nor failed, as far as this version can tell.
    case other(String)

    init(_ word: String) { self = PaymentStatus(rawValue: word).map { .known($0) } ?? .other(word) }

    /// The counter's word.
    public var description: String {
        switch self {
        case .known(let status): status.rawValue
        case .other(let word): word
        }
    }
}

/// An attempt to charge a payment.
public struct CounterAttempt: Hashable, Sendable {
    public let id: AttemptID
    public let state: CounterAttemptState
    public let amount: Money
    /// The provider's identifier.
    public let reference: ProviderReference?
    /// The state of its void, in the counter's word, while that is open.
    public let void: String?
    /// The decline, if it was declined.
    public let decline: Decline?

    /// `true` if its hold may be released at any moment.
    var isBeingVoided: Bool { state == .authorized && void != nil }

    /// `true` if it ended so that the counter carries its request out again when that arrives once more.
    var mayBeginAgain: Bool { state == .notSent || state == .voided }

    /// `true` if it ended without money.
    var isOver: Bool {
        switch state {
        case .declined, .notSent, .voided, .expired: true
        default: false
        }
    }
}

/// The state of an attempt. Open: an unknown state keeps its raw value, and is neither paid nor failed.
public struct CounterAttemptState: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let authorized = CounterAttemptState(rawValue: "authorized")
    public static let declined = CounterAttemptState(rawValue: "declined")
    /// Nothing reached the provider.
    public static let notSent = CounterAttemptState(rawValue: "not_sent")
    public static let voided = CounterAttemptState(rawValue: "voided")
    public static let expired = CounterAttemptState(rawValue: "expired")
}

/// The displayable data of the card that paid.
public struct CounterCard: Hashable, Sendable {
    public let brand: String
    public let lastFour: String?
    /// The read method, in the counter's words.
    public let entryMode: String?
    public let network: String?
}

/// A payment to create.
public struct CounterPaymentDraft: Hashable, Sendable {
    public var order: OrderID
    public var amount: Money
    public var description: String?
    public var captureMode: CaptureMode

    public init(order: OrderID, amount: Money, description: String? = nil, captureMode: CaptureMode = .automatic) {
        self.order = order
        self.amount = amount
        self.description = description
        self.captureMode = captureMode
    }

    var json: JSONValue { .object(members) }

    var members: [JSONMember] {
        var members = [
            JSONMember(key: "order_id", value: .string(order.rawValue)),
            JSONMember(key: "amount", value: .number("\(amount.minorUnits)")),
            JSONMember(key: "currency", value: .string(amount.currency.code)),
            JSONMember(key: "capture", value: .string(captureMode.rawValue)),
        ]
        if let description { members.append(JSONMember(key: "description", value: .string(description))) }
        return members
    }
}

/// The way in which a payment is paid at the counter. Card numbers have no place here: they are typed at the counter's
/// or the provider's page.
public enum CounterTender: Hashable, Sendable {
    /// A card at a reader of the counter.
    case reader(String, tipping: CounterTipping)
    /// Cash, with the amount handed over, if known.
    case cash(Money?)

    var json: JSONValue {
        var members: [JSONMember]
        switch self {
        case .reader(let id, let tipping):
            members = [
                JSONMember(key: "type", value: .string("reader")), JSONMember(key: "reader", value: .string(id)),
            ]
            switch tipping {
            case .none: break
            case .onWholeAmount: members.append(JSONMember(key: "ask_tip", value: .bool(true)))
            case .onPart(let part):
                members.append(JSONMember(key: "ask_tip", value: .bool(true)))
                members.append(JSONMember(key: "tip_on", value: .number("\(part.minorUnits)")))
            }
        case .cash(let tendered):
            members = [JSONMember(key: "type", value: .string("cash"))]
            if let tendered { members.append(JSONMember(key: "tendered", value: .number("\(tendered.minorUnits)"))) }
        }
        return .object(members)
    }
}

/// The tipping prompt of a reader.
public enum CounterTipping: Hashable, Sendable {
    case none
    case onWholeAmount
    /// A prompt on this part of the amount.
    case onPart(Money)
}
