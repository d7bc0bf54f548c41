package import Logging
import ServiceLifecycle
package import TillCore
package import TillJournal

/// Copies the journal to its folder while the counter is open, and once more at shutdown.
package struct CopyService: Service {
    package let copier: any JournalCopying
    package let clock: any TillClock
    package let logger: Logger

    package init(copier: any JournalCopying, clock: any TillClock, logger: Logger) {
        (self.copier, self.clock, self.logger) = (copier, clock, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var trouble: JournalError?
            while !Task.isCancelled {
                trouble = await copy(after: trouble)
                do { try await clock.sleep(for: copier.pause) } catch { break }
            }
        }
        _ = await copy(after: nil)
    }

    /// Copies once; logs an error only when it changes.
    private func copy(after before: JournalError?) async -> JournalError? {
        do throws(JournalError) {
            try await copier.copy()
            if before != nil { logger.notice("The journal is copied to \(copier.folder) again.") }
            return nil
        } catch {
            if error != before { logger.error("The journal was not copied to \(copier.folder): \(error)") }
            return error
        }
    }
}
