import TillCore
import TillJournal

/// A total maintained by the commits, so that counting requires no table scan.
enum Tally: Hashable {
    case payments(PaymentStatus)
    /// Payments with pending work.
    case pending

    /// Its name in the report of a full check.
    var name: String {
        switch self {
        case .payments(let status): "payment " + status.rawValue
        case .pending: "outbox"
        }
    }

    /// Its column in the row of the journal.
    var column: String {
        switch self {
        case .payments(let status): "tally_" + status.rawValue
        case .pending: "tally_outbox"
        }
    }

    static let all = PaymentStatus.allCases.map { Tally.payments($0) } + [.pending]

    /// The statement that adds to each total, put together once.
    fileprivate static let additions = all.map { tally in
        (tally: tally, sql: "UPDATE journal SET \(tally.column) = \(tally.column) + ? WHERE id = 1")
    }
}

extension SQLiteWriter {
    /// The state of a payment before a write; all zero if there is none.
    struct Current {
        var version = 0
        var isLive = false
        var status: PaymentStatus?
        var isPending = false
    }

    func current(_ id: PaymentID) throws(SQLiteFailure) -> Current {
        try statement(
            """
            SELECT version, live, status, EXISTS (SELECT 1 FROM outbox WHERE outbox.payment = payment.id)
            FROM payment WHERE id = ?
            """
        ).first(.text(id.rawValue)) {
            Current(
                version: Int(clamping: $0.int(0)), isLive: $0.int(1) > 0,
                status: PaymentStatus(rawValue: $0.text(2)), isPending: $0.int(3) == 1)
        } ?? Current()
    }

    /// Counts one write. A write without events leaves the payment's row unchanged.
    func count(_ append: PreparedWrite.Append, from current: Current) {
        if !append.events.isEmpty, current.status != append.row.status {
            if let status = current.status { tallies[.payments(status), default: 0] -= 1 }
            tallies[.payments(append.row.status), default: 0] += 1
        }
        if append.isPending != current.isPending { tallies[.pending, default: 0] += append.isPending ? 1 : -1 }
    }

    /// Writes the changes counted in the open transaction, on the page that the head is written on.
    func writeTallies() throws(SQLiteFailure) {
        guard !tallies.isEmpty else { return }
        for (tally, sql) in Tally.additions {
            guard let change = tallies[tally], change != 0 else { continue }
            try statement(text: sql).run(.int(change))
        }
    }
}
