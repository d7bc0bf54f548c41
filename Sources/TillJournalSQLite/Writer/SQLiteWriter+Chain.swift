import TillCore
import TillJournal

/// The hash chain over all events, in commit order. One read and one small write per commit.
extension SQLiteWriter {
    /// Appends an event with its link.
    /// - Returns: its position in the journal.
    func chain(
        _ record: RecordedEvent, _ body: [UInt8], version: Int, of row: PaymentRow
    ) throws(SQLiteFailure) -> Int64 {
        let head = try openHead()
        let event = EventLink(
            sequence: head.sequence + 1, version: Int64(version), at: record.at.milliseconds, payment: row.id.rawValue,
            account: row.account.rawValue, name: record.event.name, body: body)
        let link = event.hash(after: head.hash, over: &hashed)
        try statement(
            """
            INSERT INTO event(sequence, payment, version, account, name, at, body, link)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).run(
            .int(event.sequence), .text(event.payment), .int(event.version), .text(event.account), .text(event.name),
            .int(event.at), .utf8(body), .blob(link))
        self.head = ChainHead(sequence: event.sequence, hash: link)
        return event.sequence
    }

    /// Returns the head of the chain, read at the first event of a transaction.
    /// - Throws: a damage failure if the last event does not match the head: no sale is accepted on a truncated
    ///   journal.
    private func openHead() throws(SQLiteFailure) -> ChainHead {
        if let head { return head }
        let stated = try statement(
            """
            SELECT sequence, head, chained, (SELECT link FROM event WHERE event.sequence = journal.sequence)
            FROM journal WHERE id = 1
            """
        ).first { row in
            (
                head: ChainHead(sequence: row.int(0), hash: row.bytes(1)), isChained: row.int(2) == 1,
                link: row.optionalBytes(3)
            )
        }
        guard let stated, stated.isChained else {
            throw SQLiteFailure(damage: "the row that says where its chain ends is missing")
        }
        if let seenHead,
            stated.head.sequence < seenHead.sequence
                || (stated.head.sequence == seenHead.sequence && stated.head != seenHead)
        {
            throw SQLiteFailure(
                damage: "event \(seenHead.sequence) was written by this process and is not its end any more")
        }
        if stated.head.sequence > 0 {
            guard stated.link == stated.head.hash else {
                throw SQLiteFailure(damage: "its last event, \(stated.head.sequence), is missing or was changed")
            }
        }
        head = stated.head
        return stated.head
    }

    /// Stores the head of the chain, in the commit of the events it covers.
    func write(_ head: ChainHead) throws(SQLiteFailure) {
        try statement("UPDATE journal SET sequence = ?, head = ? WHERE id = 1")
            .run(.int(head.sequence), .blob(head.hash))
    }
}
