/// The part of an order that one payment takes, where several payments pay the order together.
public struct OrderPart: Hashable, Sendable {
    /// The order that the part belongs to.
    public let order: OrderID
    /// The number of the part, from 1.
    public let number: Int

    init(order: OrderID, number: Int) { (self.order, self.number) = (order, number) }

    var json: JSONValue {
        .object([
            JSONMember(key: "of", value: .string(order.rawValue)),
            JSONMember(key: "number", value: .number(String(number))),
        ])
    }

    init(json: JSONValue) throws(OrderError) {
        guard let order = json["of"]?.stringValue, let number = json["number"]?.int64Value else {
            throw .notAnOrder("the order that it is a part of is not named")
        }
        self.init(order: OrderID(rawValue: order), number: Int(clamping: number))
    }
}

extension Order {
    /// Returns a part of the order: a plain sale of that amount, with an identifier of its own and the order's number
    /// and metadata.
    /// - Parameters:
    ///   - number: The number of the part, from 1.
    ///   - amount: The amount of the part, in the order's currency.
    /// - Throws: ``OrderError`` for an amount that is not above zero.
    package func part(_ number: Int, of amount: Money) throws(OrderError) -> Order {
        var part = try Order(
            id: OrderID(rawValue: "\(id)\(OrderID.partSign)\(number)"), number: self.number,
            description: "Part \(number) of order \(self.number)", subtotal: amount, total: amount, standing: standing)
        part.part = OrderPart(order: id, number: number)
        part.metadata = metadata
        return part
    }
}

extension OrderID {
    /// The sign between an order's identifier and the number of its part.
    static let partSign: Character = "~"
    /// The most digits of a part's number.
    static let maximumPartDigits = 3

    /// The order that a part belongs to by its identifier; the order itself for any other identifier.
    package var whole: OrderID {
        // Most orders' identifiers are looked through as bytes: asked for several times in a sale.
        guard rawValue.utf8.contains(UInt8(ascii: "~")), let sign = rawValue.lastIndex(of: OrderID.partSign) else {
            return self
        }
        let number = rawValue[rawValue.index(after: sign)...].utf8
        guard (1...OrderID.maximumPartDigits).contains(number.count), sign > rawValue.startIndex,
            number.allSatisfy({ (0x30...0x39).contains($0) })
        else { return self }
        return OrderID(rawValue: String(rawValue[..<sign]))
    }
}
