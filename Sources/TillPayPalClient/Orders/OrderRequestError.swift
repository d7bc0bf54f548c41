public import TillCore

/// What is wrong with an order before it is sent: where, and what.
public struct OrderRequestError: ExplainedError, Hashable {
    /// What is wrong with the part of the request.
    public enum Fault: Hashable, Sendable {
        /// The part must be there.
        case missing
        /// There are more than this many.
        case tooMany(Int)
        /// Fewer or more characters than this.
        case length(ClosedRange<Int>)
        /// It must be above zero.
        case notPositive
        /// The parts make up another sum.
        case mismatch(given: Money, sum: Money)
        /// The amount cannot be read or not be sent.
        case money(MoneyError)
        /// Several purchase units need names of their own.
        case notDistinct
        /// PayPal holds money for one purchase unit only.
        case authorizesOneUnitOnly
    }

    /// Where: a JSON pointer without the leading slash.
    public let field: String
    /// What is wrong with it.
    public let fault: Fault

    init(_ field: String, _ fault: Fault) {
        self.field = field
        self.fault = fault
    }

    static func check(_ text: String?, _ lengths: ClosedRange<Int>, at field: String) throws(OrderRequestError) {
        guard let text else { return }
        guard lengths.contains(text.unicodeScalars.count) else { throw OrderRequestError(field, .length(lengths)) }
    }

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch fault {
        case .mismatch: "amount_mismatch"
        case .money: "invalid_amount"
        case .authorizesOneUnitOnly: "unsupported_intent"
        default: "invalid_order_request"
        }
    }

    /// What is wrong, one sentence.
    public var what: String {
        switch fault {
        case .missing: "\(field) is missing."
        case .tooMany(let limit): "\(field) has more than \(limit) entries."
        case .length(let lengths): "\(field) must have \(lengths.lowerBound) to \(lengths.upperBound) characters."
        case .notPositive: "\(field) must be above zero."
        case .mismatch(let given, let sum): "\(field) is \(given), but its parts make \(sum)."
        case .money(let error): "\(field): \(error)"
        case .notDistinct: "\(field): several purchase units need a reference id each, all different."
        case .authorizesOneUnitOnly: "\(field): PayPal holds money for one purchase unit only."
        }
    }

    /// No: a request is checked before it is sent.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String { "Correct the order and try again." }
}
