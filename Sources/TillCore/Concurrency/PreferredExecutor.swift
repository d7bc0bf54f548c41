/// The executor on which a component prefers to run its own tasks; none is the system's choice.
///
/// It stands for `(any TaskExecutor)?` where the system may be older than that protocol, which needs iOS 18: there it
/// holds nothing.
package struct PreferredExecutor: Sendable {
    /// An `any TaskExecutor`.
    private let executor: (any Sendable)?

    /// Leaves the choice to the system.
    package init() { executor = nil }

    /// Prefers an executor; `nil` leaves the choice to the system.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    package init(_ executor: (any TaskExecutor)?) { self.executor = executor }

    /// Starts a task that belongs to no actor.
    @discardableResult
    package func task<Success: Sendable>(
        _ operation: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *),
            let executor = executor as? any TaskExecutor
        {
            return Task(executorPreference: executor, operation: operation)
        }
        return Task(operation: operation)
    }
}
