public import TillCore

extension Checkout {
    /// How long the engine sleeps between two rounds of recovery.
    public static let recoveryInterval: Span = .milliseconds(1000)
    /// How often the provider is asked about one payment because somebody waits for its outcome.
    public static let impatientInterval: Span = .seconds(2)
    /// How many due payments are read from the journal at once.
    public static let recoveryBatch = 256
    /// How many batches one round reads from the most overdue payment on.
    public static let recoveryFrontBatches = 2
    /// How many more it reads from where the last round left off; so a backlog of any length is seen within a few
    /// rounds, and no round takes long.
    public static let recoveryDeepBatches = 6
    /// How many payments of one lane are worked on at once.
    public static let recoveryWorkers = 8
    /// How many payments of one lane wait at most; the rest stays in the journal until then.
    public static let recoveryQueue = 256
    /// Of ``maximumAbandonedCalls`` this many are kept for sales: recovery sends nothing more to a provider at which
    /// the rest runs on.
    public static let abandonedCallsKeptForSales = 16
    /// After this many intervals without a round recovery counts as stopped.
    public static let missedRounds = 30
}

/// Whose work a task does. Calls that recovery makes leave room for those of customers who wait.
enum RecoveryWork {
    @TaskLocal static var isOn = false
}
