public import TillProvider

extension Setting {
    /// The host of the StatsD server.
    public static let statsDHost = Setting(
        key: "statsd.host", option: nil, kind: .text, defaultValue: nil,
        about: "The StatsD server that metrics are sent to; none are sent without it.")
    /// The port of the StatsD server.
    public static let statsDPort = Setting(
        key: "statsd.port", option: nil, kind: .number(1...65_535), defaultValue: "8125",
        about: "The StatsD server's port.")
    /// The prefix of each metric's name.
    public static let statsDPrefix = Setting(
        key: "statsd.prefix", option: nil, kind: .text, defaultValue: "till",
        about: "What stands before each name that StatsD is sent.")
}
