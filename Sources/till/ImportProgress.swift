import Synchronization
import TillBooks
import TillProvider

/// How far an import of statements is, on one line of a terminal that is written over, and nowhere else.
final class ImportProgress: Sendable {
    /// The shortest time between two lines: what is imported in less shows none.
    private static let interval = Duration.milliseconds(500)

    private let isShown: Bool
    private let last: Mutex<(at: ContinuousClock.Instant, width: Int)>

    init(isShown: Bool) {
        self.isShown = isShown
        last = Mutex((.now, 0))
    }

    /// What is called behind each commit of an import; `nil` where nothing is shown.
    func of(_ name: String) -> Reconciliation.Progress? {
        guard isShown else { return nil }
        return { [self] done, all in
            guard done < all else { return end() }
            show("\(name.suffix(40)): \(done) of \(all) lines")
        }
    }

    /// What is called while a report comes; `nil` where nothing is shown.
    func fetching() -> FetchProgress? {
        guard isShown else { return nil }
        return { [self] name, bytes in show("\(name.suffix(60)): \(bytes >> 10) KiB") }
    }

    private func show(_ text: String) {
        last.withLock { last in
            guard ContinuousClock.now - last.at >= ImportProgress.interval else { return }
            Output.progress(text.padding(to: last.width))
            last = (.now, text.count)
        }
    }

    /// Leaves the line empty for what is said next.
    func end() {
        guard isShown else { return }
        last.withLock { last in
            guard last.width > 0 else { return }
            Output.progress("".padding(to: last.width) + "\r")
            last.width = 0
        }
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
