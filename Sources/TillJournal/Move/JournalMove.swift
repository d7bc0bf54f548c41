package import TillCore

/// A journal that can be moved: all its rows are read and written verbatim.
package protocol MovableJournal: CounterStore {
    /// Returns rows of a table after a key, in key order.
    /// - Parameter key: the key of the last row read; `nil`: from the first row.
    func rows(
        of table: JournalTable, after key: [JournalCell]?, limit: Int
    ) async throws(JournalError) -> [[JournalCell]]
    /// Writes rows in one commit.
    func insert(_ rows: [[JournalCell]], into table: JournalTable) async throws(JournalError)
    func anchors() async throws(JournalError) -> JournalAnchors
    /// Recomputes the tallies and gives the journal the identity of the anchors. The last step: before it, the recorded
    /// head does not match the events, so nothing can be written.
    func adopt(_ anchors: JournalAnchors) async throws(JournalError)
}

/// Moves a journal between a file and a database: every event, payment, key and document keeps its number, so that
/// chains, heads and event stream positions remain valid.
package struct JournalMove {
    /// The totals moved, counted at the target.
    package struct Report: Hashable, Sendable {
        package var payments: Int
        package var events: Int
        /// The rows of all tables.
        package var rows: Int
        package var head: JournalHead
    }

    /// The number of rows that are read and written at once.
    static let page = 500

    private let source: any MovableJournal
    private let target: any MovableJournal
    /// The display names of both.
    private let places: (source: String, target: String)

    package init(from source: any MovableJournal, _ from: String, to target: any MovableJournal, _ to: String) {
        self.source = source
        self.target = target
        places = (from, to)
    }

    /// Verifies the source, fills and verifies the target, compares both, and marks the source as moved; it accepts no
    /// sales from then on.
    package func run() async throws(JournalMoveError) -> Report {
        try await check()
        var rows = 0
        for table in JournalTable.all { rows += try await copy(table) }
        try await of(places.target) { () async throws(JournalError) in
            try await target.adopt(try await source.anchors())
        }
        let (report, head) = try await compare()
        try await of(places.target) { () async throws(JournalError) in
            try await target.note([AuditNote(.journalMoved, subject: places.source)])
        }
        try await of(places.source) { () async throws(JournalError) in
            try await source.change(
                [.insert(RestoreSweep(.moved(to: places.target)).record)],
                noting: [AuditNote(.journalMoved, subject: places.target)])
        }
        return Report(payments: report.payments, events: report.events, rows: rows, head: head)
    }

    /// Checks that no other process has either open, that the source is sound and settled, and that the target is
    /// empty.
    private func check() async throws(JournalMoveError) {
        for (journal, place) in [(source, places.source), (target, places.target)] {
            let others = try await of(place) { () async throws(JournalError) in
                try await journal.nodes().filter { !$0.isThis }
            }
            guard others.isEmpty else { throw .inUse(place, others.map(\.description)) }
        }
        let sweep = try await of(places.source) { () async throws(JournalError) in
            try await RestoreSweep.due(in: source)
        }
        if let sweep { throw .sellsNothing(places.source, "\(sweep)") }
        for table in JournalTable.all {
            let found = try await of(places.target) { () async throws(JournalError) in
                try await target.rows(of: table, after: nil, limit: 1)
            }
            guard found.isEmpty else { throw .notEmpty(places.target) }
        }
        let report = try await of(places.source) { () async throws(JournalError) in try await source.verify() }
        guard report.isIntact else { throw .unsound(places.source, report.problems) }
        try await checkOutbox()
    }

    /// Checks that no payment is held without a due time: only its holder finds such a payment, and holders are not
    /// moved.
    private func checkOutbox() async throws(JournalMoveError) {
        guard let outbox = JournalTable.all.first(where: { $0.name == "outbox" }) else { return }
        var held = 0
        try await each(outbox, of: source, places.source) { row in if row.last == .null { held += 1 } }
        guard held == 0 else { throw .unsettled(places.source, held) }
    }

    private func copy(_ table: JournalTable) async throws(JournalMoveError) -> Int {
        var count = 0
        var last: [JournalCell]?
        while true {
            let place = last
            let rows = try await of(places.source) { () async throws(JournalError) in
                try await source.rows(of: table, after: place, limit: JournalMove.page)
            }
            guard let final = rows.last else { return count }
            try await of(places.target) { () async throws(JournalError) in try await target.insert(rows, into: table) }
            count += rows.count
            last = Array(final.prefix(table.keyCount))
        }
    }

    /// Compares all rows and both heads, and verifies the target.
    private func compare() async throws(JournalMoveError) -> (VerificationReport, JournalHead) {
        for table in JournalTable.all {
            let (one, other) = (
                try await digest(table, of: source, places.source), try await digest(table, of: target, places.target)
            )
            guard one == other else { throw .differs(table.name) }
        }
        let report = try await of(places.target) { () async throws(JournalError) in try await target.verify() }
        guard report.isIntact else { throw .unsound(places.target, report.problems) }
        let stated = try await of(places.source) { () async throws(JournalError) in try await source.head() }
        let head = try await of(places.target) { () async throws(JournalError) in try await target.head() }
        guard stated == head else { throw .differs("journal") }
        return (report, head)
    }

    private func digest(
        _ table: JournalTable, of journal: any MovableJournal, _ place: String
    ) async throws(JournalMoveError) -> [UInt8] {
        var digest = JournalDigest()
        try await each(table, of: journal, place) { digest.add($0) }
        return digest.finished()
    }

    private func each(
        _ table: JournalTable, of journal: any MovableJournal, _ place: String, _ body: ([JournalCell]) -> Void
    ) async throws(JournalMoveError) {
        var last: [JournalCell]?
        while true {
            let behind = last
            let rows = try await of(place) { () async throws(JournalError) in
                try await journal.rows(of: table, after: behind, limit: JournalMove.page)
            }
            guard let final = rows.last else { return }
            rows.forEach(body)
            last = Array(final.prefix(table.keyCount))
        }
    }

    private func of<Value>(
        _ place: String, _ work: () async throws(JournalError) -> Value
    ) async throws(JournalMoveError) -> Value {
        do throws(JournalError) { return try await work() } catch { throw .journal(place, error) }
    }
}

