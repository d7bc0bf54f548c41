import TillCore

/// Verifies a journal's events in order and reports those that differ from what was written.
///
/// After each event it continues from the stored link, so that one changed event is one finding.
package struct ChainPass {
    package private(set) var head: ChainHead
    /// The identity of the journal.
    package let journal: String
    /// Findings, one sentence each.
    package private(set) var problems: [String] = []
    private let known: ChainHead?
    private var knownIsMet = false

    /// - Parameters:
    ///   - start: the random start from which the first link is computed.
    ///   - known: a head that was recorded outside the journal.
    package init(start: [UInt8], known: ChainHead?) {
        head = ChainHead(sequence: 0, hash: start)
        journal = JournalHead.name(of: start)
        self.known = known
        meet()
    }

    private mutating func problem(_ text: String) {
        if problems.count < VerificationReport.maximumProblems { problems.append(text) }
    }

    /// Checks one event against its stored link.
    package mutating func check(_ event: EventLink, link: [UInt8]) {
        let isNext = event.sequence == head.sequence + 1
        if !isNext {
            let (first, last) = (head.sequence + 1, event.sequence - 1)
            problem(first == last ? "event \(first) is missing" : "events \(first) to \(last) are missing")
        }
        let name = "event \(event.sequence) (\(event.payment), version \(event.version))"
        if link.count != EventLink.byteCount {
            problem("\(name) is in no chain: it was not written by a counter")
        } else if isNext, event.hash(after: head.hash) != link {
            // After a gap the previous link is missing; the gap itself is the finding.
            problem("\(name) is not what was written, or not in its place")
        }
        head = ChainHead(sequence: event.sequence, hash: link)
        meet()
    }

    /// Compares the end of the chain with the journal's stored head and with the known head.
    package mutating func finish(stated: ChainHead?) {
        if let stated, stated.sequence > head.sequence {
            problem(
                "the journal ends at event \(head.sequence), and event \(stated.sequence) was written: its end was "
                    + "cut off"
            )
        } else if stated != head {
            problem("the journal's own head is not that of its last event, \(head.sequence)")
        }
        guard let known, !knownIsMet else { return }
        problem(
            known.sequence > head.sequence
                ? "the known head is event \(known.sequence), and the journal ends at event \(head.sequence): its end "
                    + "was cut off"
                : "the journal is not the one of the known head: event \(known.sequence) or one before it is another")
    }

    private mutating func meet() {
        guard let known, known == head else { return }
        knownIsMet = true
    }
}
