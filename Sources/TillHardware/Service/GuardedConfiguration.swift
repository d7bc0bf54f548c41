import TillCore

/// An app's configuration within limits, valid only while its account is the service's.
final class GuardedConfiguration: CardReaderConfigProvider {
    let account: AccountID
    private let app: any CardReaderConfigProvider
    private let limits: CardReaderServiceLimits
    private let clock: any TillClock
    private let executor: PreferredExecutor
    private let needsToken: Bool
    private struct State {
        var isLeft = false
        var fetched: Secret<String>?
    }
    private let state = Guarded(State())

    init(
        _ app: any CardReaderConfigProvider, needsToken: Bool, limits: CardReaderServiceLimits,
        clock: any TillClock, executor: PreferredExecutor
    ) {
        self.app = app
        account = app.account
        self.needsToken = needsToken
        self.limits = limits
        self.clock = clock
        self.executor = executor
    }

    /// Invalidates the configuration: it provides nothing from now on.
    func leave() {
        state.withLock { $0 = State(isLeft: true) }
    }

    /// Prefetches a token for the first request, so that an invalid one is detected at once.
    func fetchAhead() async throws(CardReaderFailure) {
        guard needsToken else { return }
        let token = try await fetch()
        state.withLock { if !$0.isLeft { $0.fetched = token } }
    }

    func connectionToken() async throws -> Secret<String> {
        let ahead = state.withLock { state in
            defer { state.fetched = nil }
            return state.fetched
        }
        if let ahead { return ahead }
        return try await fetch()
    }

    func locationID() async throws -> String? {
        try await bounded(timeOut: .connectionTokenTimedOut, other: .invalidLocation) {
            try await self.app.locationID()
        }
    }

    private func fetch() async throws(CardReaderFailure) -> Secret<String> {
        let token = try await bounded(timeOut: .connectionTokenTimedOut, other: .connectionTokenFailed) {
            try await self.app.connectionToken()
        }
        if needsToken, token.reveal().isEmpty { throw CardReaderFailure(.connectionTokenMissing) }
        return token
    }

    private func bounded<Value: Sendable>(
        timeOut: UnderlyingError, other: UnderlyingError, _ body: @escaping @Sendable () async throws -> Value
    ) async throws(CardReaderFailure) -> Value {
        try stillHere()
        let call = DriverCall(limit: limits.connectionToken, clock: clock, executor: executor) {
            () async throws(CardReaderFailure) -> Value in
            // The app's own error is not repeated: it may contain the credentials of the token request.
            do { return try await body() } catch {
                switch error {
                case CardReaderConfigError.incompleteStoreAddress: throw CardReaderFailure(.incompleteStoreAddress)
                case CardReaderConfigError.invalidPostalCode: throw CardReaderFailure(.invalidPostalCode)
                case let failure as CardReaderFailure: throw failure
                default: throw CardReaderFailure(other)
                }
            }
        } late: { _ in
        }
        let value: Value
        switch await call.outcome().outcome {
        case .value(let answer): value = answer
        case .failed(let failure): throw failure
        case .timedOut, .givenUp: throw CardReaderFailure(timeOut)
        }
        try stillHere()
        return value
    }

    private func stillHere() throws(CardReaderFailure) {
        if state.withLock({ $0.isLeft }) { throw CardReaderFailure(.accountMismatch) }
    }
}
