public import TillCore
public import TillJournal

/// The configuration of the database server, for its administrators.
public struct PostgresStanding: Hashable, Sendable {
    /// The version, such as `15.18`.
    public var version: String
    /// The durability of commits in Till's own sessions before they are acknowledged: `on` or `remote_apply`,
    /// regardless of the server's default.
    public var commit: String
    /// The server's default of `synchronous_commit`.
    public var commitByDefault: String
    /// `true` if commits are flushed to the disk.
    public var syncsDisk: Bool
    /// The standbys that must confirm a commit; empty for none.
    public var synchronousStandbys: String
    /// The number of live counters on the journal, including this one.
    public var counters: Int
    /// `true` if Till's role is a superuser, which it does not need to be.
    public var isSuperuser: Bool
    /// `true` if the server detects corrupted disk pages.
    public var hasChecksums: Bool
    /// The offset of the server's clock from this machine's; negative if it is behind.
    public var clockAhead: Span

    /// The tolerated offset: leases use the server's clock, and events those of the counters.
    static let clockTolerance = Span.seconds(2)

    /// The findings, each with `true` if it needs no action.
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
    /// Returns the server's configuration as this counter's own sessions see it.
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
            // Accurate to the duration of the query.
            clockAhead: .milliseconds(
                row.int(8) < asked.milliseconds
                    ? row.int(8) - asked.milliseconds : max(0, row.int(8) - SystemClock().now().milliseconds)))
    }
}
