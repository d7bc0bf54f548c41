package import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Passes only those responses that the client behind it can process, and closes the connection at anything else.
///
/// AsyncHTTPClient 1.37 ends the process (`preconditionFailure`) when a body follows a head with a status below 200,
/// and when an unsolicited response arrives; no server must be able to cause that. Every client of ours has this guard
/// on each of its connections.
package enum AnswerGuard {
    /// The maximum number of interim responses (1xx) to one request. Their contents are not used here.
    package static let maximumInterim = 16

    /// The response is not processable.
    package struct Refused: Error {}

    /// Installs a guard on each connection of clients created with a configuration. It supports HTTP/1.1 only.
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

/// Tracks the requests and responses of one connection.
private final class AnswerHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum State {
        /// No response is due.
        case idle
        /// A request was sent; `interim` counts the interim responses so far.
        case waiting(interim: Int)
        /// The head of the response has arrived, but not its end.
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
            // 101 would continue in a protocol that was not requested.
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
