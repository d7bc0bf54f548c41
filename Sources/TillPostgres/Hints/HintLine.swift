import TillCore
import TillJournal

/// The state of the hints thread, confined to it: a listening session that reconnects after it has ended.
struct HintLine {
    let address: String
    let channel: String
    let owner: Int64
    let bell: HintBell
    let onHint: @Sendable (Set<AccountID>?) -> Void
    private var connection: PostgresConnection?
    private var sentAt: Span?
    private var nextTry = SystemClock.reading()
    private var pause = PostgresLimits.shortestHintPause
    /// `true` if hints may have been missed.
    private var isBehind = false

    init(
        address: String, channel: String, owner: Int64, bell: HintBell,
        onHint: @escaping @Sendable (Set<AccountID>?) -> Void
    ) {
        (self.address, self.channel, self.owner, self.bell, self.onHint) = (address, channel, owner, bell, onHint)
    }

    /// `true` if the minimum interval since the last hint has passed and a session is open.
    var maySend: Bool {
        guard connection != nil else { return false }
        return sentAt.map { SystemClock.reading().milliseconds >= due(after: $0).milliseconds } ?? true
    }

    /// Sends a pending hint, then waits for hints from other counters until something is due.
    mutating func pass(_ news: HintText?, isWaiting: Bool) {
        do throws(PostgresFailure) {
            guard let connection = try open() else { return }
            if let news { try send(news, on: connection) }
            var deadline = SystemClock.reading().adding(PostgresLimits.hintProbe)
            if isWaiting { deadline = sentAt.map { due(after: $0) } ?? SystemClock.reading() }
            let notifications = try connection.notifications(by: deadline, or: bell.reading)
            bell.silence()
            for text in notifications.compactMap({ HintText.received($0, by: owner) }) { onHint(text.accounts) }
            // An idle connection may have been cut without either side noticing.
            if notifications.isEmpty, !isWaiting, SystemClock.reading().milliseconds >= deadline.milliseconds {
                try connection.execute("LISTEN \"\(channel)\"")
            }
        } catch {
            (connection, isBehind) = (nil, true)
            nextTry = SystemClock.reading().adding(pause)
            pause = .milliseconds(min(2 * pause.milliseconds, PostgresLimits.longestHintPause.milliseconds))
        }
    }

    private func due(after moment: Span) -> Span { moment.adding(PostgresLimits.hintInterval) }

    /// Returns the session; `nil` after waiting if it is too early to reconnect.
    private mutating func open() throws(PostgresFailure) -> PostgresConnection? {
        if let connection { return connection }
        guard SystemClock.reading().milliseconds >= nextTry.milliseconds else {
            _ = PostgresConnection.wait(bell.reading, by: nextTry)
            bell.silence()
            return nil
        }
        let opened = try PostgresConnection(address, .work)
        // The durability of a commit never depends on its hint.
        try opened.execute(
            "SET application_name = 'till hints'; SET synchronous_commit = off; LISTEN \"\(channel)\"")
        connection = opened
        pause = PostgresLimits.shortestHintPause
        if isBehind { onHint(nil) }
        isBehind = false
        return opened
    }

    private mutating func send(_ news: HintText, on connection: PostgresConnection) throws(PostgresFailure) {
        sentAt = SystemClock.reading()
        _ = try connection.query(
            "SELECT 1 FROM pg_notify($1, $2)", [.text(channel), .text(news.payload(from: owner))])
    }
}
