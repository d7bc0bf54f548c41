import HummingbirdCore
import Logging
import NIOCore

/// Runs a task's work on the event loop of its connection, so that a request is read, worked on and answered on one
/// thread instead of being handed to another and back.
///
/// What runs there must not block, as nothing in Swift's concurrency may.
final class EventLoopExecutor: TaskExecutor {
    /// That of the connection whose request is being answered, for tasks that outlive the request.
    @TaskLocal static var current: EventLoopExecutor?

    let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

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
