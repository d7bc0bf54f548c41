import Dispatch
import Synchronization
import TillApplePay
package import TillCore
package import TillCounter

/// Options that are reloaded while the counter runs, so that a certificate can be replaced without a restart.
///
/// At most one request in thirty seconds has them reloaded; after a failed reload the previous ones stay in use, and so
/// does an association file that cannot be read any more.
package final class LiveApplePayOptions: Sendable {
    /// The maximum age of the options.
    package static let interval = Span.seconds(30)

    private struct State {
        var options: ApplePayOptions
        var read: MeasuredMoment
        /// The time of the first reload that failed since one succeeded.
        var failed: Timestamp?
        /// `true` during a reload, so that those of a disk that does not answer do not pile up.
        var isReloading = false
    }

    private let state: Mutex<State>
    private let reload: (@Sendable () -> ApplePayOptions?)?
    private let clock: MeasuringClock
    private let note: @Sendable (String) -> Void
    /// Reloads the options beside the requests, which run on event loops; `nil` to reload them in the request.
    private let files: DispatchQueue?

    /// - Parameters:
    ///   - reload: reads the options again; `nil` if they cannot be read.
    ///   - isAside: `true` if a request does not wait for the files. It then has the earlier options, and later ones
    ///     have the new.
    ///   - note: receives a sentence when an association file disappears or returns, for the log.
    package init(
        _ options: ApplePayOptions, clock: MeasuringClock, reload: (@Sendable () -> ApplePayOptions?)? = nil,
        isAside: Bool = false, note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let now = clock.now()
        state = Mutex(State(options: options.keeping(nil, at: now.at), read: now))
        self.reload = reload
        self.clock = clock
        self.note = note
        files = isAside ? DispatchQueue(label: "till.applepay.files") : nil
    }

    /// The current options.
    package var current: ApplePayOptions {
        guard let reload else { return state.withLock { $0.options } }
        let now = clock.now()
        // The first caller to find them stale marks them as read, so that concurrent callers do not reload them too.
        let isOld = state.withLock { state in
            guard !state.isReloading, state.read.age(at: now) >= LiveApplePayOptions.interval else { return false }
            state.read = now
            state.isReloading = true
            return true
        }
        if isOld {
            if let files {
                files.async { self.take(reload(), at: now.at) }
            } else {
                take(reload(), at: now.at)
            }
        }
        return state.withLock { $0.options }
    }

    /// The time since which the settings cannot be read, so that earlier ones are in use; `nil` if they were read last.
    package var failedSince: Timestamp? { state.withLock { $0.failed } }

    private func take(_ newer: ApplePayOptions?, at now: Timestamp) {
        let notes = state.withLock { state -> [String] in
            state.isReloading = false
            guard let newer else {
                state.failed = state.failed ?? now
                return []
            }
            let earlier = state.options
            state.failed = nil
            state.options = newer.keeping(earlier, at: now)
            return state.options.changes(of: earlier)
        }
        for sentence in notes { note(sentence) }
    }
}

extension ApplePayOptions {
    /// Returns these options with the association files that `earlier` ones have read, where these could not read them.
    /// A file that the settings do not name any more is not kept, and not missed.
    func keeping(_ earlier: ApplePayOptions?, at now: Timestamp) -> ApplePayOptions {
        var kept = self
        for (index, domain) in domains.enumerated() where domain.lacksAssociation {
            let before = earlier?.domain(like: domain)
            kept.domains[index].associationMissingSince = before?.associationMissingSince ?? now
            kept.domains[index].association = before?.association
        }
        return kept
    }

    /// Returns sentences about the association files that have disappeared or returned since `earlier` options.
    fileprivate func changes(of earlier: ApplePayOptions) -> [String] {
        domains.compactMap { domain -> String? in
            guard let before = earlier.domain(like: domain) else { return nil }
            switch (before.associationMissingSince, domain.associationMissingSince) {
            case (nil, .some): return domain.associationNotice.map { "Apple Pay: \($0)" }
            case (.some, nil):
                // Settings that name no file any more do not miss it.
                guard domain.association != nil else { return nil }
                return "Apple Pay: the association file of \(domain.domain) is there again."
            case (nil, nil), (.some, .some): return nil
            }
        }
    }

    /// Returns the domain of the same name and merchant.
    private func domain(like domain: ApplePayDomain) -> ApplePayDomain? {
        domains.first { $0.domain == domain.domain && $0.merchant == domain.merchant }
    }
}
