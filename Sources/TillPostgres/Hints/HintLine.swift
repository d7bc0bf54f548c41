import TillCore
import TillJournal

/// What the thread of hints does, and the only thing that it touches: a session that listens, and is made anew when it
/// has ended.
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
    /// Something may have been missed.
    private var isBehind = false

    init(
        address: String, channel: String, owner: Int64, bell: HintBell,
        onHint: @escaping @Sendable (Set<AccountID>?) -> Void
    ) {
        (self.address, self.channel, self.owner, self.bell, self.onHint) = (address, channel, owner, bell, onHint)
    }

    /// The last hint is long enough ago, and there is somebody to send one.
    var maySend: Bool {
        guard connection != nil else { return false }
        return sentAt.map { SystemClock.reading().milliseconds >= due(after: $0).milliseconds } ?? true
    }

    /// Sends what is to be sent, and waits for hints of others for as long as nothing is to be done.
    mutating func pass(_ news: HintText?, isWaiting: Bool) {
        do throws(PostgresFailure) {
            guard let connection = try open() else { return }
            if let news { try send(news, on: connection) }
            var deadline = SystemClock.reading().adding(PostgresLimits.hintProbe)
            if isWaiting { deadline = sentAt.map { due(after: $0) } ?? SystemClock.reading() }
            let heard = try connection.notifications(by: deadline, or: bell.reading)
            bell.silence()
            for text in heard.compactMap({ HintText.heard($0, by: owner) }) { onHint(text.accounts) }
            // A line on which nothing moves may have been cut without anybody's knowing.
            if heard.isEmpty, !isWaiting, SystemClock.reading().milliseconds >= deadline.milliseconds {
                try connection.execute("LISTEN \"\(channel)\"")
            }
        } catch {
            (connection, isBehind) = (nil, true)
            nextTry = SystemClock.reading().adding(pause)
            pause = .milliseconds(min(2 * pause.milliseconds, PostgresLimits.longestHintPause.milliseconds))
        }
    }

    private func due(after moment: Span) -> Span { moment.adding(PostgresLimits.hintInterval) }

    /// The session; `nil` while it is too early to try again, for which it waits.
    private mutating func open() throws(PostgresFailure) -> PostgresConnection? {
        if let connection { return connection }
        guard SystemClock.reading().milliseconds >= nextTry.milliseconds else {
            _ = PostgresConnection.wait(bell.reading, by: nextTry)
            bell.silence()
            return nil
        }
        let opened = try PostgresConnection(address, .work)
        // Of a commit that a hint is about nothing depends on the hint.
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
