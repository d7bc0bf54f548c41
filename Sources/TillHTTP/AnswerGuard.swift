package import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Lets through of an answer what the client behind it can read, and closes the connection at anything else.
///
/// AsyncHTTPClient 1.37 ends the process (`preconditionFailure`) when a body follows a head whose status is below 200,
/// and when an answer comes that nobody has asked for: whoever answers must not be able to do that. Every client of
/// ours has this guard on each of its connections.
package enum AnswerGuard {
    /// The most interim answers (1xx) to one request. They say nothing that is used here.
    package static let maximumInterim = 16

    /// The answer is none that can be read.
    package struct Refused: Error {}

    /// Puts a guard on each connection of a client that is made with a configuration. It speaks HTTP/1.1 only.
    package static func install(in configuration: inout HTTPClient.Configuration) {
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(AnswerHandler(), position: .after(decoder))
            }
        }
    }
}

/// Follows one connection's requests and answers.
private final class AnswerHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum State {
        /// No answer is due.
        case idle
        /// A request has left; so many interim answers came.
        case waiting(interim: Int)
        /// The head of the answer has come, and not its end.
        case answering
        /// The connection is being closed.
        case closed
    }

    private var state = State.idle

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data), case .idle = state { state = .waiting(interim: 0) }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting(let interim)):
            switch head.status.code {
            case 200...999: state = .answering
            // 101 would go on in a protocol that nobody has asked for.
            case 100, 102..<200:
                guard interim < AnswerGuard.maximumInterim else { return refuse(context) }
                return state = .waiting(interim: interim + 1)
            default: return refuse(context)
            }
        case (.body, .answering): break
        case (.end, .answering): state = .idle
        case (_, .closed): return
        case (.head, _), (.body, _), (.end, _): return refuse(context)
        }
        context.fireChannelRead(data)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        state = .closed
        context.fireErrorCaught(AnswerGuard.Refused())
        context.close(promise: nil)
    }
}
