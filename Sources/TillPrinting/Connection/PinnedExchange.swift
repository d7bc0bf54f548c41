import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization
import TillCore

/// One request over TLS to a printer that must present a pinned certificate. The request is written after the
/// handshake, so a printer with a different certificate receives not a single byte of it.
struct PinnedExchange: Sendable {
    let address: PrinterAddress.IPP
    let pin: PrinterPin

    /// Sends once and reads the whole answer.
    func send(_ body: [UInt8], authorization: String?, deadline: Span) async throws(IPPError) -> PrinterReply {
        let progress = Progress()
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let reply = loop.makePromise(of: PrinterReply.self)
        let (address, pin) = (address, pin)
        let channel = ClientBootstrap(group: loop).connectTimeout(PrinterTLS.connecting).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let tls = try PrinterTLS.handler(for: address) { shown in
                    if shown != pin { progress.refuse(shown) }
                    return shown == pin
                }
                try channel.pipeline.syncOperations.addHandler(tls)
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(
                    RequestHandler(
                        head: PinnedExchange.head(address, authorization, body.count), body: body, reply: reply,
                        progress: progress))
            }
        }.connect(host: address.host, port: address.port)
        channel.whenFailure { reply.fail($0) }
        channel.whenSuccess { open in
            let timer = loop.scheduleTask(in: .milliseconds(deadline.milliseconds)) {
                reply.fail(ChannelError.connectTimeout(.milliseconds(deadline.milliseconds)))
                open.close(promise: nil)
            }
            reply.futureResult.whenComplete { _ in
                timer.cancel()
                open.close(promise: nil)
            }
        }
        do { return try await reply.futureResult.get() } catch { throw progress.failure(error, pin) }
    }

    private static func head(_ address: PrinterAddress.IPP, _ authorization: String?, _ length: Int) -> HTTPRequestHead
    {
        var headers = HTTPHeaders([
            ("Host", address.authority), ("Content-Type", "application/ipp"), ("Content-Length", "\(length)"),
            ("Connection", "close"),
        ])
        if let authorization { headers.add(name: "Authorization", value: authorization) }
        return HTTPRequestHead(version: .http1_1, method: .POST, uri: address.path, headers: headers)
    }

    /// The progress of the exchange, which determines how a failure is reported.
    private final class Progress: Sendable {
        private let state = Mutex<(refused: PrinterPin?, hasSent: Bool)>((nil, false))

        func refuse(_ pin: PrinterPin) { state.withLock { $0.refused = pin } }
        func begin() { state.withLock { $0.hasSent = true } }

        func failure(_ error: any Error, _ pin: PrinterPin) -> IPPError {
            let (refused, hasSent) = state.withLock { $0 }
            if let refused { return .certificateChanged(shown: refused.fingerprint, kept: pin.fingerprint) }
            if hasSent {
                return .unreachable(
                    error is ChannelError ? "no answer in time" : "the connection broke", mayHaveArrived: true)
            }
            return .unreachable(
                error is NIOConnectionError ? "no connection" : "TLS could not be set up", mayHaveArrived: false)
        }
    }

    private final class RequestHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundOut = HTTPClientRequestPart

        private let head: HTTPRequestHead
        private let body: [UInt8]
        private let reply: EventLoopPromise<PrinterReply>
        private let progress: Progress
        private var answer = PrinterReply()

        init(head: HTTPRequestHead, body: [UInt8], reply: EventLoopPromise<PrinterReply>, progress: Progress) {
            self.head = head
            self.body = body
            self.reply = reply
            self.progress = progress
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
                progress.begin()
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
            context.fireUserInboundEventTriggered(event)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): answer.take(status: Int(head.status.code), head.headers)
            case .body(let part):
                guard answer.body.count + part.readableBytes <= IPPMessage.maximumBytes else {
                    reply.fail(ChannelError.eof)
                    return context.close(promise: nil)
                }
                answer.body += part.readableBytesView
            case .end: reply.succeed(answer)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            reply.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { reply.fail(ChannelError.eof) }
    }
}

/// The HTTP response of a printer.
struct PrinterReply: Sendable {
    var status = 0
    var contentType = ""
    /// The authentication challenges, if the printer requires authentication.
    var challenges: [String] = []
    var body: [UInt8] = []

    mutating func take(status: Int, _ headers: HTTPHeaders) {
        self.status = status
        contentType = headers.first(name: "Content-Type") ?? ""
        challenges = Array(headers["WWW-Authenticate"].prefix(8))
    }
}
