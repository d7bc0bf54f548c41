import NIOCore
import NIOPosix
import Synchronization
public import TillCore

/// Sends metrics to a StatsD server over UDP as they occur. A metric that cannot be sent is dropped and counted:
/// callers never wait. Names never contain identifiers.
public final class StatsD: Sendable {
    /// The maximum datagram size: fits into one Ethernet frame with any headers.
    public static let maximumDatagramBytes = 1_432
    /// The maximum delay of a metric that waits to share a datagram.
    public static let flushInterval = Span.milliseconds(100)
    /// The maximum number of queued datagrams; more are dropped.
    public static let maximumWaitingDatagrams = 64

    private struct State {
        var lines: [UInt8] = []
        var count = 0
        var isScheduled = false
        var channel: (any Channel)?
        var waiting = 0
        var dropped = 0
        var isClosed = false
    }

    private let prefix: String
    private let address: SocketAddress
    private let group: any EventLoopGroup
    private let state = Mutex(State())

    /// Creates a sender. It opens its socket with the first metric.
    /// - Parameters:
    ///   - host: The server's name or address.
    ///   - prefix: The prefix of each name, followed by a dot; may be empty.
    /// - Throws: ``StatsDError`` if the host cannot be resolved.
    public init(host: String, port: Int = 8125, prefix: String = "till") throws(StatsDError) {
        do { address = try SocketAddress.makeAddressResolvingHost(host, port: port) } catch {
            throw StatsDError(host: host)
        }
        self.prefix = prefix.isEmpty ? "" : StatsD.clean(prefix) + "."
        group = MultiThreadedEventLoopGroup.singleton
    }

    /// The number of metrics lost so far.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// Increments a counter.
    public func count(_ name: String) { add("\(prefix)\(StatsD.clean(name)):1|c") }

    /// Records a duration.
    public func time(_ name: String, _ span: Span) {
        add("\(prefix)\(StatsD.clean(name)):\(max(0, span.milliseconds))|ms")
    }

    /// Sets a gauge. A negative value is reported as zero, because StatsD treats a sign as a change.
    public func gauge(_ name: String, _ value: Int64) { add("\(prefix)\(StatsD.clean(name)):\(max(0, value))|g") }

    /// Sends queued metrics and closes the socket.
    public func close() async {
        flush()
        let channel = state.withLock { state in
            state.isClosed = true
            defer { state.channel = nil }
            return state.channel
        }
        // The loop sends in order: flushed data is out before the socket closes.
        try? await channel?.close()
    }

    /// Replaces everything but letters, digits, `_`, `-` and dots, since other characters may have meaning in the
    /// format.
    static func clean(_ name: String) -> String {
        String(
            decoding: name.utf8.prefix(200).map { byte -> UInt8 in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: byte
                default: 0x5F
                }
            }, as: UTF8.self)
    }

    /// The lines of one datagram, removed from the state, and the socket if it is open.
    private struct Datagram {
        var lines: [UInt8]
        var count: Int
        var channel: (any Channel)?
    }

    private func add(_ line: String) {
        let (full, isFirst) = state.withLock { state -> (Datagram?, Bool) in
            guard !state.isClosed else { return (nil, false) }
            let isFull = state.lines.count + line.utf8.count + 1 > StatsD.maximumDatagramBytes
            let full = isFull ? StatsD.take(&state) : nil
            if !state.lines.isEmpty { state.lines.append(0x0A) }
            state.lines += line.utf8
            state.count += 1
            defer { state.isScheduled = true }
            return (full, !state.isScheduled)
        }
        if let full { send(full) }
        guard isFirst else { return }
        group.next().scheduleTask(in: .milliseconds(StatsD.flushInterval.milliseconds)) { [weak self] in
            self?.flush()
        }
    }

    private func flush() {
        let datagram = state.withLock { state in
            state.isScheduled = false
            return StatsD.take(&state)
        }
        if let datagram { send(datagram) }
    }

    /// Returns the queued lines; `nil` if there are none, or if the network is too far behind: then they are dropped.
    private static func take(_ state: inout State) -> Datagram? {
        guard !state.lines.isEmpty else { return nil }
        defer {
            state.lines = []
            state.count = 0
        }
        guard state.waiting < maximumWaitingDatagrams else {
            state.dropped += state.count
            return nil
        }
        state.waiting += 1
        return Datagram(lines: state.lines, count: state.count, channel: state.channel)
    }

    /// Sends a datagram. Never called under the lock: the continuation may run at once, on this thread.
    private func send(_ datagram: Datagram) {
        let address = address
        let loop = datagram.channel?.eventLoop ?? group.next()
        let opened =
            datagram.channel.map { loop.makeSucceededFuture($0) }
            ?? DatagramBootstrap(group: loop).bind(host: address.protocol == .inet6 ? "::" : "0.0.0.0", port: 0)
        opened.flatMap { channel in
            self.keep(channel)
            let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: datagram.lines))
            return channel.writeAndFlush(envelope)
        }.whenComplete { result in
            self.state.withLock { state in
                state.waiting -= 1
                if case .failure = result { state.dropped += datagram.count }
            }
        }
    }

    private func keep(_ channel: any Channel) {
        let extra = state.withLock { state -> (any Channel)? in
            guard !state.isClosed, state.channel == nil || state.channel === channel else { return channel }
            state.channel = channel
            return nil
        }
        // Two datagrams opened a socket each: one is kept, the other is closed once its datagram is out.
        extra?.eventLoop.scheduleTask(in: .seconds(1)) { extra?.close(promise: nil) }
    }
}

/// An error for a StatsD server with an unresolvable host.
public struct StatsDError: ExplainedError, Hashable {
    /// The host as configured.
    public let host: String
    public var code: String { "statsd_address" }
    public var what: String { "The StatsD server \(host) has no address." }
    /// Metrics move no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step for the operator.
    public var next: String { "Correct statsd.host, or leave it out." }
}

extension StatsD {
    /// Creates the sender of the settings; `nil` if they configure no server.
    public convenience init?(_ settings: Settings) throws(StatsDError) {
        guard let host = settings.text(.statsDHost) else { return nil }
        try self.init(
            host: host, port: settings.number(.statsDPort) ?? 8125, prefix: settings.text(.statsDPrefix) ?? "till")
    }
}
