import HTTPTypes
package import Logging
import ServiceLifecycle
import Synchronization
package import TillCore
package import TillJournal

/// Counts refused requests for the audit log. Equal refusals within an interval form one entry with a count, so that
/// repeated attempts fill neither the disk nor the log.
package final class RefusalLog: Sendable {
    /// The maximum number of distinct refusals of unknown callers between two writes; all others are counted together.
    static let maximumKinds = 16
    /// The maximum number of distinct refusals of known callers. Beyond it each caller keeps one line for each reason,
    /// without address and route: known callers are the shop's staff and keys, so their number is bounded, and
    /// strangers cannot take their lines.
    static let maximumNamedKinds = 128
    /// The initial interval between writes.
    static let firstInterval = Span.minutes(1)
    /// The maximum interval: it doubles while refusals continue.
    static let longestInterval = Span.hours(1)
    /// The polling interval.
    package static let pace = Span.milliseconds(500)
    /// The route at and below which a refusal counts as a sign-in refusal.
    private static let signIn = "/session"

    private static func isSignIn(_ route: String) -> Bool { route == signIn || route.hasPrefix(signIn + "/") }

    private struct Kind: Hashable {
        var action: AuditAction
        var code: String
        var actor: Actor?
        var address: String
        var route: String

        /// The same caller refused for the same reason, at any address and route.
        var withoutPlace: Kind {
            Kind(action: action, code: code, actor: actor, address: "-", route: "various")
        }
    }

    private struct State {
        var strangers: [Kind: Int] = [:]
        var named: [Kind: Int] = [:]
        var others = 0
        var began: ContinuousClock.Instant?
        var interval = RefusalLog.firstInterval
        var written: ContinuousClock.Instant?

        /// Starts counting. After a quiet period the first write is soon again.
        mutating func begin(at now: ContinuousClock.Instant) {
            if let written, now - written > interval.duration { interval = RefusalLog.firstInterval }
            began = now
        }
    }

    private let state = Mutex(State())
    private let journal: any Journal
    private let logger: Logger

    package init(_ journal: any Journal, logger: Logger) {
        self.journal = journal
        self.logger = logger
    }

    /// Counts a refused request: 401, 403 and 429; other statuses are ignored.
    package func count(_ problem: Problem, route: String, client: String?) {
        switch problem.status {
        case .unauthorized, .forbidden, .tooManyRequests: break
        default: return
        }
        let kind = Kind(
            action: RefusalLog.isSignIn(route) ? .signInRefused : .accessRefused, code: problem.code,
            actor: problem.by, address: client ?? "-", route: route)
        state.withLock { state in
            if state.began == nil { state.begin(at: .now) }
            if kind.actor == nil {
                guard state.strangers[kind] != nil || state.strangers.count < RefusalLog.maximumKinds else {
                    state.others += 1
                    return
                }
                state.strangers[kind, default: 0] += 1
            } else if state.named[kind] != nil || state.named.count < RefusalLog.maximumNamedKinds {
                state.named[kind, default: 0] += 1
            } else {
                state.named[kind.withoutPlace, default: 0] += 1
            }
        }
    }

    /// Writes the counted refusals if the interval has passed.
    /// - Parameter now: `true` writes unconditionally.
    package func write(now isNow: Bool = false) async {
        let notes = state.withLock { state -> [AuditNote] in
            guard let began = state.began else { return [] }
            let age = ContinuousClock.now - began
            guard isNow || age >= state.interval.duration else { return [] }
            let notes = (Array(state.named) + Array(state.strangers)).map { RefusalLog.note($0.key, count: $0.value) }
            let others = state.others
            let longer = min(state.interval.milliseconds * 2, RefusalLog.longestInterval.milliseconds)
            state = State(interval: Span(milliseconds: longer), written: .now)
            guard others > 0 else { return notes }
            return notes + [
                AuditNote(
                    .accessRefused, .refused, by: Attribution(.stranger), reason: "various", count: others)
            ]
        }
        guard !notes.isEmpty else { return }
        do throws(JournalError) {
            for start in stride(from: 0, to: notes.count, by: AuditLimits.maximumNotes) {
                try await journal.note(Array(notes[start...].prefix(AuditLimits.maximumNotes)))
            }
        } catch { logger.error("Refusals could not be written into the audit log: \(error)") }
    }

    private static func note(_ kind: Kind, count: Int) -> AuditNote {
        AuditNote(
            kind.action, .refused,
            by: Attribution(kind.actor ?? .stranger, address: kind.address),
            subject: kind.route, reason: kind.code, count: count)
    }
}

/// Writes counted refusals periodically and at shutdown.
package struct RefusalLogService: Service {
    let refusals: RefusalLog
    package let clock: any TillClock

    package init(refusals: RefusalLog, clock: any TillClock) {
        self.refusals = refusals
        self.clock = clock
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while await clock.pause(for: RefusalLog.pace) { await refusals.write() }
        }
        await refusals.write(now: true)
    }
}
