import Foundation
import Synchronization
import TillCore
import TillTestSupport

@testable import TillTapToPay

/// A driver that does what a test wrote down for it, and keeps books of what it did.
final class ScriptedTapDriver: PaymentCardReaderDriver {
    /// How one call goes.
    enum Step: Sendable {
        case after(Span)
        case fail(PaymentCardReaderError, after: Span = .milliseconds(0))
        case failRead(PaymentCardReaderSession.ReadError, after: Span = .milliseconds(0))
        /// A card comes, but refuses or breaks; it gives data all the same.
        case outcome(PaymentCardReadResult.ReadOutcome, after: Span = .milliseconds(0))
        /// Nothing happens until the call is canceled.
        case waits
        /// Goes on so long whatever is canceled, and then gives what it has.
        case deaf(Span)
    }

    struct Books {
        var prepares = 0
        var links = 0
        var reads = 0
        var ended: [Int] = []
        var begun: [Int] = []
        var given: [String] = []
        var faults: [String] = []
        var underWay: [String] = []
        var tokens: [String] = []
        var isLinked = true
        var prepareSteps: [Step] = []
        var linkSteps: [Step] = []
        var readSteps: [Step] = []
        var stored = 0
    }

    let clock: SimulatedClock
    let executor: TapExecutor
    let unsupported: PaymentCardReaderError?
    let books = Mutex(Books())
    let status = Mutex<@Sendable () -> ReaderStatus?>({ nil })
    let tell = Mutex<@Sendable (PaymentCardReader.Event) -> Void>({ _ in })

    init(clock: SimulatedClock, executor: TapExecutor, unsupported: PaymentCardReaderError?) {
        (self.clock, self.executor, self.unsupported) = (clock, executor, unsupported)
    }

    func script(prepare: [Step] = [], link: [Step] = [], read: [Step] = []) {
        books.withLock {
            $0.prepareSteps += prepare
            $0.linkSteps += link
            $0.readSteps += read
        }
    }

    // MARK: The driver

    func readerIdentifier() async throws(PaymentCardReaderError) -> String { "scripted" }

