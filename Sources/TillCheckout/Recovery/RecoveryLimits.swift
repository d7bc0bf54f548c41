public import TillCore

extension Checkout {
    /// The pause between two rounds of recovery.
    public static let recoveryInterval: Span = .milliseconds(1000)
    /// The shortest interval between queries of one payment while a caller waits for its outcome.
    public static let impatientInterval: Span = .seconds(2)
    /// The number of due payments read from the journal at a time.
    public static let recoveryBatch = 256
    /// The number of batches that one round reads from the most overdue payment on.
    public static let recoveryFrontBatches = 2
    /// The number of further batches, read from where the last round stopped, so that a backlog of any length is
    /// covered within a few rounds and no round takes long.
    public static let recoveryDeepBatches = 6
    /// The number of payments of one lane that are processed concurrently.
    public static let recoveryWorkers = 8
    /// The most payments that wait in one lane; the rest stays in the journal until there is room.
    public static let recoveryQueue = 256
    /// The part of ``maximumAbandonedCalls`` reserved for sales: recovery sends nothing more to a provider once the
    /// rest is in use.
    public static let abandonedCallsKeptForSales = 16
    /// The number of intervals without a round after which recovery counts as stopped.
    public static let missedRounds = 30
}

/// Marks a task as recovery work: its calls leave room for those of waiting customers.
enum RecoveryWork {
    @TaskLocal static var isOn = false
}
