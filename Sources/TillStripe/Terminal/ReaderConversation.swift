public import TillCore
internal import TillHardware

/// The conversation with a smart reader: a command about one payment intent or one refund, and queries until its end.
///
/// A reader has one slot, with the latest action of any till, and its report may be late, outdated or wrong. Money has
/// certainly moved when the payment intent shows it; it has certainly not moved when the intent shows a new decline by
/// the issuer, or is canceled so that no card can pay it any more. A reader's report alone establishes neither. Of a
/// refund only Stripe's list tells.
///
/// Each loop has a limit, and ends when its task is canceled: no command is sent after that.
struct ReaderConversation: Sendable {
    let terminal: StripeTerminal
    let reader: String
    /// Waits for a span at most.
    let pause: @Sendable (Span) async -> Void
    let progress: @Sendable (Progress) async -> Void

    enum Progress {
        /// A refund command leaves now, or may have left as late as now.
        case sending
        /// The reader has its command, or may have it.
        case asked
        case charging
    }

    /// A command about a payment intent: it processes the intent, collects a card or confirms a collected one.
    struct Sale: Sendable {
        let intent: ProviderReference
        /// The amount without a tip.
        let amount: Money
        let kind: TerminalAction.Kind
        let command: StripeRequest
        /// The charges from before the command: only a new one is news. Before the first query `nil` to read the
        /// declined one.
        var charges: Set<String>?
        /// Cancels the intent, so that no card can be charged from here on, whatever the reader still does. Returns
        /// `false` if a card may have been charged just now.
        let forgo: @Sendable () async -> Bool
        /// The action in the slot before the command.
        var before: TerminalAction?

        /// The time limit for presenting a card; `nil` if none is waited for.
        var collectionTime: Span? { kind == .confirmPaymentIntent ? nil : StripeTerminal.collectionTime }
        var charging: Bool { kind != .collectPaymentMethod }
    }

    enum Outcome {
        /// The money is held or captured, and the whole amount is covered.
        case moved(StripeIntentNow)
        /// The card is collected; nothing is charged.
        case collected(StripeIntentNow, TerminalAction)
        /// Certainly nothing was charged. The intent as it was read, unless it was canceled to be certain.
        case notMoved(Cause, StripeIntentNow?)
        /// The command was certainly not carried out.
        case notDone(StripeTerminalError)
        case open(String)
        /// The task was canceled; whatever was asked for may still happen.
        case abandoned
    }

    /// The reason that nothing was charged.
    enum Cause {
        /// Another action occupies the slot.
        case occupied(TerminalAction)
        case refused(StripeTerminalError)
        case reported(TerminalAction)
        case issuer(Decline)
        /// The command is not in the slot any more.
        case dropped
        /// Nobody presented a card in time.
        case nobody
        case intentCanceled
    }

    struct End {
        let outcome: Outcome
        /// `true` if the reader had the command, or may have had it.
        var wasAsked = false
        /// `true` if a card was being charged.
        var hadCard = false
    }

    private enum Poll {
        case end(Outcome)
        case collecting
        case charging
        /// The reader reports the end of the action.
        case over(TerminalAction)
        /// The slot is empty, or holds another or an earlier action.
        case gone
        /// Nothing could be read.
        case blind
    }

    /// Sends a command and waits for its end.
    func sell(_ asked: Sale) async -> End {
        var sale = asked
        if sale.charges == nil {
            guard case .success(let now) = await terminal.intent(sale.intent) else {
                return End(outcome: .notDone(StripeTerminalError(.notSent, "the payment intent could not be read")))
            }
            sale.charges = Set([now.intent.failedCharge].compactMap { $0 })
        }
        if let now = try? await terminal.reader(reader) {
            // A collected card is confirmed in any case: this till was the first at the reader.
            if sale.collectionTime != nil, let other = now.action?.occupies(except: sale.intent) {
                return End(outcome: .notMoved(.occupied(other), nil))
            }
            sale.before = now.action
        } else if sale.kind == .collectPaymentMethod {
            // An earlier collection in the slot could not be told from this one.
            return End(outcome: .notDone(StripeTerminalError(.notSent, "the reader could not be read")))
        }
        guard !Task.isCancelled else { return End(outcome: .abandoned) }
        var isCertain = true
        do throws(StripeTerminalError) {
            _ = try await terminal.read(sale.command, TerminalReader.init, isAboutMoney: sale.charging)
        } catch {
            switch error.certainty {
            case .notSent, .notNow, .keyRejected: return End(outcome: .notDone(error))
            case .refused where !error.mayHaveArrived: return End(outcome: await refused(error, sale))
            case .refused, .kept, .unknown: isCertain = false
            }
        }
        await progress(.asked)
        return await watch(sale, isCertain: isCertain)
    }

