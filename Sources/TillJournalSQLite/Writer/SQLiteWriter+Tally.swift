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

    /// The statement that sets the head, unless it is null, and adds to each total in the order of ``all``.
    fileprivate static let addition: String = {
        let sums = Tally.all.enumerated().map { place, tally in "\(tally.column) = \(tally.column) + ?\(place + 3)" }
        return """
            UPDATE journal SET sequence = ifnull(?1, sequence), head = ifnull(?2, head),
              \(sums.joined(separator: ", ")) WHERE id = 1
            """
    }()
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

    /// Writes the head of the chain and the changes counted in the open transaction: they are one row.
    func writeHeadAndTallies() throws(SQLiteFailure) {
        guard tallies.contains(where: { $0.value != 0 }) else {
            if let head { try write(head) }
            return
        }
        var values: [SQLiteValue] = []
        values.reserveCapacity(Tally.all.count + 2)
        values.append(.optional(head?.sequence))
        values.append(head.map { .blob($0.hash) } ?? .null)
        for tally in Tally.all { values.append(.int(tallies[tally] ?? 0)) }
        let prepared = if let addition { addition } else { try statement(text: Tally.addition) }
        addition = prepared
        try prepared.run(values)
    }
}
