/// A status in the shop's own document that speaks against charging the order.
public enum OrderStanding: Hashable, Sendable {
    /// The shop's document reports the order as paid.
    /// - Parameters:
    ///   - on: The date, as written by the shop.
    ///   - through: The shop's name of the payment method, if given.
    case paid(on: String, through: String?)
    /// The order was paid and fully refunded.
    case refunded
    case canceled
    /// The order is in the shop's trash.
    case trashed

    /// The end of a sentence about the source's report: `it was paid on 2019-06-06 through Card`.
    public var clause: String {
        switch self {
        case .paid(let day, let way):
            "it was paid\(day.isEmpty ? "" : " on \(day)")\(way.map { " through \($0)" } ?? "")"
        case .refunded: "it was refunded"
        case .canceled: "it was canceled"
        case .trashed: "it is in the trash"
        }
    }
}

extension OrderStanding {
    /// The stored form; ``init(json:)`` reads it back.
    var json: JSONValue {
        func word(_ text: String) -> JSONMember { JSONMember(key: "kind", value: .string(text)) }
        switch self {
        case .paid(let day, let way):
            let through = way.map { [JSONMember(key: "through", value: .string($0))] } ?? []
            return .object([word("paid"), JSONMember(key: "on", value: .string(day))] + through)
        case .refunded: return .object([word("refunded")])
        case .canceled: return .object([word("canceled")])
        case .trashed: return .object([word("trashed")])
        }
    }

    init(json: JSONValue) throws(OrderError) {
        switch json["kind"]?.stringValue {
        case "paid": self = .paid(on: json["on"]?.stringValue ?? "", through: json["through"]?.stringValue)
        case "refunded": self = .refunded
        case "canceled": self = .canceled
        case "trashed": self = .trashed
        default: throw .notAnOrder("what the shop says of it is not known here")
        }
    }
}
