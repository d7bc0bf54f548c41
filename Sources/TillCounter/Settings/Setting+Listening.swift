public import TillProvider

extension Setting {
    /// The port of the public listener; setting it enables that listener.
    public static let publicPort = Setting(
        key: "public.port", option: nil, kind: .number(0...65_535), defaultValue: nil,
        about: "The port of a listener for the public: receipts, the return URL for banks, webhooks, the shop's pages.")
    /// The address on which the public listener listens.
    public static let publicHost = Setting(
        key: "public.host", option: nil, kind: .text, defaultValue: "that of host",
        about: "Where the listener for the public listens. --public-listen ADDRESS:PORT sets both.")
    /// The certificate of all listeners.
    public static let tlsCertificate = Setting(
        key: "tls.certificate", option: "--tls-certificate", kind: .path, defaultValue: nil,
        about: "The file with the counter's certificate chain, PEM; read again when it changes.")
    /// The certificate's private key, in PEM.
    public static let tlsKey = Setting(
        key: "tls.key", option: "--tls-key", kind: .path, defaultValue: nil,
        about: "The file with the certificate's key, PEM, without a password.")
    /// The proxies trusted to report their clients' addresses.
    public static let trustedProxies = Setting(
        key: "trusted_proxies", option: "--trusted-proxies", kind: .text, defaultValue: nil,
        about: "Proxies that are trusted about their clients' addresses: 10.0.0.5, fd00::/8, separated by commas.")
    /// The switch for plain HTTP beyond this machine.
    public static let allowPlainHTTP = Setting(
        key: "allow_plain_http", option: "--allow-plain-http", kind: .choice(["on", "off"]), defaultValue: "off",
        about: "Whether the counter listens beyond this machine without TLS and without a trusted proxy.")
    /// The maximum number of connections of all listeners.
    public static let connections = Setting(
        key: "limits.connections", option: nil, kind: .number(16...65_536),
        defaultValue: "what the limit of open files leaves, at most 4096",
        about: "Connections at once. With a listener for the public that one has a third of them.")
    /// The maximum number of connections of one address.
    public static let connectionsPerAddress = Setting(
        key: "limits.connections_per_address", option: nil, kind: .number(1...65_536), defaultValue: "64",
        about: "Connections of one address at once; in IPv6 of one network of 64 bits.")
    /// The maximum number of connections of one trusted proxy.
    public static let connectionsPerProxy = Setting(
        key: "limits.connections_per_proxy", option: nil, kind: .number(1...65_536), defaultValue: "all",
        about: "Connections of one trusted proxy, or of this machine, at once.")
    /// The time limit for a client to read a response.
    public static let unreadTime = Setting(
        key: "limits.unread_time", option: nil, kind: .span, defaultValue: "20s",
        about: "How long a client may leave an answer, or a part of a stream, unread.")

    static let listening: [Setting] = [
        .tlsCertificate, .tlsKey, .publicHost, .publicPort, .trustedProxies, .allowPlainHTTP, .connections,
        .connectionsPerAddress, .connectionsPerProxy, .unreadTime,
    ]
}