    /// Resolves a refused command: unless the intent shows otherwise, nothing was charged.
    private func refused(_ error: StripeTerminalError, _ sale: Sale) async -> Outcome {
        guard case .success(let now) = await terminal.intent(sale.intent) else {
            return .open("the payment intent could not be read after a refusal")
        }
        if now.isUnpaid || now.status == .canceled { return .notMoved(.refused(error), now) }
        return settled(now, sale) ?? .open("the payment intent is \(now.intent.status)")
    }

    private func watch(_ sale: Sale, isCertain: Bool) async -> End {
        let began = terminal.clock.now()
        let limit = (sale.collectionTime ?? StripeTerminal.confirmationTime).milliseconds
        var (isShown, isCharging, isCalledOff) = (false, false, false)
        var polls = StripeTerminal.firstPolls[...]
        func end(_ outcome: Outcome) -> End { End(outcome: outcome, wasAsked: true, hadCard: isCharging) }
        while !Task.isCancelled {
            let age = terminal.clock.now().since(began)
            guard age.milliseconds < limit + StripeTerminal.chargingTime.milliseconds else {
                return end(.open("the reader did not come to an end in time"))
            }
            switch await poll(sale) {
            case .end(let outcome): return end(outcome)
            case .collecting: isShown = true
            case .charging:
                if !isCharging { await progress(.charging) }
                (isShown, isCharging) = (true, true)
            case .over(let action):
                isShown = true
                if let outcome = await ended(.reported(action), sale, action) { return end(outcome) }
            case .gone:
                // Another action in the slot indicates an end only after our command has appeared there; before that,
                // the slot may be out of date.
                if isShown || (isCertain && age >= StripeTerminal.grace) {
                    if let outcome = await ended(isCalledOff ? .nobody : .dropped, sale) { return end(outcome) }
                } else if age >= StripeTerminal.grace {
                    return end(.open("the reader does not show the command"))
                }
            case .blind: break
            }
            // Nobody presented a card.
            if let time = sale.collectionTime, age >= time, !isCharging, !isCalledOff, isShown, !Task.isCancelled {
                isCalledOff = await cancelAction("\(sale.command.key?.rawValue ?? "")-calloff")
            }
            await pause(polls.popFirst() ?? StripeTerminal.pollInterval)
        }
        return end(.abandoned)
    }

    private func poll(_ sale: Sale) async -> Poll {
        guard case .success(let now) = await terminal.intent(sale.intent) else { return .blind }
        if let outcome = settled(now, sale) { return .end(outcome) }
        if now.status == .processing { return .charging }
        guard !Task.isCancelled, let state = try? await terminal.reader(reader) else { return .blind }
        guard let action = state.action, action.kind == sale.kind, action.paymentIntent == sale.intent else {
            return .gone
        }
        switch action.status {
        case .failed, .succeeded:
            // The action from before the command is no response to it, unless the issuer was asked since.
            return action == sale.before && !isNewRefusal(now, sale) ? .gone : .over(action)
        default: return .collecting
        }
    }

    private func isNewRefusal(_ now: StripeIntentNow, _ sale: Sale) -> Bool {
        now.intent.failedCharge.map { sale.charges?.contains($0) != true } ?? false
    }

