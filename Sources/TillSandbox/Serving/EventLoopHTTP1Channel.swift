package import HummingbirdCore
package import Logging
package import NIOCore
import TillHTTP

/// HTTP/1.1 whose connections each run on their own event loop: the counter's, and the stand-ins'.
package struct EventLoopHTTP1Channel: ServerChildChannel {
    private let base: HTTP1Channel

    package init(_ base: HTTP1Channel) { self.base = base }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    package func handle(value: HTTP1Channel.Value, logger: Logger) async {
        let executor = EventLoopExecutor(value.channel.eventLoop)
        await EventLoopExecutor.$current.withValue(executor) {
            await withTaskExecutorPreference(executor) { await base.handle(value: value, logger: logger) }
        }
    }
}
