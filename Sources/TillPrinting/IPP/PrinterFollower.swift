import TillCore

/// Follows jobs to their end, and finds jobs after their number was lost.
struct PrinterFollower: Sendable {
    let client: IPPClient
    let clock: any TillClock

    /// The job states that matter here. RFC 8011, 5.3.7.
    private enum JobState {
        static let pending = 3
        static let held = 4
        static let canceled = 7
        static let aborted = 8
        static let completed = 9
    }

    /// Returns the printer's current state.
    func state() async throws(IPPError) -> PrinterState {
        PrinterState(
            try await client.printerAttributes([
                "printer-state", "printer-state-reasons", "printer-state-message",
            ]))
    }

    /// Follows a job until it has ended or the deadline has passed.
    /// - Parameters:
    ///   - name: the job's own name: a printer that was power-cycled may assign its number to another job.
    ///   - beginningBy: the time by which the printer must have started; `nil`: the end.
    /// - Throws: ``IPPError/neverBegan(_:)`` if the printer had not started by then and canceled the job.
    func follow(
        _ job: Int, named name: String, beginningBy: Timestamp? = nil, until end: Timestamp, _ listener: PrintListener
    ) async throws(IPPError) -> PrintOutcome {
        var last: PrinterState?
        var pause = Span.milliseconds(100)
        var silence = ""
        while true {
            do throws(IPPError) {
                let attributes = try await client.jobAttributes(job)
                guard PrinterFollower.isNamed(name, attributes) else { throw .refused(status: 0x0406, message: "") }
                if let ended = PrinterFollower.outcome(attributes) { return ended }
                silence = ""
                if let beginningBy, clock.now() >= beginningBy, PrinterFollower.waits(attributes) { break }
                let state = try await state()
                if state != last {
                    last = state
                    await report(.state(state), to: listener)
                }
            } catch {
                // A printer forgets completed jobs.
                if case .refused(0x0406, _) = error {
                    return .mayHavePrinted("The printer does not know the job any more.")
                }
                silence = error.what
            }
            guard clock.now() < end, !Task.isCancelled else { break }
            guard await clock.pause(for: pause) else { break }
            pause = min(.seconds(2), Span.milliseconds(pause.milliseconds * 3 / 2))
        }
        let why = silence.isEmpty ? last.map(\.sentence) ?? "It is not done yet." : silence
        return try await giveUp(job, why)
    }

    /// Handles an expired deadline: a job that has not started is canceled, so that it does not print unattended later.
    private func giveUp(_ job: Int, _ why: String) async throws(IPPError) -> PrintOutcome {
        let stays = PrintOutcome.mayHavePrinted("The printer has it and has not finished. \(why)")
        let after: [IPPAttribute]
        do throws(IPPError) {
            guard PrinterFollower.waits(try await client.jobAttributes(job)) else { return stays }
            try await client.cancel(job)
            after = try await client.jobAttributes(job)
        } catch {
            return .mayHavePrinted(
                "The printer has it and has not finished. It is not known to be canceled. "
                    + (why == error.what ? why : "\(error.what) \(why)"))
        }
        switch PrinterFollower.outcome(after) {
        case .failed: throw .neverBegan(why)
        case .some(let ended): return ended
        case nil: return stays
        }
    }

    /// Returns `true` if the printer has not started a job.
    private static func waits(_ attributes: [IPPAttribute]) -> Bool {
        let state = attributes.int("job-state")
        return state == JobState.pending || state == JobState.held
    }

    /// Returns the outcome of a job; `nil` while it has not ended.
    static func outcome(_ attributes: [IPPAttribute]) -> PrintOutcome? {
        let reasons = attributes.strings("job-state-reasons").filter { $0 != "none" }.joined(separator: ", ")
        let words = attributes.strings("job-state-message").first ?? ""
        let all = [words, reasons].filter { !$0.isEmpty }.joined(separator: " — ")
        let why = all.isEmpty ? "." : ": \(String(PrinterWords.plain(all).prefix(200)))."
        return switch attributes.int("job-state") {
        case JobState.completed: .printed
        case JobState.canceled: .failed("It was canceled at the printer\(why)")
        case JobState.aborted: .failed("The printer gave up\(why)")
        default: nil
        }
    }

    /// Returns `true` if a job has this name, or the printer reports no names.
    static func isNamed(_ name: String, _ attributes: [IPPAttribute]) -> Bool {
        attributes.strings("job-name").first.map { $0 == name } ?? true
    }

    /// Returns the number of the newest job of a name; `nil` if the printer lists none.
    /// - Throws: ``IPPError`` if one of the printer's lists is unavailable and the job is not in the other.
    func find(named name: String) async throws(IPPError) -> Int? {
        var failure: IPPError?
        for isDone in [false, true] {
            do throws(IPPError) {
                let jobs = try await client.jobs(done: isDone)
                let numbers = jobs.filter { $0.strings("job-name").first == name }.compactMap { $0.int("job-id") }
                if let newest = numbers.max() { return newest }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return nil
    }

    /// Cancels a job that never received its document, so that it does not block the printer.
    func discard(_ number: Int? = nil, named name: String) async {
        do throws(IPPError) {
            var job = number
            if job == nil { job = try await find(named: name) }
            guard let job else { return }
            let attributes = try await client.jobAttributes(job)
            guard PrinterFollower.isNamed(name, attributes), PrinterFollower.outcome(attributes) == nil else { return }
            await callOff(job)
        } catch {
            // The job cannot be identified, so none is canceled.
        }
    }

    /// Cancels a job without a document.
    func callOff(_ job: Int) async {
        do throws(IPPError) { try await client.cancel(job) } catch {
            // The job has nothing to print: at worst it blocks the printer until the printer's own timeout.
        }
    }
}

/// Cleans a printer's texts for display.
enum PrinterWords {
    /// Removes control characters; a printer's texts end up on screens.
    static func plain(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F && !$0.properties.isBidiControl })
    }
}
