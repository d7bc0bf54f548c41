import Synchronization
import TillCore

/// Options that are read anew while the counter runs, so that a certificate can be replaced without a restart.
///
/// At most every thirty seconds one request reads them; what cannot be read leaves the earlier ones in use.
final class LiveApplePayOptions: Sendable {
    /// How old options may be.
    static let interval = Span.seconds(30)

    private struct State {
        var options: ApplePayOptions
        var read: MeasuredMoment
    }

    private let state: Mutex<State>
    private let reload: (@Sendable () -> ApplePayOptions?)?
    private let clock: MeasuringClock

    init(_ options: ApplePayOptions, clock: MeasuringClock, reload: (@Sendable () -> ApplePayOptions?)? = nil) {
        state = Mutex(State(options: options, read: clock.now()))
        self.reload = reload
        self.clock = clock
    }

    /// The options as they are now.
    var current: ApplePayOptions {
        guard let reload else { return state.withLock { $0.options } }
        let now = clock.now()
        // Whoever finds them old marks them read first, so that others do not read them too.
        let isOld = state.withLock { state in
            guard state.read.age(at: now) >= LiveApplePayOptions.interval else { return false }
            state.read = now
            return true
        }
        if isOld, let newer = reload() { state.withLock { $0.options = newer } }
        return state.withLock { $0.options }
    }
}
