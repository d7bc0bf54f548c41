public import TillCore

extension ReaderLifecycle {
    /// Returns the changes caused by an input; none for an obsolete input, such as the end of an abandoned call.
    /// - Throws: ``ReaderRefusal`` for a command that cannot be followed now.
    public func decide(_ input: ReaderInput, at now: Timestamp) throws(ReaderRefusal) -> [ReaderChange] {
        switch input {
        case .accountKnown(let isLinked):
            isLinked ? (phase == .unlinked ? [.phase(.idle)] : []) : (phase == .idle ? [.phase(.unlinked)] : [])
        case .link(let isRelink): try link(isRelink: isRelink)
        case .linkEnded(let error): linkEnded(error, now)
        case .prepare(let kind): try prepare(kind, now)
        case .prepared(let number): prepared(number, now)
        case .prepareFailed(let number, let error):
            (flight == .prepare(number: number) ? [.flightEnded] : []) + failed(number, error, now)
        case .prepareOverdue(let number): failed(number, .prepareFailed("it took too long"), now)
        case .cancelPrepare: cancelPrepare()
        case .read(let session): try read(session, now)
        case .reported(let event): reported(event, now)
        case .cancelRead(let number): cancelRead(number)
        case .readEnded(let number, let end): readEnded(number, end, now)
        case .readAbandoned(let number): readAbandoned(number, now)
        case .sessionEnded(let number): flight == .end(number: number) ? [.flightEnded] : []
        case .entersBackground: entersBackground()
        case .entersForeground: [.scene(.foreground)] + (phase == .idle ? resumed(now, in: .foreground) : [])
        case .pauseEnded: pauseEnded(now)
        case .tokenReceived(let facts): try tokenReceived(facts, now)
        case .tokenEnded: tokenEnded()
        case .stored(let count): [.stored(count: count, issuer: count == 0 ? nil : storedIssuer ?? token.issuer)]
        case .close: close()
        }
    }

    // MARK: Linking

    private func link(isRelink: Bool) throws(ReaderRefusal) -> [ReaderChange] {
        if case .unsupported(let error) = phase { throw .reader(error) }
        guard scene == .foreground else { throw .reader(.backgroundRequestNotAllowed) }
        switch phase {
        case .linking: return []
        case .preparing, .reading: throw .reader(.readerBusy)
        case .ready, .result: return [.sessionDoomed, .phase(.linking(isRelink: isRelink))]
        case .unsupported, .idle, .unlinked, .pausing: return [.phase(.linking(isRelink: isRelink))]
        }
    }

    private func linkEnded(_ error: PaymentCardReaderError?, _ now: Timestamp) -> [ReaderChange] {
        let ended: [ReaderChange] = flight == .link ? [.flightEnded] : []
        guard case .linking = phase else { return ended }
        guard let error, error != .accountAlreadyLinked else {
            return ended + [.phase(.idle)] + resumed(now, in: scene)
        }
        return ended + [.failed(error), .phase(.unlinked)]
    }

    // MARK: Preparing

    private func prepare(_ kind: SessionKind, _ now: Timestamp) throws(ReaderRefusal) -> [ReaderChange] {
        if case .unsupported(let error) = phase { throw .reader(error) }
        guard scene == .foreground else { throw .reader(.backgroundRequestNotAllowed) }
        if kind == .online, !token.isUsable(at: now) {
            throw .reader(token == .none ? .emptyReaderToken : .tokenExpired)
        }
        if kind == .storeAndForward, let lastOnline, now.since(lastOnline) > deadlines.offlineFreshness {
            throw .reader(.storeAndForwardSessionExpired)
        }
        switch phase {
        case .linking: throw .reader(.readerBusy)
        case .preparing(var preparation, let percent):
            guard preparation.kind == kind else { throw .reader(.readerBusy) }
            // A caller waits for it now, so its failure is reported instead of retried.
            preparation.isAutomatic = false
            return [.phase(.preparing(preparation, percent: percent))]
        case .reading:
            guard sessionKind == kind else { throw .reader(.readerBusy) }
            return []
        case .ready, .result:
            return sessionKind == kind && !isDoomed ? [] : [.sessionDoomed] + begin(kind, isAutomatic: false)
        case .unsupported, .idle, .unlinked, .pausing:
            return [.failures(0)] + begin(kind, isAutomatic: false)
        }
    }

