public import TillCore
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
    /// Till's role may do everything, which it has no need of.
    public var isSuperuser: Bool
    /// The server notices by itself when its disk gives back something else than was written.
    public var hasChecksums: Bool
    /// How far the server's clock is ahead of this machine's; behind it if negative.
    public var clockAhead: Span

    /// Leases go by the server's clock and events by those of the counters.
    static let clockTolerance = Span.seconds(2)

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
                    "The server's synchronous_commit is \(commitByDefault); Till's own sessions set it to \(commit), "
                        + "so that nothing acknowledged is lost.", true
                ))
        }
        findings.append(
            synchronousStandbys.isEmpty
                ? (
                    "No standby has to confirm a commit: payments are as safe as this server's disk. For more, set "
                        + "synchronous_standby_names.", true
                ) : ("Commits wait for standbys: \(synchronousStandbys).", true))
        if isSuperuser {
            findings.append(
                (
                    "Till's role is a superuser of the server: whoever takes the counter over has every database of "
                        + "it. Make a role of its own that owns this database.", false
                ))
        }
        if !hasChecksums {
            findings.append(
                ("The server keeps no checksums: a damaged disk is noticed late. Enable them with pg_checksums.", true))
        }
        if clockAhead.milliseconds.magnitude > PostgresStanding.clockTolerance.milliseconds.magnitude {
            let seconds = clockAhead.milliseconds.magnitude / 1000
            findings.append(
                (
                    "The server's clock is \(seconds) s \(clockAhead.milliseconds > 0 ? "ahead of" : "behind") this "
                        + "machine's. Set both by NTP.", false
                ))
        }
        return findings
    }
}

extension PostgresJournal {
    /// How the server is set up, as this counter's own sessions see it.
    public func standing() async throws(JournalError) -> PostgresStanding {
        let asked = SystemClock().now()
        let row = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT current_setting('server_version'), current_setting('synchronous_commit'),
                  (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'),
                  current_setting('fsync') = 'on', current_setting('synchronous_standby_names'),
                  (SELECT count(*) FROM counter_live),
                  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
                  current_setting('data_checksums') = 'on', till_clock()
                """
            ).first
        }
        guard let row else { throw .unavailable("the database says nothing of itself") }
        return PostgresStanding(
            version: row.text(0).split(separator: " ").first.map { String($0) } ?? row.text(0), commit: row.text(1),
            commitByDefault: row.text(2), syncsDisk: row.bool(3), synchronousStandbys: row.text(4),
            counters: Int(clamping: row.int(5)), isSuperuser: row.bool(6), hasChecksums: row.bool(7),
            // Within the time that the answer took.
            clockAhead: .milliseconds(
                row.int(8) < asked.milliseconds
                    ? row.int(8) - asked.milliseconds : max(0, row.int(8) - SystemClock().now().milliseconds)))
    }
}
