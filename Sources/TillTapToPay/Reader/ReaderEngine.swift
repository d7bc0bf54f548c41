import Synchronization
import TillCore

/// The one place where a reader's life meets its driver: takes inputs one after the other, applies what
/// ``ReaderLifecycle`` decides, and does what is pending at the driver.
///
/// Guarantees: one call to the driver at a time; every caller gets one definite answer; no wait without a limit; what
/// a driver gives after its caller has gone goes to `late`.
actor ReaderEngine {
    /// How long a driver may take to end a call that was canceled, before its caller is answered without it.
    static let grace: Span = .seconds(10)
    /// The most reads whose PIN may still be asked for.
    static let mostRemembered = 16

    let driver: any PaymentCardReaderDriver
    let options: PaymentCardReader.Options
    nonisolated let clock: any TillClock
    nonisolated let deadlines: TapToPayDeadlines
    nonisolated let events = EventHistory<PaymentCardReader.Event>()
    nonisolated let statuses = EventHistory<ReaderStatus>()
    nonisolated let executor: (any TaskExecutor)?
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
    private let mailbox = Mutex<[PaymentCardReader.Event]>([])
    private let current: Mutex<ReaderStatus>

    init(
        driver: any PaymentCardReaderDriver, options: PaymentCardReader.Options, clock: any TillClock,
        deadlines: TapToPayDeadlines, executor: (any TaskExecutor)?,
        late: @escaping @Sendable (PaymentCardReadResult) async -> Void
    ) {
        (self.driver, self.options, self.clock, self.deadlines) = (driver, options, clock, deadlines)
        (self.executor, self.late) = (executor, late)
        let life = ReaderLifecycle(unsupported: driver.unsupported, deadlines: deadlines)
        self.life = life
        let status = ReaderStatus(life, at: clock.now())
        current = Mutex(status)
        statuses.send(status)
    }

    nonisolated var status: ReaderStatus {
        var status = current.withLock { $0 }
        if case .valid(let facts) = status.token, clock.now() >= facts.until { status.isReady = false }
        return status
    }

    // MARK: Inputs

    /// Takes an input: decides, applies, answers who waits, and begins what is pending.
    func take(_ input: ReaderInput) throws(ReaderRefusal) {
        let before = life.phase
        for change in try life.decide(input, at: clock.now()) { life.evolve(change) }
        settle(from: before)
    }

    /// As ``take(_:)`` for news, which nothing refuses.
    func note(_ input: ReaderInput) {
        readMail()
        do { try take(input) } catch {}
    }

    /// What follows from a change of phase, until nothing is pending.
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

    /// What those get who waited for a session.
    private func preparationAnswer() -> Result<Int, PaymentCardReaderError> {
        if life.phase.holdsSession, !life.isDoomed, let session = life.session { return .success(session) }
        if let error = life.lastError { return .failure(error) }
        if life.scene == .background { return .failure(.backgroundRequestNotAllowed) }
        if case .over = life.token { return .failure(.tokenExpired) }
        return .failure(.requestInterrupted)
    }

    // MARK: News from the driver

    /// Hears an event from any thread; the state follows in the order of the events.
    nonisolated func hear(_ event: PaymentCardReader.Event) {
        events.send(event)
        let isFirst = mailbox.withLock { mail in
            mail.append(event)
            return mail.count == 1
        }
        if isFirst { run { [weak self] in await self?.noteMail() } }
    }

    private func noteMail() { readMail() }

    /// What the driver reported before now: it counts before what the driver answers now.
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
        Task(executorPreference: executor) { await work() }
    }

    /// Does something later. What it does is a note about a number, so that it is harmless when it comes too late.
    nonisolated func after(_ span: Span, _ work: @escaping @Sendable () async -> Void) {
        let clock = clock
        run {
            do { try await clock.sleep(for: span) } catch { return }
            await work()
        }
    }
}

/// Who waits for a session.
typealias PreparationWaiter = CheckedContinuation<Result<Int, PaymentCardReaderError>, Never>
/// Who waits for a read.
typealias ReadWaiter = CheckedContinuation<Result<ReadOutput, PaymentCardReaderSession.ReadError>, Never>

/// A read that somebody waits for.
struct ReadCall: Sendable {
    /// What is asked of the driver.
    let work:
        @Sendable (any PaymentCardReaderSessionDriver) async throws(PaymentCardReaderSession.ReadError) ->
            ReadOutput
    /// Why it was canceled, if not by the caller.
    var reason: PaymentCardReaderSession.ReadError?
    var waiter: ReadWaiter?
    /// Who canceled it and waits for how it ends.
    var cancellers: [CheckedContinuation<Bool, Never>] = []
}

/// What the reads of a session give.
struct ReadOutput: Sendable {
    var payment: PaymentCardReadResult?
    var pass: VASReadResult?
}
