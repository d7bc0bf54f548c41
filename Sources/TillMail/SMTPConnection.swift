import NIOCore
import NIOPosix
import NIOSSL
import TillCore

/// An open connection to a mail server. Failures are ``SMTPBreak``s; the client maps them to their meaning for the
/// message.
struct SMTPConnection: Sendable {
    private let channel: any Channel
    private let reader: NIOLoopBound<SMTPReader>
    private let tls: TLS

    /// The configuration of a TLS connection.
    struct TLS: Sendable {
        var context: NIOSSLContext
        /// The name to verify in the certificate; `nil` for a server given by its IP address.
        var serverName: String?

        func handler() throws -> NIOSSLClientHandler {
            try NIOSSLClientHandler(context: context, serverHostname: serverName)
        }
    }

    /// Connects; with TLS from the first byte if requested.
    static func open(_ server: SMTPServer, _ tls: TLS, isSecure: Bool) async throws(SMTPBreak) -> SMTPConnection {
        do {
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let (channel, reader) = try await ClientBootstrap(group: loop)
                .connectTimeout(.milliseconds(server.limits.connect.milliseconds))
                .connect(host: server.host, port: server.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let reader = SMTPReader(channel.eventLoop)
                        if isSecure { try channel.pipeline.syncOperations.addHandler(try tls.handler()) }
                        try channel.pipeline.syncOperations.addHandler(reader)
                        return (channel, NIOLoopBound(reader, eventLoop: channel.eventLoop))
                    }
                }
            return SMTPConnection(channel: channel, reader: reader, tls: tls)
        } catch { throw SMTPBreak(error) }
    }

    func reply(within span: Span) async throws(SMTPBreak) -> SMTPReply {
        let reader = reader
        do {
            return try await channel.eventLoop.flatSubmit { reader.value.reply(within: span) }.get()
        } catch { throw SMTPBreak(error) }
    }

    /// Sends bytes; the connection is closed if they are not accepted in time.
    func send(_ bytes: [UInt8], within span: Span) async throws(SMTPBreak) {
        let channel = channel
        let limit = channel.eventLoop.scheduleTask(in: .milliseconds(span.milliseconds)) { channel.close(promise: nil) }
        let written: EventLoopFuture<Void> = channel.writeAndFlush(ByteBuffer(bytes: bytes))
        // On the loop, so that the limit ends when the bytes are written and not when this task is scheduled.
        written.whenComplete { _ in limit.cancel() }
        do { try await written.get() } catch {
            // A write fails because the connection does, and the reader has the reason.
            let reader = reader
            let broken = try? await channel.eventLoop.submit { reader.value.broken }.get()
            throw (broken ?? nil) ?? SMTPBreak(error)
        }
    }

    /// Upgrades to TLS. Any cleartext received after the reply indicates a man in the middle, and ends the connection.
    func upgrade() async throws(SMTPBreak) {
        let (channel, reader, tls) = (channel, reader, tls)
        do {
            try await channel.eventLoop.submit {
                guard reader.value.isQuiet else { throw SMTPBreak.injected }
                try channel.pipeline.syncOperations.addHandler(try tls.handler(), position: .first)
            }.get()
        } catch { throw SMTPBreak(error) }
    }

    func close() async { try? await channel.close() }
}

/// The failure of a connection.
enum SMTPBreak: Error, Hashable {
    /// Refused, or no response to the connection attempt.
    case noConnection
    /// The name does not resolve.
    case noName
    /// No reply within the limit.
    case silence
    /// The server closed the connection, or it broke.
    case closed
    /// The certificate is not trusted.
    case certificate
    case tls
    /// The received data is not a mail server's reply.
    case nonsense
    /// Cleartext was received where TLS was to begin.
    case injected

    init(_ error: any Error) {
        switch error {
        case let known as SMTPBreak: self = known
        case is SMTPParseError: self = .nonsense
        case let error as NIOConnectionError:
            self = error.connectionErrors.isEmpty ? .noName : .noConnection
        case is SocketAddressError: self = .noName
        case is NIOSSLExtraError: self = .certificate
        case NIOSSLError.handshakeFailed(let reason):
            self = "\(reason)".contains("CERTIFICATE_VERIFY_FAILED") ? .certificate : .tls
        case is NIOSSLError, is BoringSSLError: self = .tls
        case let error as ChannelError:
            if case .connectTimeout = error { self = .noConnection } else { self = .closed }
        default: self = .closed
        }
    }

    /// The end of a sentence that begins with the server's name.
    var words: String {
        switch self {
        case .noConnection: "cannot be reached"
        case .noName: "is not known"
        case .silence: "gave no answer in time"
        case .closed: "closed the connection"
        case .certificate: "is not trusted"
        case .tls: "does not speak TLS as it should"
        case .nonsense: "does not answer as a mail server does"
        case .injected: "spoke before the encryption began"
        }
    }
}

/// Collects replies; used on its event loop only.
private final class SMTPReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let loop: any EventLoop
    private var parser = SMTPReplyParser()
    private var replies: [SMTPReply] = []
    private var waiting: EventLoopPromise<SMTPReply>?
    /// The reason that no further replies can arrive.
    private(set) var broken: SMTPBreak?

    init(_ loop: any EventLoop) { self.loop = loop }

    /// `true` if no unsolicited data has been received.
    var isQuiet: Bool { parser.isEmpty && replies.isEmpty && broken == nil }

    func reply(within span: Span) -> EventLoopFuture<SMTPReply> {
        if !replies.isEmpty { return loop.makeSucceededFuture(replies.removeFirst()) }
        if let broken { return loop.makeFailedFuture(broken) }
        let promise = loop.makePromise(of: SMTPReply.self)
        waiting = promise
        let limit = loop.assumeIsolated().scheduleTask(in: .milliseconds(span.milliseconds)) { self.fail(.silence) }
        promise.futureResult.whenComplete { _ in limit.cancel() }
        return promise.futureResult
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in unwrapInboundIn(data).readableBytesView {
            guard broken == nil else { return }
            do throws(SMTPParseError) {
                guard let reply = try parser.take(byte) else { continue }
                if let promise = waiting {
                    waiting = nil
                    promise.succeed(reply)
                } else if replies.count < 4 {
                    replies.append(reply)
                } else {
                    fail(.nonsense)
                }
            } catch { fail(.nonsense) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(SMTPBreak(error))
        context.close(promise: nil)
    }

    private func fail(_ reason: SMTPBreak) {
        if broken == nil { broken = reason }
        waiting?.fail(reason)
        waiting = nil
    }
}