    private func begin(_ kind: SessionKind, isAutomatic: Bool) -> [ReaderChange] {
        let number = lastNumber &+ 1
        let preparation = Preparation(number: number, kind: kind, isAutomatic: isAutomatic)
        return [.wants(kind), .counted(number), .failed(nil), .phase(.preparing(preparation, percent: 0))]
    }

    /// Starts a new session for a reader without one, if it is wanted and possible.
    private func resumed(
        _ now: Timestamp, in scene: ReaderScene, with token: TokenStanding? = nil
    ) -> [ReaderChange] {
        guard let wants, scene == .foreground, wants == .storeAndForward || (token ?? self.token).isUsable(at: now)
        else { return [] }
        return begin(wants, isAutomatic: true)
    }

    private func prepared(_ number: Int, _ now: Timestamp) -> [ReaderChange] {
        guard flight == .prepare(number: number) else { return [] }
        guard case .preparing(let preparation, _) = phase, preparation.number == number else {
            // Too late: the session begins only to be ended, because no phase holds it.
            return [.flightEnded, .sessionBegan(number: number, .online), .sessionDoomed]
        }
        return [.flightEnded, .sessionBegan(number: number, preparation.kind), .failures(0)]
            + (preparation.kind == .online ? [.online(now)] : []) + [.phase(.ready)]
    }

    private func failed(_ number: Int, _ error: PaymentCardReaderError, _ now: Timestamp) -> [ReaderChange] {
        guard case .preparing(let preparation, _) = phase, preparation.number == number else { return [] }
        let said: [ReaderChange] = [.failed(error)]
        switch error {
        case .unsupported, .osVersionNotSupported, .modelNotSupported: return said + [.phase(.unsupported(error))]
        case .accountNotLinked, .accountDeactivated: return said + [.phase(.unlinked)]
        default: break
        }
        switch error.facts.recovery {
        case .renewToken: return said + [.token(.over(issuer: token.issuer)), .phase(.idle)]
        case .again, .prepare:
            guard preparation.isAutomatic, failures < ReaderLifecycle.mostFailures else {
                return said + [.failures(0), .phase(.idle)]
            }
            let until = now.adding(deadlines.backOff(attempt: failures + 1))
            return said + [.failures(failures + 1), .phase(.pausing(until: until))]
        case .none, .link: return said + [.failures(0), .phase(.idle), .wants(nil)]
        }
    }

    private func cancelPrepare() -> [ReaderChange] {
        switch phase {
        case .preparing, .pausing: [.wants(nil), .phase(.idle)]
        case .unsupported, .idle, .unlinked, .linking, .ready, .reading, .result: []
        }
    }

    private func pauseEnded(_ now: Timestamp) -> [ReaderChange] {
        guard case .pausing(let until) = phase, now >= until else { return [] }
        return [.phase(.idle)] + resumed(now, in: scene)
    }

    // MARK: Reading

    private func read(_ session: Int, _ now: Timestamp) throws(ReaderRefusal) -> [ReaderChange] {
        if case .unsupported = phase { throw .read(.readerNotAvailable) }
        guard scene == .foreground else { throw .read(.readFromBackgroundError) }
        guard phase.holdsSession else { throw .read(session > 0 ? .readerSessionExpired : .noReaderSession) }
        guard session == self.session, !isDoomed else { throw .read(.readerSessionExpired) }
        if case .reading = phase { throw .read(.readerSessionBusy) }
        guard flight == nil else { throw .read(.readerSessionBusy) }
        guard sessionKind == .storeAndForward || token.isUsable(at: now) else { throw .read(.readerTokenExpired) }
        let number = lastNumber &+ 1
        return [.counted(number), .phase(.reading(number: number, .asked))]
    }

