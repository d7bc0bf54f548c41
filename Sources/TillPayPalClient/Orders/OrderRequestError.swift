public import TillCore

/// A validation error of an order before it is sent: field and fault.
public struct OrderRequestError: ExplainedError, Hashable {
    /// The fault in a field of the request.
    public enum Fault: Hashable, Sendable {
        /// A required value is missing.
        case missing
        /// More than this many elements.
        case tooMany(Int)
        /// A length outside this range, in characters.
        case length(ClosedRange<Int>)
        /// The value must be positive.
        case notPositive
        /// The parts add up to a different sum.
        case mismatch(given: Money, sum: Money)
        /// The amount cannot be parsed or sent.
        case money(MoneyError)
        /// Several purchase units need distinct reference ids.
        case notDistinct
        /// PayPal authorizes a single purchase unit only.
        case authorizesOneUnitOnly
    }

    /// The field, as a JSON pointer without the leading slash.
    public let field: String
    /// The fault.
    public let fault: Fault

    init(_ field: String, _ fault: Fault) {
        self.field = field
        self.fault = fault
    }

    static func check(_ text: String?, _ lengths: ClosedRange<Int>, at field: String) throws(OrderRequestError) {
        guard let text else { return }
        guard lengths.contains(text.unicodeScalars.count) else { throw OrderRequestError(field, .length(lengths)) }
    }

    /// A stable error code for programs, the same in every release.
    public var code: String {
        switch fault {
        case .mismatch: "amount_mismatch"
        case .money: "invalid_amount"
        case .authorizesOneUnitOnly: "unsupported_intent"
        default: "invalid_order_request"
        }
    }

    /// The problem, as one sentence.
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

    /// Always `no`: a request is validated before it is sent.
    public var moneyMoved: MoneyMoved { .no }
    /// The recommended next step.
    public var next: String { "Correct the order and try again." }
}
