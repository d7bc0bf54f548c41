import TillCore

extension ReaderEngine {
    /// Starts an effect at the driver. Its end arrives as an input.
    func perform(_ effect: ReaderEffect) {
        switch effect {
        case .link(let isRelink): performLink(isRelink: isRelink)
        case .prepare(let preparation): performPrepare(preparation)
        case .read(let number): performRead(number)
        case .callOff(let flight): callOff(flight)
        case .endSession(let number): performEnd(number)
        }
    }

    private func performLink(isRelink: Bool) {
        guard let token else { return note(.linkEnded(.emptyReaderToken)) }
        let driver = driver
        flightTask = run { [weak self] in
            var failure: PaymentCardReaderError?
            do throws(PaymentCardReaderError) {
                if isRelink {
                    try await driver.relinkAccount(using: token)
                } else {
                    try await driver.linkAccount(using: token)
                }
            } catch { failure = error }
            await self?.linked(failure)
        }
    }

    private func linked(_ failure: PaymentCardReaderError?) {
        linkError = failure == .accountAlreadyLinked ? nil : failure
        note(.linkEnded(failure))
    }

    private func performPrepare(_ preparation: Preparation) {
        let (driver, options, token) = (driver, options, token)
        let tell: @Sendable (PaymentCardReader.Event) -> Void = { [weak self] in self?.hear($0) }
        flightTask = run { [weak self] in
            do throws(PaymentCardReaderError) {
                let session: any PaymentCardReaderSessionDriver
                switch preparation.kind {
                case .online:
                    guard let token else { throw .emptyReaderToken }
                    session = try await driver.prepare(using: token, options: options, events: tell)
                case .storeAndForward:
                    session = try await driver.prepareStoreAndForward(options: options, events: tell)
                }
                await self?.prepared(session, preparation)
            } catch { await self?.note(.prepareFailed(number: preparation.number, error)) }
        }
    }

    private func prepared(_ session: any PaymentCardReaderSessionDriver, _ preparation: Preparation) {
        self.session = session
        note(.prepared(number: preparation.number))
    }

    private func performRead(_ number: Int) {
        guard let session, let call = reads[number] else {
            return note(.readEnded(number: number, .error(.noReaderSession)))
        }
        flightTask = run { [weak self] in
            let result: Result<ReadOutput, PaymentCardReaderSession.ReadError>
            do throws(PaymentCardReaderSession.ReadError) {
                result = .success(try await call.work(session))
            } catch { result = .failure(error) }
            await self?.finished(number, result)
        }
    }

    private func callOff(_ flight: ReaderFlight) {
        switch flight {
        case .link, .prepare: flightTask?.cancel()
        case .read(let number):
            // Cancels the task too: the driver may not have started the read, and then has nothing to cancel.
            flightTask?.cancel()
            if let session {
                run { _ = try? await session.cancelRead() }
            }
            if life.scene == .background { reads[number]?.reason = .readFromBackgroundError }
            after(ReaderEngine.grace) { [weak self] in await self?.abandon(number) }
        case .end: break
        }
    }

    private func performEnd(_ number: Int) {
        guard let session else { return note(.sessionEnded(number: number)) }
        self.session = nil
        run { [weak self] in
            await session.end()
            await self?.note(.sessionEnded(number: number))
        }
        after(ReaderEngine.grace) { [weak self] in await self?.note(.sessionEnded(number: number)) }
    }

    // MARK: The end of a read

    private func finished(_ number: Int, _ result: Result<ReadOutput, PaymentCardReaderSession.ReadError>) async {
        var result = result
        if case .success(var output) = result, let payment = output.payment {
            output.payment = stamped(payment)
            result = .success(output)
        }
        let end: ReadEnd
        switch result {
        case .success: end = .result
        case .failure(let error): end = .error(error)
        }
        let call = reads.removeValue(forKey: number)
        note(.readEnded(number: number, end))
        for canceller in call?.cancellers ?? [] { canceller.resume(returning: end != .result) }
        guard let waiter = call?.waiter else {
            // The caller is gone; the card data still belong to the provider.
            if case .success(let output) = result, let payment = output.payment { await late(payment) }
            return
        }
        if case .failure(.readCancelled) = result, let reason = call?.reason { result = .failure(reason) }
        waiter.resume(returning: result)
    }

    /// Handles a canceled read that the driver does not end: its caller is answered without it.
    private func abandon(_ number: Int) {
        guard life.flight == .read(number: number), var call = reads[number], let waiter = call.waiter else { return }
        let cancellers = call.cancellers
        (call.waiter, call.cancellers) = (nil, [])
        reads[number] = call
        flightTask?.cancel()
        note(.readAbandoned(number: number))
        waiter.resume(returning: .failure(call.reason ?? .readerServiceError))
        for canceller in cancellers { canceller.resume(returning: true) }
    }

    private func stamped(_ payment: PaymentCardReadResult) -> PaymentCardReadResult {
        var payment = payment
        payment.readAt = clock.now()
        readTimes.append((payment.id, clock.now()))
        if readTimes.count > ReaderEngine.mostRemembered { readTimes.removeFirst() }
        return payment
    }

    // MARK: Commands with an answer

