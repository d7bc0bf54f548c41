import TillCore

/// What is counted along with the commits, so that nobody has to read a table to count it.
enum Tally: Hashable {
    case payments(PaymentStatus)
    /// Payments on which something is to be done.
    case pending

    /// Its row in the table.
    var name: String {
        switch self {
        case .payments(let status): "payment " + status.rawValue
        case .pending: "outbox"
        }
    }

    static let all = PaymentStatus.allCases.map { Tally.payments($0) } + [.pending]
}

extension SQLiteWriter {
    /// A payment as it stands before a write; all zero where there is none.
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

    /// Counts one write. A write without events leaves its payment's row as it is.
    func count(_ append: PreparedWrite.Append, from current: Current) {
        if !append.events.isEmpty, current.status != append.row.status {
            if let status = current.status { tallies[.payments(status), default: 0] -= 1 }
            tallies[.payments(append.row.status), default: 0] += 1
        }
        if append.isPending != current.isPending { tallies[.pending, default: 0] += append.isPending ? 1 : -1 }
    }

    /// Writes what the open transaction has counted.
    func writeTallies() throws(SQLiteFailure) {
        for (tally, change) in tallies where change != 0 {
            try statement(
                "INSERT INTO tally(name, count) VALUES (?1, ?2) ON CONFLICT(name) DO UPDATE SET count = count + ?2"
            ).run(.text(tally.name), .int(change))
        }
    }
}
