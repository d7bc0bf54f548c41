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

    private final class Replies: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var steps: [Step]
        init(_ steps: [Step]) { self.steps = steps }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !steps.isEmpty else { return context.close(promise: nil) }
            switch steps.removeFirst() {
            case .answer(let text): context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            case .close: context.close(promise: nil)
            case .silence: break
            }
        }
    }
}
