import NIOCore
import NIOPosix
import Synchronization
public import TillCore

/// Sends metrics to a StatsD server over UDP, as they happen. A metric that cannot be sent is dropped and counted:
/// nothing ever waits for it. Names hold no identifier.
public final class StatsD: Sendable {
    /// The longest datagram: what fits into one frame of an Ethernet with any headers.
    public static let maximumDatagramBytes = 1_432
    /// How long a metric may wait for others to share its datagram.
    public static let flushInterval = Span.milliseconds(100)
    /// Datagrams that may wait for the network; more are dropped.
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

    /// A sender. It opens its socket with the first metric.
    /// - Parameters:
    ///   - host: name or address of the server.
    ///   - prefix: stands before each name, with a point between; may be empty.
    /// - Throws: ``StatsDError`` if the host has no address.
    public init(host: String, port: Int = 8125, prefix: String = "till") throws(StatsDError) {
        do { address = try SocketAddress.makeAddressResolvingHost(host, port: port) } catch {
            throw StatsDError(host: host)
        }
        self.prefix = prefix.isEmpty ? "" : StatsD.clean(prefix) + "."
        group = MultiThreadedEventLoopGroup.singleton
    }

    /// Metrics that were lost so far.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// Something happened once more.
    public func count(_ name: String) { add("\(prefix)\(StatsD.clean(name)):1|c") }

    /// Something took a time.
    public func time(_ name: String, _ span: Span) {
        add("\(prefix)\(StatsD.clean(name)):\(max(0, span.milliseconds))|ms")
    }

    /// Something stands at a value. One below zero is reported as zero, because StatsD takes a sign for a change.
    public func gauge(_ name: String, _ value: Int64) { add("\(prefix)\(StatsD.clean(name)):\(max(0, value))|g") }

    /// Sends what waits and closes the socket.
    public func close() async {
        flush()
        let channel = state.withLock { state in
            state.isClosed = true
            defer { state.channel = nil }
            return state.channel
        }
        // The loop sends in order: what was flushed is out before it closes.
        try? await channel?.close()
    }

    /// Letters, digits, `_`, `-` and points; everything else would be a mark of the format.
    static func clean(_ name: String) -> String {
        String(
            decoding: name.utf8.prefix(200).map { byte -> UInt8 in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: byte
                default: 0x5F
                }
            }, as: UTF8.self)
    }

    /// Lines for one datagram, taken out of the state, and the socket for it if there is one.
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

    /// What waits, or `nil` if nothing does or the network is too far behind: then it is dropped.
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

    /// Never under the lock: what follows may run at once, on this thread.
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
        // Two datagrams that opened a socket each: one is kept, the other goes when its datagram is out.
        extra?.eventLoop.scheduleTask(in: .seconds(1)) { extra?.close(promise: nil) }
    }
}

/// A StatsD server that has no address.
public struct StatsDError: ExplainedError, Hashable {
    /// As it was written.
    public let host: String
    public var code: String { "statsd_address" }
    public var what: String { "The StatsD server \(host) has no address." }
    /// Metrics move no money.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String { "Correct statsd.host, or leave it out." }
}

extension StatsD {
    /// The sender of settings; `nil` if they name no server.
    public convenience init?(_ settings: Settings) throws(StatsDError) {
        guard let host = settings.text(.statsDHost) else { return nil }
        try self.init(
            host: host, port: settings.number(.statsDPort) ?? 8125, prefix: settings.text(.statsDPrefix) ?? "till")
    }
}
