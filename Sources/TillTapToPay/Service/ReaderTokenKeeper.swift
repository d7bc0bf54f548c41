public import TillCore

/// Caches the reader token: fetched once for any number of concurrent callers, and renewed
/// ``TapToPayDeadlines/tokenRenewal`` before its expiry. While a token is still valid, a failed renewal has no effect.
public actor ReaderTokenKeeper {
    private struct Kept {
        var token: PaymentCardReader.Token
        var until: Timestamp
    }
    private let fetch: @Sendable () async throws -> String
    private let clock: any TillClock
    private let deadlines: TapToPayDeadlines
    private var kept: Kept?
    private var fetching: Task<Result<PaymentCardReader.Token, TapToPayError>, Never>?
    private let executor: PreferredExecutor

    /// Creates a keeper for a source of tokens.
    public init(
        clock: any TillClock, deadlines: TapToPayDeadlines = TapToPayDeadlines(),
        fetch: @escaping @Sendable () async throws -> String
    ) {
        self.init(clock: clock, deadlines: deadlines, preferring: PreferredExecutor(), fetch: fetch)
    }

    /// Creates a keeper that fetches on an executor; `nil` is the system's choice. For tests.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public init(
        clock: any TillClock, deadlines: TapToPayDeadlines = TapToPayDeadlines(), executor: (any TaskExecutor)?,
        fetch: @escaping @Sendable () async throws -> String
    ) {
        self.init(clock: clock, deadlines: deadlines, preferring: PreferredExecutor(executor), fetch: fetch)
    }

    init(
        clock: any TillClock, deadlines: TapToPayDeadlines, preferring executor: PreferredExecutor,
        fetch: @escaping @Sendable () async throws -> String
    ) {
        (self.clock, self.deadlines, self.executor, self.fetch) = (clock, deadlines, executor, fetch)
    }

    /// Returns a token that is valid now.
    /// - Throws: ``TapToPayError/noReaderToken(_:)`` if there is none and none can be fetched.
    public func token() async throws(TapToPayError) -> PaymentCardReader.Token {
        guard let kept, clock.now() < kept.until else { return try await renewed() }
        guard needsRenewal else { return kept.token }
        do { return try await renewed() } catch { return kept.token }
    }

    /// Fetches a new token, regardless of the cached one.
    public func renewed() async throws(TapToPayError) -> PaymentCardReader.Token {
        let task = fetching ?? executor.task { await self.fetched() }
        fetching = task
        return try await task.value.get()
    }

    /// Discards a token that the reader refused.
    public func refused(_ token: PaymentCardReader.Token) { if kept?.token == token { kept = nil } }

    /// The time until the token must be renewed; nil: there is none.
    public var untilRenewal: Span? {
        kept.map { max(.milliseconds(0), $0.until.since(clock.now()).minus(deadlines.tokenRenewal)) }
    }

    private var needsRenewal: Bool { untilRenewal.map { $0.milliseconds == 0 } ?? true }

    private func fetched() async -> Result<PaymentCardReader.Token, TapToPayError> {
        defer { fetching = nil }
        do {
            let text = try await fetch()
            let token = PaymentCardReader.Token(rawValue: text)
            let facts = ReaderTokenFacts(token, receivedAt: clock.now(), deadlines)
            guard !text.isEmpty else { return .failure(.noReaderToken("it is empty")) }
            guard clock.now() < facts.until else { return .failure(.noReaderToken("it is over already")) }
            kept = Kept(token: token, until: facts.until)
            return .success(token)
        } catch {
            // A provider's error may contain anything; only its type is reported.
            return .failure(.noReaderToken("\(type(of: error))"))
        }
    }
}

extension Span {
    func minus(_ other: Span) -> Span {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
        return Span(milliseconds: overflow ? 0 : difference)
    }
}