    /// Cancels the reader's action. Returns `true` once the reader has released it.
    func cancelAction(_ key: String) async -> Bool {
        (try? await terminal.cancelAction(at: reader, key: IdempotencyKey(rawValue: key))) != nil
    }

    /// Resolves an action that ended, or is gone, from the intent. Returns `nil` while the outcome is uncertain.
    private func ended(_ cause: Cause, _ sale: Sale, _ action: TerminalAction? = nil) async -> Outcome? {
        guard !Task.isCancelled, case .success(let now) = await terminal.intent(sale.intent) else { return nil }
        if let outcome = settled(now, sale) { return outcome }
        guard now.isUnpaid else { return nil }
        let hasSucceeded = action?.status == .succeeded
        guard sale.charging else {
            return action.flatMap { hasSucceeded ? .collected(now, $0) : nil } ?? .notMoved(cause, now)
        }
        if hasSucceeded { return .open("the reader says yes, the payment intent no") }
        if isNewRefusal(now, sale) {
            let isOwnFailure = action.map { StripeCodes.reader[$0.failureCode ?? ""] == nil } ?? true
            return .notMoved(isOwnFailure ? now.intent.lastError.map { .issuer($0) } ?? cause : cause, now)
        }
        guard !Task.isCancelled, await sale.forgo() else { return nil }
        return .notMoved(cause, nil)
    }

    /// Returns the definite outcome from the intent; `nil` while it is open.
    private func settled(_ now: StripeIntentNow, _ sale: Sale) -> Outcome? {
        let intent = now.intent
        switch now.status {
        case .requiresCapture, .succeeded:
            let covered = (now.status == .succeeded ? intent.received : intent.capturable) ?? intent.amount
            guard intent.base == sale.amount, covered == intent.amount else { return .open("amount mismatch") }
            return .moved(now)
        case .canceled: return .notMoved(.intentCanceled, now)
        case .requiresAction: return .open("the payment intent waits for the customer")
        default: return nil
        }
    }
}

extension ReaderConversation.Cause {
    /// The reason in the journal's terms.
    var decline: Decline {
        switch self {
        case .occupied(let action):
            Decline(
                reason: .readerBusy, code: "terminal_reader_busy",
                message: "the reader is busy with \(action.kind.rawValue)")
        case .refused(let error):
            Decline(
                reason: (error.declineCode ?? error.providerCode).flatMap { StripeCodes.readerReason($0) }
                    ?? .invalidRequest, code: error.declineCode ?? error.providerCode,
                message: error.providerMessage, requestID: error.requestID)
        case .reported(let action): action.decline
        case .issuer(let decline): decline
        case .dropped: Decline(reason: .canceledAtReader, code: "canceled")
        case .nobody: Decline(reason: .noCardPresented, code: "reader_timeout")
        case .intentCanceled:
            Decline(reason: .canceledAtReader, code: "canceled", message: "the intent was canceled")
        }
    }
}

extension TerminalAction {
    /// Returns itself if it occupies the reader's only slot, unless it is about the given intent.
    func occupies(except intent: ProviderReference?) -> TerminalAction? {
        status == .inProgress && kind != .setReaderDisplay && (intent == nil || paymentIntent != intent) ? self : nil
    }
}

extension StripeTerminalError {
    /// `true` for a refusal that does not exclude that the reader has the command.
    var mayHaveArrived: Bool { providerCode == "terminal_reader_timeout" }
}

extension StripeTerminal {
    /// The time limit for presenting a card.
    public static let collectionTime = Span.seconds(120)
    /// The time limit for the charge after that.
    public static let chargingTime = Span.seconds(25)
    /// The time limit for charging a card that was collected before: with ``chargingTime`` shorter than that of a
    /// reader service.
    public static let confirmationTime = Span.seconds(30)
    /// The maximum interval between two queries; a webhook shortens it.
    public static let pollInterval = Span.milliseconds(700)
    /// The shorter intervals of the first queries.
    public static let firstPolls: [Span] = [.milliseconds(60), .milliseconds(120), .milliseconds(250)]
    /// The maximum time for a command with a lost response to appear at the reader.
    public static let grace = Span.seconds(5)
}
