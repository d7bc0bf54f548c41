/// Distinguishes orders whose numbers are reused: of another year, or of another shop on the same account. The shop
/// sets it; orders of two scopes are never the same order.
public struct OrderScope: Hashable, Sendable {
    /// The longest scope, in bytes. It leaves most of an identifier to the order itself.
    public static let maximumBytes = 32

    /// The text, as the shop set it.
    public let rawValue: String

    /// Takes 1 to ``maximumBytes`` ASCII letters, digits, `.`, `_` and `-`; `nil` for others.
    public init?(_ text: String) {
        let isFit = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        guard isFit, (1...OrderScope.maximumBytes).contains(text.utf8.count) else { return nil }
        rawValue = text
    }

    /// An order's identifier in this scope, `scope/1001`; one that is in it already stays as it is.
    /// - Throws: `IdentifierError` if it gets too long.
    public func id(of order: OrderID) throws(IdentifierError) -> OrderID {
        let prefix = rawValue + "/"
        return order.rawValue.hasPrefix(prefix) ? order : try OrderID(validating: prefix + order.rawValue)
    }
}

extension Order {
    /// The same order, known by its identifier in a scope; without a scope, as it is. The number that people see stays.
    /// - Throws: ``OrderError/notAnOrder(_:)`` if the identifier gets too long.
    public func scoped(_ scope: OrderScope?) throws(OrderError) -> Order {
        guard let scope else { return self }
        var order = self
        do throws(IdentifierError) { order.id = try scope.id(of: id) } catch {
            throw .notAnOrder("its identifier cannot be used in the scope \(scope.rawValue). \(error)")
        }
        return order
    }
}
