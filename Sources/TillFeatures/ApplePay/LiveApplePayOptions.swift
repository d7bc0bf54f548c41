import Synchronization
package import TillCore
package import TillCounter

/// Options that are reloaded while the counter runs, so that a certificate can be replaced without a restart.
///
/// At most one request in thirty seconds reloads them; after a failed reload the previous ones stay in use.
package final class LiveApplePayOptions: Sendable {
    /// The maximum age of the options.
    package static let interval = Span.seconds(30)

    private struct State {
        var options: ApplePayOptions
        var read: MeasuredMoment
    }

    private let state: Mutex<State>
    private let reload: (@Sendable () -> ApplePayOptions?)?
    private let clock: MeasuringClock

    package init(_ options: ApplePayOptions, clock: MeasuringClock, reload: (@Sendable () -> ApplePayOptions?)? = nil) {
        state = Mutex(State(options: options, read: clock.now()))
        self.reload = reload
        self.clock = clock
    }

    /// The current options.
    package var current: ApplePayOptions {
        guard let reload else { return state.withLock { $0.options } }
        let now = clock.now()
        // The first caller to find them stale marks them as read, so that concurrent callers do not reload them too.
        let isOld = state.withLock { state in
            guard state.read.age(at: now) >= LiveApplePayOptions.interval else { return false }
            state.read = now
            return true
        }
        if isOld, let newer = reload() { state.withLock { $0.options = newer } }
        return state.withLock { $0.options }
    }
}
