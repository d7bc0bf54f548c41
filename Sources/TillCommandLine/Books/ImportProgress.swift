import Synchronization
import TillBooks
import TillStatements

/// The progress of a statement import, on a single terminal line that is overwritten.
final class ImportProgress: Sendable {
    /// The minimum interval between updates: a shorter import shows none.
    private static let interval = Duration.milliseconds(500)

    private let isShown: Bool
    private let last: Mutex<(at: ContinuousClock.Instant, width: Int)>

    init(isShown: Bool) {
        self.isShown = isShown
        last = Mutex((.now, 0))
    }

    /// Returns the callback for each commit of an import; `nil` if progress is not shown.
    func of(_ name: String) -> Reconciliation.Progress? {
        guard isShown else { return nil }
        return { [self] done, all in
            guard done < all else { return end() }
            show("\(name.suffix(40)): \(done) of \(all) lines")
        }
    }

    /// Returns the callback for the download of a report; `nil` if progress is not shown.
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

    /// Clears the line for subsequent output.
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
