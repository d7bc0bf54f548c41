import HummingbirdCore
import Logging
import NIOCore
import TillHTTP

/// HTTP/1.1 whose connections each run on their own event loop.
struct EventLoopHTTP1Channel: ServerChildChannel {
    private let base: HTTP1Channel

    init(_ base: HTTP1Channel) { self.base = base }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        let executor = EventLoopExecutor(value.channel.eventLoop)
        await EventLoopExecutor.$current.withValue(executor) {
            await withTaskExecutorPreference(executor) { await base.handle(value: value, logger: logger) }
        }
    }
}
