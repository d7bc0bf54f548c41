/// A setting and its sources, in order of precedence: command-line option, environment variable, settings file,
/// default.
public struct Setting: Hashable, Sendable {
    /// The type of a value.
    public enum Kind: Hashable, Sendable {
        /// Single-line text.
        case text
        /// The path of a file or folder.
        case path
        /// An integer in a range.
        case number(ClosedRange<Int>)
        /// A duration, such as `50ms`, `30s` or `2min`, up to a day.
        case span
        /// One of a fixed set of words.
        case choice([String])
        /// A secret: from the environment, or from a file named by another setting; never from the settings file.
        case secret
        /// Multi-line text, with `\\n` as separator.
        case lines
        /// Names and values, such as `SIRET=73282932000074; NAF=4719B`.
        case pairs
        /// A two-letter country code.
        case country
        /// A locale, usually with a region, such as `fr_CA`.
        case locale
        /// A time zone, such as `Europe/Berlin`.
        case timeZone
        /// A web address without a query.
        case webAddress
        /// Comma-separated hosts: from the command line or the environment; never from the settings file.
        case hosts
    }

    /// The key in the settings file, with a dot per level: `stripe.url`.
    public let key: String
    /// The command-line option, such as `--stripe-url`; `nil` for none.
    public let option: String?
    /// The type of the value.
    public let kind: Kind
    /// The default for display; `nil` for none.
    public let defaultValue: String?
    /// A one-sentence description.
    public let about: String

    public init(key: String, option: String? = nil, kind: Kind, defaultValue: String? = nil, about: String) {
        self.key = key
        self.option = option
        self.kind = kind
        self.defaultValue = defaultValue
        self.about = about
    }

    /// The environment variable: `TILL_STRIPE_URL`.
    public var variable: String {
        "TILL_" + key.uppercased().replacing(".", with: "_")
    }
}
