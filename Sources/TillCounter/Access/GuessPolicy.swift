package import TillCore

/// A policy against guessing: how many failures have no consequence, and how the wait grows after them.
///
/// The counts are kept in memory (limiters of sign-in, keys and links) or in the journal
/// (``SignInAttempts``), where they survive restarts.
package struct GuessPolicy: Hashable, Sendable {
    /// The number of failures without a wait.
    package let free: Int
    /// The first wait; it doubles with each further failure.
    package let first: Span
    /// The longest wait.
    package let longest: Span
    /// The time after the last failure at which all are forgotten.
    package let memory: Span

    package init(free: Int, first: Span, longest: Span, memory: Span) {
        (self.free, self.first, self.longest, self.memory) = (free, first, longest, memory)
    }

    /// Returns the wait after so many failures.
    package func wait(after failures: Int) -> Span {
        let beyond = failures - free
        guard beyond > 0 else { return .milliseconds(0) }
        // Twenty doublings are more than any longest wait.
        return min(.milliseconds(first.milliseconds << Int64(min(beyond - 1, 20))), longest)
    }
}
