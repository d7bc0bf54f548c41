package import NIOCore

/// Runs a task's work on the event loop of a connection, so that a request is read, processed and answered on one
/// thread without thread hops.
///
/// Work on it must not block, as nothing in Swift's concurrency may.
package final class EventLoopExecutor: TaskExecutor {
    /// The executor of the connection of the current request, for tasks that outlive the request.
    @TaskLocal package static var current: EventLoopExecutor?

    package let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
