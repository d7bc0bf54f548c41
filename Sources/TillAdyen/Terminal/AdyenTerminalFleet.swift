internal import Synchronization
internal import TillCore
internal import TillHardware
internal import TillProvider

/// A shop's Adyen terminal as a fleet of one reader.
struct AdyenTerminalFleet: ReaderFleet {
    let terminal: AdyenTerminalProvider

    private var id: String { terminal.terminal.terminal }
    private var reader: CounterReader {
        CounterReader(
            id: id, label: id, deviceType: String(id.prefix { $0 != "-" }),
            action: terminal.activity.waiting.isEmpty
                ? nil : ReaderAction(.payment, kind: "payment", status: .inProgress))
    }

    var provider: ProviderName { AdyenTerminalProvider.name }
    var capturesLater: Bool { false }
    var standing: CounterReader? { reader }

    func readers() async throws(ReaderError) -> [CounterReader] { [reader] }

    func reader(named name: String) async throws(ReaderError) -> CounterReader {
        guard name.lowercased() == id.lowercased() else { throw .notFound(name) }
        return reader
    }

    func tender(at reader: CounterReader, tipping: CardPresentPayload.Tipping?) -> Tender { terminal.tender }

    func cancel(_ id: String) async throws(ReaderError) -> CounterReader {
        let reader = try await reader(named: id)
        guard let attempt = terminal.activity.waiting.last else {
            throw ReaderError(
                .refused, code: "reader_not_waiting", "No sale of this counter waits at \(reader.label).",
                next: "Begin a sale at it, or cancel it at the terminal itself.")
        }
        do throws(AdyenTerminalError) { try await terminal.abort(attempt) } catch {
            throw ReaderError(
                .unavailable, code: "reader_unavailable",
                "\(reader.label) could not be stopped: \(error.reason).",
                next: "Cancel it at the terminal itself.")
        }
        return reader
    }

    func cancelWaiting() async -> [String] {
        var isLeft = false
        for attempt in terminal.activity.waiting {
            do throws(AdyenTerminalError) { try await terminal.abort(attempt) } catch { isLeft = true }
        }
        return isLeft ? [reader.label] : []
    }

    func steps() -> AsyncStream<ReaderStep> { terminal.activity.feed.steps() }
}

/// The activity of a terminal in this process: the sales that await its answer, and the subscribers.
final class AdyenTerminalActivity: Sendable {
    let feed = ReaderFeed()
    private let attempts = Mutex<[AttemptID]>([])

    /// The attempts that await an answer, the newest last.
    var waiting: [AttemptID] { attempts.withLock { $0 } }

    /// Performs a request to the terminal and reports its progress.
    func follow(
        _ context: AttemptContext, at reader: String, _ ask: () async -> ProviderAnswer<Authorization>
    ) async -> ProviderAnswer<Authorization> {
        func tell(_ type: CardReaderEventType, _ message: String? = nil) {
            feed.tell(
                ReaderStep(
                    account: context.account, payment: context.payment, reader: reader,
                    event: CardReaderEvent(type, message: message)))
        }
        attempts.withLock { $0.append(context.attempt) }
        tell(.waitingForInput)
        let answer = await ask()
        attempts.withLock { $0.removeAll { $0 == context.attempt } }
        switch answer {
        case .approved: tell(.approved)
        case .declined(let decline):
            tell(decline.reason == .canceledAtReader ? .canceled : .declined, decline.reason.customerSentence)
        case .unknown: tell(.outcomeUnknown)
        case .requiresAction, .stored, .notSent, .keyRejected: break
        }
        return answer
    }
}