    func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        books.withLock { $0.isLinked }
    }

    func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let step = begin("link") { books in
            books.links += 1
            return books.linkSteps.isEmpty ? .after(.seconds(1)) : books.linkSteps.removeFirst()
        }
        defer { end("link") }
        try await wait(step)
        books.withLock { $0.isLinked = true }
    }

    func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await linkAccount(using: token)
    }

    func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver {
        books.withLock { $0.tokens.append(token.rawValue) }
        return try await prepare(events)
    }

    func prepareStoreAndForward(
        options: PaymentCardReader.Options, events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any StoreAndForwardSessionDriver { try await prepare(events) }

    private func prepare(
        _ events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> ScriptedTapSession {
        tell.withLock { $0 = events }
        let step = begin("prepare") { books in
            books.prepares += 1
            return books.prepareSteps.isEmpty ? .after(.seconds(2)) : books.prepareSteps.removeFirst()
        }
        defer { end("prepare") }
        guard books.withLock({ $0.isLinked }) else { throw .accountNotLinked }
        events(.updateProgress(10))
        try await wait(step)
        events(.updateProgress(100))
        let number = books.withLock { books in
            books.begun.append(books.prepares)
            return books.prepares
        }
        return ScriptedTapSession(driver: self, number: number)
    }

    // MARK: Small things

    func begin(_ name: String, _ next: (inout Books) -> Step) -> Step {
        books.withLock { books in
            if !books.underWay.isEmpty { books.faults.append("\(name) beside \(books.underWay)") }
            books.underWay.append(name)
            return next(&books)
        }
    }

    func end(_ name: String) { books.withLock { $0.underWay.removeAll { $0 == name } } }

    func sleep(_ span: Span) async -> Bool { (try? await clock.sleep(for: span)) != nil }

    /// Sleeps through every cancellation.
    func sleepDeaf(_ span: Span) async {
        let clock = clock
        await Task(executorPreference: executor) { _ = try? await clock.sleep(for: span) }.value
    }

    private func wait(_ step: Step) async throws(PaymentCardReaderError) {
        switch step {
        case .after(let span), .outcome(_, let span): if !(await sleep(span)) { throw .requestInterrupted }
        case .fail(let error, let span):
            if !(await sleep(span)) { throw .requestInterrupted }
            throw error
        case .failRead(_, let span): _ = await sleep(span)
        case .waits:
            while await sleep(.hours(1)) {}
            throw .requestInterrupted
        case .deaf(let span): await sleepDeaf(span)
        }
    }
}

final class ScriptedTapSession: StoreAndForwardSessionDriver {
    typealias ReadError = PaymentCardReaderSession.ReadError
    let driver: ScriptedTapDriver
    let number: Int
    private let isEnded = Mutex(false)
    private let cancelled = Mutex(false)

    init(driver: ScriptedTapDriver, number: Int) { (self.driver, self.number) = (driver, number) }

    var currentOSVersionDeprecationDate: Timestamp? { nil }

    func end() async {
        if isEnded.withLock({ $0 }) { fault("session \(number) was ended twice") }
        isEnded.withLock { $0 = true }
        if driver.books.withLock({ $0.underWay.contains("read") }) { fault("session \(number) was ended in a read") }
        driver.books.withLock { $0.ended.append(number) }
    }

    func readPaymentCard(
        _ request: PaymentCardTransactionRequest
    ) async throws(ReadError) -> PaymentCardReadResult { try await read() }
    func readPaymentCard(
        _ request: PaymentCardVerificationRequest
    ) async throws(ReadError) -> PaymentCardReadResult { try await read() }
    func readVAS(_ request: VASRequest) async throws(ReadError) -> VASReadResult {
        VASReadResult(id: try await read().id, entries: entries(request))
    }
    func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws(ReadError) -> (PaymentCardReadResult?, VASReadResult?) {
        let card = try await read()
        return (card, VASReadResult(id: card.id, entries: entries(vasRequest)))
    }
    func capturePIN(
        using token: PaymentCardReaderSession.PINToken, cardReaderTransactionID: String
    ) async throws(ReadError) -> PaymentCardReadResult { try await read() }
    func status() async throws(ReadError) -> StoreAndForwardStatus {
        StoreAndForwardStatus(readCount: driver.books.withLock { $0.stored }, expiration: driver.clock.now())
    }
    func decline() async throws(ReadError) {}

    func cancelRead() async throws(ReadError) -> Bool {
        cancelled.withLock { $0 = true }
        return true
    }

    private func entries(_ request: VASRequest) -> [VASReadResult.ReadEntry] {
        request.vasMerchants.map { .init(id: $0.id, customerVASData: Data([1]), status: .success) }
    }

    private func fault(_ text: String) { driver.books.withLock { $0.faults.append(text) } }

    private func read() async throws(ReadError) -> PaymentCardReadResult {
        if Task.isCancelled { throw .readCancelled }
        if isEnded.withLock({ $0 }) { fault("read on session \(number), which was ended") }
        let status = driver.status.withLock { $0 }()
        if status?.scene == .background { fault("read in the background") }
        cancelled.withLock { $0 = false }
        let step = driver.begin("read") { books in
            books.reads += 1
            return books.readSteps.isEmpty ? .after(.seconds(3)) : books.readSteps.removeFirst()
        }
        defer { driver.end("read") }
        let tell = driver.tell.withLock { $0 }
        tell(.readyForTap)
        var outcome = PaymentCardReadResult.ReadOutcome.success
        switch step {
        case .after(let span): try await card(span)
        case .outcome(let other, let span):
            outcome = other
            try await card(span)
        case .failRead(let error, let span):
            try await card(span)
            throw error
        case .fail(_, let span): try await card(span)
        case .waits: try await card(.days(30))
        case .deaf(let span): await driver.sleepDeaf(span)
        }
        tell(.cardDetected)
        tell(outcome == .success ? .readCompleted : .readNotCompleted)
        let id = driver.books.withLock { books in
            books.given.append("read-\(books.reads)")
            return "read-\(books.reads)"
        }
        return PaymentCardReadResult(
            id: id, paymentCardData: "sealed-\(id)", outcome: outcome,
            card: CardSummary(brand: "visa", lastFour: "0119"))
    }

    /// The card comes after so long, unless the read is canceled before.
    private func card(_ span: Span) async throws(ReadError) {
        var rest = span.milliseconds
        while rest > 0 {
            let part = min(rest, 500)
            guard await driver.sleep(.milliseconds(part)), !cancelled.withLock({ $0 }) else {
                driver.tell.withLock { $0 }(.readCancelled)
                throw .readCancelled
            }
            rest -= part
        }
    }
}