    /// Returns the session of a kind, creating it if there is none, or joining a preparation in progress.
    func prepare(
        _ kind: SessionKind, using new: PaymentCardReader.Token?
    ) async throws(PaymentCardReaderError) -> Int {
        if let new { try accept(new) }
        do { try take(.prepare(kind)) } catch { throw error.forReader }
        if life.phase.holdsSession, !life.isDoomed, let session = life.session { return session }
        let id = nextWaiter()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: PreparationWaiter) in
                if Task.isCancelled { return waiter.resume(returning: .failure(.requestInterrupted)) }
                preparing[id] = waiter
                if case .preparing = life.phase {
                } else {
                    // The preparation ended before this caller was registered.
                    preparing[id] = nil
                    waiter.resume(returning: .failure(life.lastError ?? .notReady))
                }
            }
        } onCancel: {
            run { [weak self] in await self?.giveUpPreparing(id) }
        }
        if Task.isCancelled, case .failure = result { giveUpPreparing(id) }
        return try result.get()
    }

    /// Removes a caller. The preparation continues while another caller waits, or if it is automatic.
    private func giveUpPreparing(_ id: UInt64) {
        let waiter = preparing.removeValue(forKey: id)
        waiter?.resume(returning: .failure(.requestInterrupted))
        if preparing.isEmpty, case .preparing(let preparation, _) = life.phase, !preparation.isAutomatic {
            note(.cancelPrepare)
        }
    }

    /// Accepts a token; the same token again changes nothing.
    func accept(_ new: PaymentCardReader.Token) throws(PaymentCardReaderError) {
        guard !new.rawValue.isEmpty else { throw .emptyReaderToken }
        guard new.rawValue.utf8.count <= ReaderTokenFacts.mostBytes else { throw .invalidReaderToken("too long") }
        if new == token, case .valid = life.token { return }
        let facts = ReaderTokenFacts(new, receivedAt: clock.now(), deadlines)
        let old = token
        // The effects that follow use the new token.
        token = new
        do { try take(.tokenReceived(facts)) } catch {
            token = old
            throw error.forReader
        }
        after(facts.until.since(clock.now())) { [weak self] in await self?.tokenIsOver(new) }
    }

    private func tokenIsOver(_ token: PaymentCardReader.Token) {
        if token == self.token { note(.tokenEnded) }
    }

    func link(
        isRelink: Bool, using new: PaymentCardReader.Token
    ) async throws(PaymentCardReaderError) {
        try accept(new)
        do { try take(.link(isRelink: isRelink)) } catch { throw error.forReader }
        let id = nextWaiter()
        let failure = await withCheckedContinuation { waiter in
            guard case .linking = life.phase else { return waiter.resume(returning: linkError) }
            linking[id] = waiter
        }
        if let failure { throw failure }
    }

    /// Performs one read, from the request to the driver's answer.
    func read(
        session: Int,
        _ work:
            @escaping @Sendable (any PaymentCardReaderSessionDriver) async throws(PaymentCardReaderSession.ReadError) ->
            ReadOutput
    ) async throws(PaymentCardReaderSession.ReadError) -> ReadOutput {
        if Task.isCancelled { throw .readCancelled }
        readMail()
        let number = life.lastNumber &+ 1
        reads[number] = ReadCall(work: work)
        do { try take(.read(session: session)) } catch {
            reads[number] = nil
            throw error.forRead
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: ReadWaiter) in
                guard reads[number] != nil else { return waiter.resume(returning: .failure(.readerServiceError)) }
                reads[number]?.waiter = waiter
            }
        } onCancel: {
            run { [weak self] in await self?.note(.cancelRead(number: number)) }
        }
        return try result.get()
    }

    /// Cancels the read and waits for its end; `true` only if its caller got no card.
    func cancelRead() async -> Bool {
        readMail()
        guard case .reading(let number, let step) = life.phase, step != .completed, reads[number] != nil else {
            return false
        }
        note(.cancelRead(number: number))
        return await withCheckedContinuation { waiter in
            guard reads[number] != nil else { return waiter.resume(returning: true) }
            reads[number]?.cancellers.append(waiter)
        }
    }
}

extension ReaderRefusal {
    var forReader: PaymentCardReaderError {
        switch self {
        case .reader(let error): error
        case .read: .notReady
        }
    }

    var forRead: PaymentCardReaderSession.ReadError {
        switch self {
        case .read(let error): error
        case .reader: .readNotAllowed
        }
    }
}

extension ReaderEngine {
    /// Returns `true` if a read was made by this engine within the given time.
    func isWithin(_ span: Span, of read: String) -> Bool {
        guard let at = readTimes.last(where: { $0.id == read })?.at else { return false }
        let age = clock.now().since(at)
        return age.milliseconds >= 0 && age <= span
    }

    /// The identifier of the last read.
    var lastRead: String? { readTimes.last?.id }

    func isCurrent(_ number: Int) -> Bool { life.session == number && !life.isDoomed && life.phase.holdsSession }

    /// Returns the driver's session, while it is the one of that number.
    func session(_ number: Int) -> (any PaymentCardReaderSessionDriver)? { isCurrent(number) ? session : nil }
}
