/// A namespace for orders with reused numbers: of another year, or of another shop on the same account. Set by the
/// shop; orders in different scopes are never the same order.
public struct OrderScope: Hashable, Sendable {
    /// The longest scope, in bytes. It leaves most of an identifier to the order itself.
    public static let maximumBytes = 32

    /// The text set by the shop.
    public let rawValue: String

    /// Accepts 1 to ``maximumBytes`` ASCII letters, digits, `.`, `_` and `-`; `nil` for anything else.
    public init?(_ text: String) {
        let isFit = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        guard isFit, (1...OrderScope.maximumBytes).contains(text.utf8.count) else { return nil }
        rawValue = text
    }

    /// Returns an order's identifier in this scope, `scope/1001`; one that is already in it is unchanged.
    /// - Throws: `IdentifierError` if the result is too long.
    public func id(of order: OrderID) throws(IdentifierError) -> OrderID {
        let prefix = rawValue + "/"
        return order.rawValue.hasPrefix(prefix) ? order : try OrderID(validating: prefix + order.rawValue)
    }
}

extension Order {
    /// Returns the same order with its identifier in a scope; unchanged without a scope. The display number stays.
    /// - Throws: ``OrderError/notAnOrder(_:)`` if the identifier becomes too long.
    public func scoped(_ scope: OrderScope?) throws(OrderError) -> Order {
        guard let scope else { return self }
        var order = self
        do throws(IdentifierError) { order.id = try scope.id(of: id) } catch {
            throw .notAnOrder("its identifier cannot be used in the scope \(scope.rawValue). \(error)")
        }
        return order
    }
}
