/// A value that must not be displayed: a card number, a security code, a key.
///
/// ```swift
/// let key = Secret("example-secret")
/// print("Signing in with \(key)")  // Signing in with ••••
/// let header = "Bearer \(key.reveal())"
/// ```
///
/// It prints, interpolates, dumps and mirrors as a mask, has no `Codable` and no `Equatable` conformance, and exposes
/// its value only through ``reveal()``, a name that a reviewer can search for.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    public init(_ value: Value) { self.value = value }

    /// Returns the value. Called only by code that sends it to its one destination.
    public func reveal() -> Value { value }

    /// A constant mask, regardless of the value and its length.
    public var description: String { "••••" }
    /// A constant mask.
    public var debugDescription: String { "••••" }
    /// A mirror without children, so that `dump` and reflection-based loggers see nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
