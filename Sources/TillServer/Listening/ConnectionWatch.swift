import HTTPTypes
import NIOCore
import NIOHTTPTypes
import TillCore

/// How long each phase of a connection may take, whatever the routes do.
struct ConnectionDeadlines: Sendable {
    /// For the answer that says a body came too slowly to leave, beyond the time of the body.
    static let graceOfBody = TimeAmount.seconds(1)
    /// How much of a body is read that no route wanted, so that its sender reads the answer instead of an error.
    static let unwantedBytes = 64 << 10
    /// How long that may take.
    static let unwantedTime = TimeAmount.seconds(5)
    /// How much of an answer the system keeps for a client that does not read it.
    static let unreadBytes = 256 << 10
    /// How long a connection that is being closed waits for its other end.
    static let farewell = TimeAmount.seconds(1)

    /// For the head of each request, and for the TLS handshake before the first.
    var head: TimeAmount
    /// For a request's whole body, whether its route reads it or not.
    var body: TimeAmount
    /// How long a connection may be idle between requests.
    var idle: TimeAmount
    /// For an answer, or a part of a stream, that the client does not read.
    var unread: TimeAmount

    init(_ options: ServerOptions) {
        head = .milliseconds(options.headTimeout.milliseconds)
        body = .milliseconds(options.bodyTimeout.milliseconds)
        idle = .milliseconds(options.idleTimeout.milliseconds)
        unread = .milliseconds(options.unreadTimeout.milliseconds)
    }
}

/// The first handler of a connection, before TLS: sees that bytes come, and closes without waiting for anybody.
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

    /// Closes the connection. A TLS session is not ended politely: that would wait for the client.
    func close() { context?.close(promise: nil) }
}

/// Minds the deadlines of one connection and says at its place what it does.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let place: ConnectionPlace
    private let door: Door
    private let deadlines: ConnectionDeadlines
    private let gate: ConnectionGate

    /// Since when the present phase lasts.
    private var since = NIODeadline.now()
    /// The first bytes of a head have come, or the connection is new.
    private var isInHead = true
    /// The head of a request has come, and not its end.
    private var isInBody = false
    private var bodySince = NIODeadline.now()
    private var answersDue = 0
    private var unwanted = 0
    private var unreadSince: NIODeadline?
    /// The answer that is being written is the last one.
    private var isLast = false
    /// The client said that the last request which came is its last.
    private var asksNoMore = false
    /// The last answer was written.
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
            // A place that was taken answers nothing any more.
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

    /// After all that came at once, so that a request which comes whole sets no timer.
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

    /// Nothing more is said. What the client still sends is thrown away for a moment: closing at once would take the
    /// answer from it.
    private func leave(_ context: ChannelHandlerContext) {
        guard !isLeaving else { return }
        isLeaving = true
        since = .now()
        context.close(mode: .output, promise: nil)
        arm(context)
    }

    /// When the present phase has lasted too long, and what is then said of it; `nil` while a route works.
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

    /// Sets the timer unless it comes early enough anyway.
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
