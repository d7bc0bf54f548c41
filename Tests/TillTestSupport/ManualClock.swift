import Synchronization
package import TillCore

/// A clock whose time stands still until a test moves it.
package final class ManualClock: TillClock {
    /// What a wait on the clock does.
    package enum Waits: Sendable {
        /// Ends at once; the time stays as it is.
        case end
        /// Ends at once; the time has moved on by what was waited for. A wait that is longer than the given one lasts
        /// until a test moves the time past its end.
        case moveTime(upTo: Span = .days(36_500))
        /// Lasts until a test moves the time past its end.
        case last
    }

    /// 18 November 2026, a moment at which the certificates and cards of the tests are valid.
    package static let start = Timestamp(milliseconds: 1_795_000_000_000)

    private let time: Mutex<Timestamp>
    private let waits: Waits

    package init(_ start: Timestamp = ManualClock.start, waits: Waits = .end) {
        time = Mutex(start)
        self.waits = waits
    }

    package func now() -> Timestamp { time.withLock { $0 } }

    /// Moves the time on, or back: clocks of shops do that.
    package func advance(by span: Span) { time.withLock { $0 = $0.adding(span) } }

    package func sleep(for span: Span) async throws {
        try Task.checkCancellation()
        switch waits {
        case .end: return
        case .moveTime(let longest) where span <= longest: return advance(by: span)
        case .moveTime, .last:
            let end = now().adding(span)
            while now() < end { try await Task.sleep(for: .milliseconds(1)) }
        }
    }
}
