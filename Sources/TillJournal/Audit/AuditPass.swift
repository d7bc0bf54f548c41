import TillCore

/// Walks the audit log in its order and says where what is stored is not what was written. After each entry it goes on
/// from the link that is stored, so that one changed entry is one finding.
package struct AuditPass {
    package private(set) var head: ChainHead
    package private(set) var problems: [String] = []
    package private(set) var entries = 0
    private let known: ChainHead?
    private var knownIsMet = false

    /// - Parameters:
    ///   - base: what the first entry is linked to.
    ///   - known: a head that was noted down apart from the journal.
    package init(base: ChainHead, known: ChainHead?) {
        head = base
        self.known = known
        // What was removed since, because it was old, cannot be held against anything.
        knownIsMet = known.map { $0.sequence < base.sequence || $0 == base } ?? true
    }

    private mutating func problem(_ text: String) {
        if problems.count < VerificationReport.maximumProblems { problems.append(text) }
    }

    /// Checks one entry against the link that is stored with it.
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

    /// Compares the end with what the log says of itself, and with the head that was noted down.
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
