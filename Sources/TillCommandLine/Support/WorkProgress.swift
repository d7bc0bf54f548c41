import Synchronization

/// The progress of long work whose steps are not counted: how long it has taken, on a single terminal line that is
/// overwritten. Work of less than a second shows none.
final class WorkProgress: Sendable {
    private let text: String
    private let write: @Sendable (String) -> Void
    private let state = Mutex<(width: Int, isOver: Bool)>((width: 0, isOver: false))
    private let ticking = Mutex<Task<Void, Never>?>(nil)

    /// Starts the clock, on standard error if it is a terminal.
    /// - Parameters:
    ///   - text: what is done, such as “Checking the journal”.
    ///   - json: `true` with `--json`: nothing is shown.
    convenience init(_ text: String, json: Bool) {
        self.init(text, isShown: Output.isTerminal && !json) { Output.progress($0) }
    }

    /// Starts the clock.
    /// - Parameters:
    ///   - interval: the time before the first line, and between two.
    ///   - write: writes over the line; it must be quick.
    init(
        _ text: String, isShown: Bool, interval: Duration = .seconds(1), write: @escaping @Sendable (String) -> Void
    ) {
        self.text = text
        self.write = write
        guard isShown else { return }
        let begin = ContinuousClock.now
        let task = Task { [self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                show(ContinuousClock.now - begin)
            }
        }
        ticking.withLock { $0 = task }
    }

    /// Ends it, and clears the line for subsequent output. More calls do nothing.
    func end() {
        let task = ticking.withLock { $0 }
        task?.cancel()
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            if state.width > 0 { write(String(repeating: " ", count: state.width) + "\r") }
        }
    }

    private func show(_ elapsed: Duration) {
        state.withLock { state in
            guard !state.isOver else { return }
            let line = "\(text): \(elapsed.components.seconds) s"
            write(line)
            state.width = line.count
        }
    }
}
