import HTTPTypes
import NIOCore
import NIOHTTPTypes
import TillCore

/// The time limits of each phase of a connection, enforced independently of the routes.
struct ConnectionDeadlines: Sendable {
    /// The extra time after the body timeout to send the timeout response.
    static let graceOfBody = TimeAmount.seconds(1)
    /// The amount of an unread body that is drained so that the sender reads the response instead of an error.
    static let unwantedBytes = 64 << 10
    /// The time limit for draining.
    static let unwantedTime = TimeAmount.seconds(5)
    /// The amount of a response that the system buffers for a client that does not read.
    static let unreadBytes = 256 << 10
    /// The time for which a closing connection waits for its peer.
    static let farewell = TimeAmount.seconds(1)

    /// The limit for each request head, and for the TLS handshake before the first.
    var head: TimeAmount
    /// The limit for a request's whole body, even if its route does not read it.
    var body: TimeAmount
    /// The limit between requests.
    var idle: TimeAmount
    /// The limit for a response, or a part of a stream, that the client does not read.
    var unread: TimeAmount

    init(_ options: ServerOptions) {
        head = .milliseconds(options.headTimeout.milliseconds)
        body = .milliseconds(options.bodyTimeout.milliseconds)
        idle = .milliseconds(options.idleTimeout.milliseconds)
        unread = .milliseconds(options.unreadTimeout.milliseconds)
    }
}

/// The first handler of a connection, before TLS: observes incoming bytes and closes immediately.
final class Door: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    fileprivate var onBytes: (() -> Void)?
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        onBytes = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes?()
        context.fireChannelRead(data)
    }

    /// Closes the connection, without a TLS close_notify exchange: that would wait for the client.
    func close() { context?.close(promise: nil) }
}

/// Enforces the deadlines of one connection and reports its state to its place.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let place: ConnectionPlace
    private let door: Door
    private let deadlines: ConnectionDeadlines
    private let gate: ConnectionGate

    /// The start of the current phase.
    private var since = NIODeadline.now()
    /// `true` from the first bytes of a head, and on a new connection.
    private var isInHead = true
    /// `true` from the head of a request to its end.
    private var isInBody = false
    private var bodySince = NIODeadline.now()
    private var answersDue = 0
    private var unwanted = 0
    private var unreadSince: NIODeadline?
    /// `true` if the response being written is the last.
    private var isLast = false
    /// `true` if the client marked its latest request as its last.
    private var asksNoMore = false
    /// `true` once the last response was written.
    private var isLeaving = false
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?

    init(_ place: ConnectionPlace, door: Door, deadlines: ConnectionDeadlines, gate: ConnectionGate) {
        self.place = place
        self.door = door
        self.deadlines = deadlines
        self.gate = gate
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let watch = NIOLoopBound(self, eventLoop: context.eventLoop)
        door.onBytes = { watch.value.bytesCame() }
        arm(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { disarm() }

    func channelInactive(context: ChannelHandlerContext) {
        disarm()
        context.fireChannelInactive()
    }

    private func bytesCame() {
        guard answersDue == 0, !isInBody, !isInHead else { return }
        isInHead = true
        since = .now()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLeaving else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // A reclaimed place answers no more requests.
            guard place.begin() else { return isLeaving = true }
            (isInHead, isInBody, unwanted) = (false, true, 0)
            bodySince = .now()
            answersDue += 1
            if head.headerFields[.connection]?.lowercased() == "close" { asksNoMore = true }
        case .body(let part):
            if answersDue == 0 {
                unwanted += part.readableBytes
                if unwanted > ConnectionDeadlines.unwantedBytes {
                    gate.count(.unwantedBody)
                    return leave(context)
                }
            }
        case .end:
            isInBody = false
            if answersDue == 0 { since = .now() }
        }
        context.fireChannelRead(data)
    }

    /// Arms the timer after the whole read, so that a request that arrives at once needs none.
    func channelReadComplete(context: ChannelHandlerContext) {
        arm(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headerFields[.connection]?.lowercased() == "close" { isLast = true }
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            answersDue = max(0, answersDue - 1)
            since = .now()
            place.answered(at: since)
            if isLast || (asksNoMore && answersDue == 0) {
                let written = promise ?? context.eventLoop.makePromise(of: Void.self)
                let bound = NIOLoopBound((watch: self, context: context), eventLoop: context.eventLoop)
                written.futureResult.whenComplete { _ in bound.value.watch.leave(bound.value.context) }
                context.write(data, promise: written)
            } else {
                context.write(data, promise: promise)
            }
            arm(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        unreadSince = context.channel.isWritable ? nil : .now()
        place.unread(since: unreadSince)
        arm(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isLeaving, case ChannelEvent.inputClosed? = event as? ChannelEvent { door.close() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes the output. Remaining input is discarded for a moment: closing at once could destroy the response in
    /// transit.
    private func leave(_ context: ChannelHandlerContext) {
        guard !isLeaving else { return }
        isLeaving = true
        since = .now()
        context.close(mode: .output, promise: nil)
        arm(context)
    }

    /// The deadline of the current phase and the reason to count; `nil` while a route works.
    private var end: (at: NIODeadline, reason: ConnectionGate.Reason?)? {
        if isLeaving { return (since + ConnectionDeadlines.farewell, nil) }
        if let unreadSince { return (unreadSince + deadlines.unread, .unreadAnswer) }
        if isInBody {
            let whole = bodySince + deadlines.body + ConnectionDeadlines.graceOfBody
            guard answersDue == 0 else { return (whole, .slowBody) }
            return (min(whole, since + ConnectionDeadlines.unwantedTime), .unwantedBody)
        }
        guard answersDue == 0 else { return nil }
        return isInHead ? (since + deadlines.head, .slowHead) : (since + deadlines.idle, .idle)
    }

    /// Arms the timer unless it fires early enough anyway.
    private func arm(_ context: ChannelHandlerContext) {
        guard let end, context.channel.isActive || isInHead else { return }
        if let timer {
            guard end.at < timer.at else { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound((watch: self, context: context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: end.at) { bound.value.watch.ring(bound.value.context) }
        timer = (task, end.at)
    }

    private func disarm() {
        timer?.task.cancel()
        timer = nil
    }

    private func ring(_ context: ChannelHandlerContext) {
        timer = nil
        guard let end else { return }
        guard end.at <= .now() else { return arm(context) }
        if let reason = end.reason { gate.count(reason) }
        door.close()
    }
}
