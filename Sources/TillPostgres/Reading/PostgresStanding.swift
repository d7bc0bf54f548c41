import TillCore
public import TillJournal

/// What holds of the server, for people who set it up.
public struct PostgresStanding: Hashable, Sendable {
    /// Its version, as `15.18`.
    public var version: String
    /// How far a commit of Till's own sessions goes before it is acknowledged: `on` or `remote_apply`, whatever the
    /// server's default is.
    public var commit: String
    /// What the server does for a session that does not say it.
    public var commitByDefault: String
    /// Commits are brought to the disk at all.
    public var syncsDisk: Bool
    /// Which standbys have to confirm a commit; empty: none.
    public var synchronousStandbys: String
    /// How many counters stand on the journal now, this one included.
    public var counters: Int

    /// What there is to say of it, each with whether it is as it should be.
    public var findings: [(text: String, isFine: Bool)] {
        var findings = [
            (
                "The journal is on PostgreSQL \(version), and \(counters) "
                    + (counters == 1 ? "counter stands on it." : "counters stand on it."), true
            )
        ]
        if !syncsDisk {
            findings.append(
                ("The server does not sync its disk: payments are lost when its machine fails. Set fsync = on.", false))
        }
        if commit != "on" && commit != "remote_apply" {
            findings.append(
                ("A commit is acknowledged before it is durable. Set synchronous_commit = on for Till's role.", false))
        } else if commitByDefault != commit {
            findings.append(
                (
                    "The server's synchronous_commit is \(commitByDefault); Till's own sessions set it to \(commit), so that "
                        + "nothing acknowledged is lost.", true
                ))
        }
        findings.append(
            synchronousStandbys.isEmpty
                ? (
                    "No standby has to confirm a commit: payments are as safe as this server's disk. For more, set "
                        + "synchronous_standby_names.", true
                ) : ("Commits wait for standbys: \(synchronousStandbys).", true))
        return findings
    }
}

extension PostgresJournal {
    /// How the server is set up, as this counter's own sessions see it.
    public func standing() async throws(JournalError) -> PostgresStanding {
        let row = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT current_setting('server_version'), current_setting('synchronous_commit'),
                  (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'),
                  current_setting('fsync') = 'on', current_setting('synchronous_standby_names'),
                  (SELECT count(*) FROM counter_live)
                """
            ).first
        }
        guard let row else { throw .unavailable("the database says nothing of itself") }
        return PostgresStanding(
            version: row.text(0).split(separator: " ").first.map { String($0) } ?? row.text(0), commit: row.text(1),
            commitByDefault: row.text(2), syncsDisk: row.bool(3), synchronousStandbys: row.text(4),
            counters: Int(clamping: row.int(5)))
    }
}
