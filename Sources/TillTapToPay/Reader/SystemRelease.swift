/// A release of iOS that introduced a part of the API.
public struct SystemRelease: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The major number: 18 in 18.4.
    public let major: Int
    /// The minor number: 4 in 18.4.
    public let minor: Int

    public init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    public static func < (left: SystemRelease, right: SystemRelease) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The release in Apple's notation, such as `18.4`.
    public var description: String { "\(major).\(minor)" }

    /// The first release with Tap to Pay.
    public static let iOS15_4 = SystemRelease(15, 4)
    /// Sessions created by the reader, one stream of events, PIN.
    public static let iOS16 = SystemRelease(16, 0)
    /// Outcomes in results, preferred applications.
    public static let iOS16_4 = SystemRelease(16, 4)
    public static let iOS17 = SystemRelease(17, 0)
    public static let iOS18 = SystemRelease(18, 0)
    public static let iOS18_4 = SystemRelease(18, 4)
    /// Interrupted requests, currency symbols.
    public static let iOS26 = SystemRelease(26, 0)
}
