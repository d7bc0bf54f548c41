import Logging
import ServiceLifecycle
import TillCore
import TillJournal

/// Prints receipts that wait, as long as the counter is open: those whose printer was gone, without paper or busy, and
/// those of processes that died.
struct PrintQueueService: Service {
    /// How often it searches for what is due.
    static let pace = Span.seconds(3)

    let printing: ReceiptService
    let clock: any TillClock
    let logger: Logger

    func run() async throws { await Attribution.of(.receipts) { await work() } }

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
