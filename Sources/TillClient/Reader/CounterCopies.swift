import TillCore
import TillHardware

/// The copies of one confirmation that were sent, as far as they have no answer.
struct CounterCopies: Hashable, Sendable {
    /// The number of copies that have no answer: each may still arrive.
    var open = 0
    /// `true` if another one was answered with the payment.
    var isAnswered = false

    /// `true` if a copy may still arrive after the one that began the last attempt.
    var mayFollow: Bool { open > 1 || (open == 1 && isAnswered) }
}

/// The copies of a request that one confirmation sends under its key, oldest first.
struct CounterSendings {
    private enum Copy {
        case underWay
        /// It may have arrived; it had no answer.
        case unanswered(CardReaderFailure)
        /// The counter was at work for its key, so it began nothing itself.
        case inProgress(CardReaderFailure)
        /// Nothing of it was sent.
        case notSent(CardReaderFailure)
        /// The counter refused it.
        case refused(CardReaderFailure)
        /// It was answered with the payment.
        case answered
    }

    /// The copies of earlier calls.
    let earlier: CounterCopies
    private var all: [Copy] = []
    /// The number of queries that had been answered when the last copy was sent.
    private(set) var lastSent: Int64 = 0

    init(after earlier: CounterCopies) { self.earlier = earlier }

    /// Notes another copy, and returns its number.
    mutating func send(at queries: Int64) -> Int {
        all.append(.underWay)
        lastSent = queries
        return all.count - 1
    }

    /// Notes the end of a copy.
    mutating func end(_ number: Int, _ result: Result<CounterPayment, CounterError>) {
        switch result {
        case .success: all[number] = .answered
        case .failure(let error):
            let failure = CardReaderFailure(error)
            switch error {
            case .refused: all[number] = .refused(failure)
            case .notSent: all[number] = .notSent(failure)
            case .outcomeUnknown(let unknown) where unknown.problem?.code == .requestInProgress:
                all[number] = .inProgress(failure)
            case .notAnswered, .outcomeUnknown, .mismatch: all[number] = .unanswered(failure)
            }
        }
    }

    /// Everything that has no answer, with the copies of earlier calls.
    var copies: CounterCopies {
        var copies = earlier
        for copy in all {
            switch copy {
            case .underWay, .unanswered: copies.open += 1
            case .answered: copies.isAnswered = true
            case .inProgress, .notSent, .refused: break
            }
        }
        return copies
    }

    var isEmpty: Bool { all.isEmpty }
    var isAnswered: Bool { all.contains { if case .answered = $0 { true } else { false } } }
    var isUnderWay: Bool { isUnderWay(from: 0) }
    /// `true` if a copy was told that the counter is at work for the key.
    var isInProgress: Bool { all.contains { if case .inProgress = $0 { true } else { false } } }
    /// `true` if nothing of any copy was sent.
    var areAllUnsent: Bool {
        earlier.open == 0 && all.allSatisfy { if case .notSent = $0 { true } else { false } }
    }
    /// The number of copies that count against the limit: what is in progress is asked for again for as long as that
    /// lasts.
    var counted: Int { all.count { if case .inProgress = $0 { false } else { true } } }

    /// The last refusal; `isLast` is `false` while a later copy is under way.
    var refusal: (failure: CardReaderFailure, isLast: Bool)? {
        for (number, copy) in all.enumerated().reversed() {
            if case .refused(let failure) = copy { return (failure, !isUnderWay(from: number)) }
        }
        return nil
    }

    /// The failure of the last copy that has one.
    var lastFailure: CardReaderFailure? {
        for copy in all.reversed() {
            switch copy {
            case .unanswered(let failure), .inProgress(let failure), .notSent(let failure), .refused(let failure):
                return failure
            case .underWay, .answered: continue
            }
        }
        return nil
    }

    private func isUnderWay(from number: Int) -> Bool {
        all[number...].contains { if case .underWay = $0 { true } else { false } }
    }
}

/// The requests of a driver's confirmations that are under way, by reader.
final class CounterPosts: Sendable {
    private let open = Guarded<[String: Int]>([:])

    func begin(_ reader: String) { open.withLock { $0[reader, default: 0] += 1 } }

    func end(_ reader: String) {
        open.withLock { open in
            guard let count = open[reader] else { return }
            open[reader] = count > 1 ? count - 1 : nil
        }
    }

    func isUnderWay(at reader: String) -> Bool { open.withLock { $0[reader] != nil } }
}
