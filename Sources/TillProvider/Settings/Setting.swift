/// One thing that a shop can set, and every place where it can be set: an option of the command line before a variable
/// of the environment before the settings file before the default.
public struct Setting: Hashable, Sendable {
    /// The form that a value must have.
    public enum Kind: Hashable, Sendable {
        /// Any text of one line.
        case text
        /// A file or folder.
        case path
        /// A whole number in a range.
        case number(ClosedRange<Int>)
        /// A time, such as `50ms`, `30s` or `2min`, up to a day.
        case span
        /// One of these words.
        case choice([String])
        /// A secret: from the environment, or from a file that another setting names; never from the settings file.
        case secret
        /// Text of several lines, with `\\n` between.
        case lines
        /// Names and values, such as `SIRET=73282932000074; NAF=4719B`.
        case pairs
        /// A country's two letters.
        case country
        /// A language, mostly with a region, such as `fr_CA`.
        case locale
        /// A time zone, such as `Europe/Berlin`.
        case timeZone
        /// An address on the web, without a query.
        case webAddress
        /// Hosts with commas: from the command line or the environment; never from the settings file.
        case hosts
    }

    /// Its name in the settings file, with a point for each level: `stripe.url`.
    public let key: String
    /// Its option, such as `--stripe-url`; `nil` if there is none.
    public let option: String?
    /// The form that a value must have.
    public let kind: Kind
    /// What holds if nobody sets it, for people; `nil` if nothing does.
    public let defaultValue: String?
    /// What it is for, in one sentence.
    public let about: String

    public init(key: String, option: String? = nil, kind: Kind, defaultValue: String? = nil, about: String) {
        self.key = key
        self.option = option
        self.kind = kind
        self.defaultValue = defaultValue
        self.about = about
    }

    /// Its variable in the environment: `TILL_STRIPE_URL`.
    public var variable: String {
        "TILL_" + key.uppercased().replacing(".", with: "_")
    }
}
