package import Logging
import ServiceLifecycle
package import TillCore
import TillJournal

/// Prints queued receipts while the counter is open: those of a printer that was unreachable, out of paper or busy, and
/// those left by dead processes.
package struct PrintQueueService: Service {
    /// The polling interval.
    package static let pace = Span.seconds(3)

    package let printing: ReceiptService
    package let clock: any TillClock
    package let logger: Logger

    package init(printing: ReceiptService, clock: any TillClock, logger: Logger) {
        (self.printing, self.clock, self.logger) = (printing, clock, logger)
    }

    package func run() async throws { await Attribution.of(.receipts) { await work() } }

    private func work() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    for job in try await printing.printWaiting(onlyDue: true) where job.state != .waiting {
                        logger.info("print", metadata: ["id": "\(job.id)", "state": "\(job.state.rawValue)"])
                    }
                } catch { logger.warning("The print queue could not be read: \(error)") }
                guard await clock.pause(for: PrintQueueService.pace) else { return }
            }
        }
    }
}
