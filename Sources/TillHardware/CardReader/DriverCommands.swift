import TillCore

/// The commands of a driver that are under way, each a task, so that a cancellation, `disconnect()` or `clear()` ends
/// them.
package final class DriverCommands<Kind: Sendable>: Sendable {
    private struct Running {
        let kind: Kind
        let cancel: @Sendable () -> Void
    }

    private let running = Guarded<(last: UInt64, all: [UInt64: Running])>((0, [:]))

    package init() {}

    /// Runs a command as a task that ``end(_:)`` and its caller's cancellation end. The task is known before the
    /// caller's actor is left: whatever ends commands on that actor afterwards, ends this one.
    package func run<Value: Sendable>(
        _ kind: Kind, isolation: isolated (any _Concurrency.Actor)? = #isolation,
        _ body: @escaping @Sendable () async throws(CardReaderFailure) -> Value
    ) async throws(CardReaderFailure) -> Value {
        let task = Task { () -> Result<Value, CardReaderFailure> in
            do throws(CardReaderFailure) { return .success(try await body()) } catch { return .failure(error) }
        }
        let number = running.withLock { running in
            running.last &+= 1
            running.all[running.last] = Running(kind: kind) { task.cancel() }
            return running.last
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        running.withLock { _ = $0.all.removeValue(forKey: number) }
        return try result.get()
    }

    /// Returns the commands that are under way, the earliest first.
    package var underWay: [Kind] {
        running.withLock { $0.all.sorted { $0.key < $1.key }.map(\.value.kind) }
    }

    /// Cancels the tasks of the meant commands.
    package func end(_ isMeant: (Kind) -> Bool) {
        let meant = running.withLock { $0.all.values.filter { isMeant($0.kind) } }
        for one in meant { one.cancel() }
    }
}
