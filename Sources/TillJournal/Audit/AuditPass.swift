import TillCore

/// Verifies the audit log in order and reports entries that differ from what was written. After each entry it continues
/// from the stored link, so that one changed entry is one finding.
package struct AuditPass {
    package private(set) var head: ChainHead
    package private(set) var problems: [String] = []
    package private(set) var entries = 0
    private let known: ChainHead?
    private var knownIsMet = false

    /// - Parameters:
    ///   - base: the link before the first entry.
    ///   - known: a head that was recorded outside the journal.
    package init(base: ChainHead, known: ChainHead?) {
        head = base
        self.known = known
        // A head older than the purged entries cannot be verified.
        knownIsMet = known.map { $0.sequence < base.sequence || $0 == base } ?? true
    }

    private mutating func problem(_ text: String) {
        if problems.count < VerificationReport.maximumProblems { problems.append(text) }
    }

    /// Checks one entry against its stored link.
    package mutating func check(sequence: Int64, body: [UInt8], link: [UInt8]) {
        entries += 1
        let isNext = sequence == head.sequence + 1
        if sequence <= head.sequence {
            problem("the entry \(sequence) of the audit log is not in its place")
        } else if !isNext {
            let (first, last) = (head.sequence + 1, sequence - 1)
            problem(
                first == last
                    ? "the entry \(first) of the audit log is missing"
                    : "the entries \(first) to \(last) of the audit log are missing")
        }
        if isNext, AuditEntry.link(of: body, after: head.hash) != link {
            problem("the entry \(sequence) of the audit log is not what was written, or not in its place")
        } else {
            do throws(JournalError) { _ = try AuditEntry(sequence: sequence, body: body, link: link) } catch {
                problem("\(error)")
            }
        }
        head = ChainHead(sequence: sequence, hash: link)
        if head == known { knownIsMet = true }
    }

    /// Compares the end of the log with its stored head and with the known head.
    package mutating func finish(stated: ChainHead) {
        if stated.sequence > head.sequence {
            problem(
                "the audit log ends at entry \(head.sequence), and entry \(stated.sequence) was written: its end was "
                    + "cut off")
        } else if stated != head {
            problem("the audit log's own head is not that of its last entry, \(head.sequence)")
        }
        guard let known, !knownIsMet else { return }
        problem(
            known.sequence > head.sequence
                ? "the known head of the audit log is entry \(known.sequence), and it ends at entry \(head.sequence): "
                    + "its end was cut off"
                : "the audit log is not the one of the known head: entry \(known.sequence) or one before it is another")
    }
}