/// The reason a journal was not moved. The source is unchanged.
package enum JournalMoveError: Error, Hashable, Sendable {
    case journal(String, JournalError)
    /// Other processes have it open.
    case inUse(String, [String])
    /// It was restored, set back or moved, and accepts no sales.
    case sellsNothing(String, String)
    /// It is not empty.
    case notEmpty(String)
    case unsound(String, [String])
    /// The given number of payments is held by dead processes.
    case unsettled(String, Int)
    /// A table of the target differs from the source.
    case differs(String)
}

extension JournalMoveError: ExplainedError {
    package var code: String {
        switch self {
        case .journal: "journal_unavailable"
        case .inUse: "journal_in_use"
        case .sellsNothing: "journal_restoring"
        case .notEmpty: "journal_not_empty"
        case .unsound: "journal_unsound"
        case .unsettled: "journal_unsettled"
        case .differs: "journal_copy_differs"
        }
    }

    package var what: String {
        switch self {
        case .journal(let place, let error): "The journal \(place) was not moved: \(error)."
        case .inUse(let place, let others): "\(place) is in use by \(others.joined(separator: "; "))."
        case .sellsNothing(let place, let why): "\(place) cannot be moved now. \(why)"
        case .notEmpty(let place): "\(place) is not empty: nothing was copied over what is there."
        case .unsound(let place, let problems):
            "\(place) is not sound: \(problems.prefix(3).joined(separator: "; "))."
        case .unsettled(let place, let count):
            "\(count) payments of \(place) were being worked on when their process died."
        case .differs(let table): "What was written is not what was read: \(table)."
        }
    }

    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .journal: "Check both places. What was begun at the new one is to be removed before the next try."
        case .inUse: "Stop the counters first: a journal is moved while nobody sells."
        case .sellsNothing: "See what till restore says."
        case .notEmpty: "Name a new file, or a database without Till's tables."
        case .unsound: "Go on with the journal that was there, and see what till journal verify says of it."
        case .unsettled: "Run till payments recover, and try again."
        case .differs: "Remove what was begun at the new place, go on with the old one, and tell who looks after Till."
        }
    }
}
