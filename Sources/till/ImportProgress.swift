import Synchronization
import TillBooks

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
            last.withLock { last in
                guard ContinuousClock.now - last.at >= ImportProgress.interval else { return }
                let text = "\(name.suffix(40)): \(done) of \(all) lines"
                Output.progress(text.padding(to: last.width))
                last = (.now, text.count)
            }
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
