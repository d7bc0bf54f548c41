/// A release of iOS that brought a part of the interface.
public struct SystemRelease: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// As in 18 of 18.4.
    public let major: Int
    /// As in 4 of 18.4.
    public let minor: Int

    public init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    public static func < (left: SystemRelease, right: SystemRelease) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The release as Apple writes it, such as `18.4`.
    public var description: String { "\(major).\(minor)" }

    /// Tap to Pay's first.
    public static let iOS15_4 = SystemRelease(15, 4)
    /// Sessions made by the reader, one stream of events, PIN.
    public static let iOS16 = SystemRelease(16, 0)
    /// Outcomes in results, preferred applications.
    public static let iOS16_4 = SystemRelease(16, 4)
    public static let iOS17 = SystemRelease(17, 0)
    public static let iOS18 = SystemRelease(18, 0)
    public static let iOS18_4 = SystemRelease(18, 4)
    /// Interrupted requests, symbols of currencies.
    public static let iOS26 = SystemRelease(26, 0)
}
