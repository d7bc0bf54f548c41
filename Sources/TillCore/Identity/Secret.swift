/// A value that must not be seen: a card number, a security code, a key.
///
/// It prints, interpolates, dumps and mirrors as a mask, has no `Codable` and no `Equatable`, and gives its value
/// only through ``reveal()``, a name that a reviewer can search for.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    public init(_ value: Value) { self.value = value }

    /// The value itself. Only code that sends it to its one destination calls this.
    public func reveal() -> Value { value }

    /// Always the same mask, whatever the value and its length.
    public var description: String { "••••" }
    /// Always the same mask.
    public var debugDescription: String { "••••" }
    /// A mirror without children, so that `dump` and reflection-based loggers see nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