    private func reported(_ event: PaymentCardReader.Event, _ now: Timestamp) -> [ReaderChange] {
        switch (phase, event) {
        case (.preparing(let preparation, let percent), .updateProgress(let new)):
            return [.phase(.preparing(preparation, percent: max(percent, min(max(new, 0), 100))))]
        case (.reading(let number, let step), _):
            // A canceled or completed read stays so, regardless of later events from the reader.
            guard step != .canceling, step != .completed, let next = ReadStep(event) else { return [] }
            return [.phase(.reading(number: number, next))]
        case (.ready, .notReady), (.result, .notReady): return lost(now)
        default: return []
        }
    }

    private func cancelRead(_ wanted: Int?) -> [ReaderChange] {
        guard case .reading(let number, let step) = phase, wanted ?? number == number, step != .completed,
            step != .canceling
        else { return [] }
        return [.phase(.reading(number: number, .canceling))]
    }

    private func readEnded(_ number: Int, _ end: ReadEnd, _ now: Timestamp) -> [ReaderChange] {
        let ended: [ReaderChange] = flight == .read(number: number) ? [.flightEnded] : []
        guard case .reading(number, _) = phase else { return ended }
        if case .error(let error) = end {
            switch error.facts.recovery {
            case .prepare: return ended + lost(now)
            case .renewToken:
                return ended + [.sessionDoomed, .token(.over(issuer: token.issuer)), .phase(.idle)]
            case .none, .again, .link: break
            }
        }
        let isOfNoUse = isDoomed || (sessionKind == .online && !token.isUsable(at: now))
        return ended + (isOfNoUse ? lost(now) : [.phase(.result(number: number, end))])
    }

    private func readAbandoned(_ number: Int, _ now: Timestamp) -> [ReaderChange] {
        guard case .reading(number, .canceling) = phase else { return [] }
        return lost(now)
    }

    /// Ends a lost session; a new one is prepared if wanted.
    private func lost(_ now: Timestamp) -> [ReaderChange] {
        [.sessionDoomed, .phase(.idle)] + resumed(now, in: scene)
    }

    // MARK: Scene, token, end

    private func entersBackground() -> [ReaderChange] {
        switch phase {
        case .preparing, .pausing, .ready, .reading, .result:
            [.scene(.background), .failures(0), .sessionDoomed, .phase(.idle)]
        case .unsupported, .idle, .unlinked, .linking: [.scene(.background)]
        }
    }

    private func tokenReceived(_ facts: ReaderTokenFacts, _ now: Timestamp) throws(ReaderRefusal) -> [ReaderChange] {
        guard now < facts.until else { throw .reader(.tokenExpired) }
        if storedCount > 0, let storedIssuer, storedIssuer != facts.issuer {
            throw .reader(.storeAndForwardTokenIssuerChanged)
        }
        let changes: [ReaderChange] = [.token(.valid(facts))]
        // A session belongs to its token's issuer.
        let isOther = token != .none && token.issuer != facts.issuer
        switch phase {
        case .idle: return changes + resumed(now, in: scene, with: .valid(facts))
        case .ready, .result:
            guard isOther, sessionKind == .online else { return changes }
            return changes + [.sessionDoomed] + begin(.online, isAutomatic: true)
        case .reading: return changes + (isOther && sessionKind == .online ? [.sessionDoomed] : [])
        case .preparing(let preparation, _):
            guard isOther, preparation.kind == .online else { return changes }
            return changes + begin(.online, isAutomatic: preparation.isAutomatic)
        case .unsupported, .unlinked, .linking, .pausing: return changes
        }
    }

    private func tokenEnded() -> [ReaderChange] {
        guard case .valid(let facts) = token else { return [] }
        let over: [ReaderChange] = [.token(.over(issuer: facts.issuer))]
        switch phase {
        case .ready, .result: return over + (sessionKind == .online ? [.sessionDoomed, .phase(.idle)] : [])
        case .preparing(let preparation, _): return over + (preparation.kind == .online ? [.phase(.idle)] : [])
        case .pausing: return over + [.phase(.idle)]
        case .unsupported, .idle, .unlinked, .linking, .reading: return over
        }
    }

    private func close() -> [ReaderChange] {
        if case .unsupported = phase { return [] }
        return [.wants(nil), .token(.none), .failures(0), .sessionDoomed, .phase(.idle)]
    }
}
