import NIOCore
import NIOPosix

/// A server on this machine that answers each request on a connection as told.
struct ScriptedServer {
    enum Step: Sendable {
        case answer(String)
        case close
        case silence
    }

    let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    static func start(_ steps: [Step]) async throws -> ScriptedServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Replies(steps))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedServer(channel: channel)
    }

    func stop() async { try? await channel.close() }

    /// Takes a step when a request is there as a whole, however many pieces it came in.
    private final class Replies: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var steps: [Step]
        private var received = ""
        init(_ steps: [Step]) { self.steps = steps }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            while takeRequest() { reply(context) }
        }

        /// Whether a whole request was there. What is not HTTP, such as TLS, is whole as it comes.
        private func takeRequest() -> Bool {
            guard !received.isEmpty else { return false }
            guard "POST ".hasPrefix(received.prefix(5)) else {
                received = ""
                return true
            }
            guard let head = received.firstRange(of: "\r\n\r\n") else { return false }
            let length = received[..<head.lowerBound].lowercased().split(separator: "\r\n")
                .first { $0.hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
            guard let end = received.index(head.upperBound, offsetBy: length ?? 0, limitedBy: received.endIndex) else {
                return false
            }
            received = String(received[end...])
            return true
        }

        private func reply(_ context: ChannelHandlerContext) {
            guard !steps.isEmpty else { return context.close(promise: nil) }
            switch steps.removeFirst() {
            case .answer(let text): context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            case .close: context.close(promise: nil)
            case .silence: break
            }
        }
    }
}
