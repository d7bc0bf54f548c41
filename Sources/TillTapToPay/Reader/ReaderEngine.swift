import TillCore

/// The single connection between a reader's lifecycle and its driver: processes inputs one after another, applies the
/// decisions of ``ReaderLifecycle``, and performs pending effects at the driver.
///
/// Guarantees: one call to the driver at a time; every caller gets one definite answer; no wait without a limit; data
/// that a driver returns after its caller has gone are passed to `late`.
actor ReaderEngine {
    /// The time for a driver to end a canceled call, before its caller is answered without it.
    static let grace: Span = .seconds(10)
    /// The maximum number of reads that are remembered for a PIN request.
    static let mostRemembered = 16

    let driver: any PaymentCardReaderDriver
    let options: PaymentCardReader.Options
    nonisolated let clock: any TillClock
    nonisolated let deadlines: TapToPayDeadlines
    nonisolated let events = EventHistory<PaymentCardReader.Event>()
    nonisolated let statuses = EventHistory<ReaderStatus>()
    nonisolated let executor: PreferredExecutor
    let late: @Sendable (PaymentCardReadResult) async -> Void

    private(set) var life: ReaderLifecycle
    var session: (any PaymentCardReaderSessionDriver)?
    var token: PaymentCardReader.Token?
    var preparing: [UInt64: PreparationWaiter] = [:]
    var linking: [UInt64: CheckedContinuation<PaymentCardReaderError?, Never>] = [:]
    var linkError: PaymentCardReaderError?
    var reads: [Int: ReadCall] = [:]
    var flightTask: Task<Void, Never>?
    var readTimes: [(id: String, at: Timestamp)] = []
    private var lastWaiter: UInt64 = 0
    private let mailbox = Guarded<[PaymentCardReader.Event]>([])
    private let current: Guarded<ReaderStatus>

    init(
        driver: any PaymentCardReaderDriver, options: PaymentCardReader.Options, clock: any TillClock,
        deadlines: TapToPayDeadlines, executor: PreferredExecutor,
        late: @escaping @Sendable (PaymentCardReadResult) async -> Void
    ) {
        (self.driver, self.options, self.clock, self.deadlines) = (driver, options, clock, deadlines)
        (self.executor, self.late) = (executor, late)
        let life = ReaderLifecycle(unsupported: driver.unsupported, deadlines: deadlines)
        self.life = life
        let status = ReaderStatus(life, at: clock.now())
        current = Guarded(status)
        statuses.send(status)
    }

    nonisolated var status: ReaderStatus {
        var status = current.withLock { $0 }
        if case .valid(let facts) = status.token, clock.now() >= facts.until { status.isReady = false }
        return status
    }

    // MARK: Inputs

    /// Processes an input: decides, applies, answers waiting callers, and starts pending effects.
    func take(_ input: ReaderInput) throws(ReaderRefusal) {
        let before = life.phase
        for change in try life.decide(input, at: clock.now()) { life.evolve(change) }
        settle(from: before)
    }

    /// Processes a notification: as ``take(_:)``, but ignores a refusal.
    func note(_ input: ReaderInput) {
        readMail()
        do { try take(input) } catch {}
    }

    /// Handles the consequences of a change of phase, until nothing is pending.
    private func settle(from before: ReaderPhase) {
        if life.phase != before {
            enter(life.phase, from: before)
            answerWaiters()
        }
        let now = clock.now()
        while let effect = life.pendingEffect {
            for change in life.beginning(effect) { life.evolve(change) }
            perform(effect)
        }
        let status = ReaderStatus(life, at: now)
        current.withLock { $0 = status }
        statuses.sendIfChanged(status)
    }

    private func enter(_ phase: ReaderPhase, from before: ReaderPhase) {
        switch phase {
        case .preparing(let preparation, _):
            if case .preparing(let last, _) = before, last.number == preparation.number { return }
            events.begin()
            statuses.begin()
            after(deadlines.preparation) { [weak self] in
                await self?.note(.prepareOverdue(number: preparation.number))
            }
        case .pausing(let until):
            let pause = until.since(clock.now())
            after(pause) { [weak self] in await self?.note(.pauseEnded) }
        case .reading(let number, .asked):
            events.begin()
            after(deadlines.read) { [weak self] in await self?.note(.cancelRead(number: number)) }
        case .unsupported, .idle, .unlinked, .linking, .ready, .reading, .result: break
        }
    }

    private func answerWaiters() {
        if !preparing.isEmpty, !life.phase.isPreparing {
            let waiting = preparing.values
            preparing = [:]
            let answer = preparationAnswer()
            for waiter in waiting { waiter.resume(returning: answer) }
        }
        if !linking.isEmpty, !life.phase.isLinking {
            let waiting = linking.values
            linking = [:]
            for waiter in waiting { waiter.resume(returning: linkError) }
        }
    }

    /// Returns the answer for callers that wait for a session.
    private func preparationAnswer() -> Result<Int, PaymentCardReaderError> {
        if life.phase.holdsSession, !life.isDoomed, let session = life.session { return .success(session) }
        if let error = life.lastError { return .failure(error) }
        if life.scene == .background { return .failure(.backgroundRequestNotAllowed) }
        if case .over = life.token { return .failure(.tokenExpired) }
        return .failure(.requestInterrupted)
    }

    // MARK: News from the driver

    /// Receives an event on any thread; the state follows in the order of the events.
    nonisolated func hear(_ event: PaymentCardReader.Event) {
        events.send(event)
        let isFirst = mailbox.withLock { mail in
            mail.append(event)
            return mail.count == 1
        }
        if isFirst { run { [weak self] in await self?.noteMail() } }
    }

    private func noteMail() { readMail() }

    /// Processes the driver's earlier reports: they take effect before the driver's current answer.
    func readMail() {
        let mail = mailbox.withLock { mail in
            defer { mail = [] }
            return mail
        }
        for event in mail {
            do { try take(.reported(event)) } catch {}
        }
    }

    // MARK: Small things

    func nextWaiter() -> UInt64 {
        lastWaiter &+= 1
        return lastWaiter
    }

    @discardableResult
    nonisolated func run(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        executor.task(work)
    }

    /// Runs work after a delay. The work is a notification about a number, so that it is harmless if it comes too late.
    nonisolated func after(_ span: Span, _ work: @escaping @Sendable () async -> Void) {
        let clock = clock
        run {
            do { try await clock.sleep(for: span) } catch { return }
            await work()
        }
    }
}

/// A caller that waits for a session.
typealias PreparationWaiter = CheckedContinuation<Result<Int, PaymentCardReaderError>, Never>
/// A caller that waits for a read.
typealias ReadWaiter = CheckedContinuation<Result<ReadOutput, PaymentCardReaderSession.ReadError>, Never>

/// A read with a waiting caller.
struct ReadCall: Sendable {
    /// The request to the driver.
    let work:
        @Sendable (any PaymentCardReaderSessionDriver) async throws(PaymentCardReaderSession.ReadError) ->
            ReadOutput
    /// The reason for a cancellation that does not come from the caller.
    var reason: PaymentCardReaderSession.ReadError?
    var waiter: ReadWaiter?
    /// Callers of the cancellation that wait for the read to end.
    var cancellers: [CheckedContinuation<Bool, Never>] = []
}

/// The output of a session's read.
struct ReadOutput: Sendable {
    var payment: PaymentCardReadResult?
    var pass: VASReadResult?
}
