import TillCore
import TillJournal

/// The tables, created when the journal is first opened. Later versions only add to them, so that counters of two
/// versions can share a journal.
///
/// The journal has one lane: `journal`, the row with the last event's position and link. Every batch locks it first and
/// thereby reads everything committed, checks as a single writer would, and numbers events without gaps in the order in
/// which they become visible. A lane for each account would let several commits wait for the disk at once. Measured,
/// three counters write only 3 % more that way, and the journal would lose its order over all accounts, its single
/// chain and the single head to note down. Batches share a commit instead.
enum PostgresSchema {
    /// The newest known version.
    static let version: Int64 = 1
    /// The advisory lock for schema changes: "TILL" in ASCII.
    private static let lock: Int64 = 0x5449_4C4C
    /// The advisory lock for the indexes of sales, together with the table that they are over: "TILI" in ASCII.
    private static let indexLock: Int32 = 0x5449_4C49
    /// The maximum wait for a concurrent schema change.
    private static let patience = Span.seconds(20)

    /// Creates the tables if there are none.
    /// - Throws: also for a journal of a newer Till.
    static func prepare(_ connection: PostgresConnection) throws(PostgresFailure) {
        if try found(connection) == version, try hasProcedure(connection), try missingIndexes(connection).isEmpty {
            return
        }
        // Counters that start concurrently wait for the first one. The lock is taken before the transaction begins:
        // only then does the session discard what it has cached about missing tables.
        try connection.execute("SET lock_timeout = '\(patience.milliseconds)ms'")
        _ = try connection.query(
            "SELECT 1 FROM pg_advisory_lock($1)", [.int(lock)], within: .milliseconds(2 * patience.milliseconds))
        try connection.execute("BEGIN")
        do throws(PostgresFailure) {
            let isNew = try found(connection) == 0
            if isNew { try make(connection) }
            // A journal of an older Till gets the procedure in addition to its own, which older counters continue to
            // call.
            if try !hasProcedure(connection) {
                try connection.execute(returned)
                try connection.execute(BatchProcedure.sql)
            }
            if try !hasFunction(connection) { try connection.execute(SaleColumns.functionSQL) }
            if isNew {
                for (name, content) in SaleColumns.indexes {
                    try connection.execute("CREATE INDEX \(name) ON \(content)")
                }
            }
            try connection.execute("COMMIT")
        } catch {
            do throws(PostgresFailure) { try connection.execute("ROLLBACK") } catch {}
            throw error
        }
        _ = try connection.query("SELECT 1 FROM pg_advisory_unlock($1)", [.int(lock)])
        try addIndexes(connection)
        try connection.execute("RESET lock_timeout")
    }

    /// Adds the indexes that a journal of an older Till lacks, beside the writes of all counters: each command is a
    /// transaction of its own. One counter does it. Those that start meanwhile go on without: their lists by staff and
    /// shop take longer until then.
    private static func addIndexes(_ connection: PostgresConnection) throws(PostgresFailure) {
        guard try !missingIndexes(connection).isEmpty else { return }
        // Tried, not waited for: a waiting session has a snapshot, and the index would wait for that session.
        let key = "\(indexLock), to_regclass('event')::oid::integer"
        guard try connection.query("SELECT pg_try_advisory_lock(\(key))").first?.bool(0) ?? false else { return }
        do throws(PostgresFailure) {
            for (name, content) in try missingIndexes(connection) {
                // What an interrupted start left behind is maintained and never read.
                try connection.execute(
                    "DROP INDEX CONCURRENTLY IF EXISTS \(name)", within: PostgresLimits.longAnswerTime)
                try connection.execute(
                    "CREATE INDEX CONCURRENTLY \(name) ON \(content)", within: PostgresLimits.longAnswerTime)
            }
        } catch {
            // Something that began long before is still reading, such as a copy: the next start tries again.
            guard case .server(let state) = error.kind, state.isPassing else { throw error }
        }
        _ = try connection.query("SELECT pg_advisory_unlock(\(key))")
    }

    /// Compares the objects in the database with those of this build.
    static func level(_ connection: PostgresConnection) throws(PostgresFailure) -> JournalLevel {
        let found = try found(connection)
        let procedure = try hasProcedure(connection) ? [] : [BatchProcedure.name]
        let indexes = try missingIndexes(connection).map { $0.name }
        return JournalLevel(
            found: found, newest: version, missing: (found == 0 ? ["tables"] : []) + procedure + indexes)
    }

    private static func make(_ connection: PostgresConnection) throws(PostgresFailure) {
        guard try connection.query("SELECT current_setting('server_encoding')").first?.text(0) == "UTF8" else {
            throw PostgresFailure(
                .unexpected, "the database is not in UTF-8; make one with createdb --encoding UTF8")
        }
        try refuseOthers(connection)
        try connection.execute(tables)
        _ = try connection.query(
            "INSERT INTO journal(id, start, epoch, sequence, head) VALUES (1, $1, 1, 0, $1)",
            [.bytes(EventLink.randomStart())])
        _ = try connection.query(
            "INSERT INTO audit_log(id, base, base_link, sequence, head) VALUES (1, 0, $1, 0, $1)",
            [.bytes(EventLink.randomStart())])
        _ = try connection.query("INSERT INTO till_schema(id, version) VALUES (1, $1)", [.int(version)])
    }

    /// Rejects a schema with other tables: those of another program could have the same names.
    private static func refuseOthers(_ connection: PostgresConnection) throws(PostgresFailure) {
        let row = try connection.query(
            """
            SELECT current_schema()::text, min(relname::text COLLATE "C") FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
            """
        ).first
        guard let schema = row?.optionalText(0) else {
            throw PostgresFailure(.unexpected, "the search path names no schema that is there; make one")
        }
        guard let other = row?.optionalText(1) else { return }
        throw PostgresFailure(
            .otherProgram,
            "the schema \(schema) has tables of another program, such as \(other); make a database for Till, or name a "
                + "schema of its own with options=-csearch_path%3D…")
    }

    /// - Returns: the schema version; 0 if there are no tables.
    private static func found(_ connection: PostgresConnection) throws(PostgresFailure) -> Int64 {
        let isThere = try connection.query("SELECT to_regclass('till_schema') IS NOT NULL").first?.bool(0) ?? false
        guard isThere else { return 0 }
        let found = try connection.query("SELECT version FROM till_schema WHERE id = 1").first?.int(0) ?? 0
        guard found <= version else {
            throw PostgresFailure(
                .otherProgram, "it was written by a newer Till (schema \(found), known here \(version)); use that one")
        }
        return found
    }

    private static func hasProcedure(_ connection: PostgresConnection) throws(PostgresFailure) -> Bool {
        try connection.query("SELECT to_regproc($1) IS NOT NULL", [.text(BatchProcedure.name)]).first?.bool(0) ?? false
    }

    private static func hasFunction(_ connection: PostgresConnection) throws(PostgresFailure) -> Bool {
        try connection.query("SELECT to_regprocedure($1) IS NOT NULL", [.text(SaleColumns.function)]).first?.bool(0)
            ?? false
    }

    /// Returns the indexes of sales that are not there, or were not made to their end.
    private static func missingIndexes(
        _ connection: PostgresConnection
    ) throws(PostgresFailure) -> [(name: String, content: String)] {
        var missing: [(name: String, content: String)] = []
        for index in SaleColumns.indexes {
            let found = try connection.query(
                "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid", [.text(index.name)])
            if found.first?.int(0) != 1 { missing.append(index) }
        }
        return missing
    }

    /// The index of payments that are live again while another one occupies their order. It is separate, because a plan
    /// made on an empty journal, and kept by the session, would otherwise scan all payments of the account.
    private static let returned =
        "CREATE INDEX IF NOT EXISTS payment_returned ON payment(account, order_id) WHERE live = 2;"

    private static let tables = """
        CREATE TABLE till_schema(id integer PRIMARY KEY CHECK (id = 1), version bigint NOT NULL);

        CREATE TABLE journal(
          id integer PRIMARY KEY CHECK (id = 1), start bytea NOT NULL, epoch bigint NOT NULL,
          sequence bigint NOT NULL, head bytea NOT NULL
        ) WITH (fillfactor = 10);

        CREATE TABLE event(
          sequence bigint PRIMARY KEY,
          payment text COLLATE "C" NOT NULL, version bigint NOT NULL, account text COLLATE "C" NOT NULL,
          name text COLLATE "C" NOT NULL, at bigint NOT NULL, body text COLLATE "C" NOT NULL, link bytea NOT NULL,
          UNIQUE (payment, version)
        );
        CREATE INDEX event_account ON event(account, sequence);

        CREATE TABLE payment(
          id text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL, order_id text COLLATE "C" NOT NULL,
          order_number text COLLATE "C" NOT NULL, live integer NOT NULL, version bigint NOT NULL,
          status text COLLATE "C" NOT NULL, amount bigint NOT NULL, currency text COLLATE "C" NOT NULL,
          captured bigint NOT NULL, refunded bigint NOT NULL, provider text COLLATE "C", tender text COLLATE "C",
          created_at bigint NOT NULL, updated_at bigint NOT NULL
        ) WITH (fillfactor = 60);
        CREATE UNIQUE INDEX payment_live ON payment(account, order_id) WHERE live = 1;
        \(returned)
        CREATE INDEX payment_order ON payment(account, order_id);
        CREATE INDEX payment_account ON payment(account, id);
        CREATE INDEX payment_account_status ON payment(account, status, id);
        CREATE INDEX payment_status ON payment(status, id);

        CREATE TABLE outbox(
          payment text COLLATE "C" PRIMARY KEY REFERENCES payment(id), due_at bigint, owner bigint
        );
        CREATE INDEX outbox_due ON outbox(due_at, payment);
        CREATE INDEX outbox_owner ON outbox(owner, due_at);

        CREATE TABLE idempotency(
          account text COLLATE "C" NOT NULL, operation text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
          fingerprint bytea NOT NULL, request bytea NOT NULL, finished boolean NOT NULL, payment text COLLATE "C",
          step text COLLATE "C", status bigint, body bytea, owner bigint, created_at bigint NOT NULL,
          PRIMARY KEY (account, operation, key)
        );
        CREATE INDEX idempotency_created ON idempotency(created_at);

        CREATE TABLE webhook(
          provider text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, at bigint NOT NULL,
          PRIMARY KEY (provider, id)
        );
        CREATE INDEX webhook_at ON webhook(at);

        CREATE TABLE record(
          position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          collection text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, version bigint NOT NULL,
          body bytea NOT NULL, due_at bigint, owner bigint, created_at bigint NOT NULL, updated_at bigint NOT NULL,
          UNIQUE (collection, key)
        );
        CREATE INDEX record_collection ON record(collection, position);
        CREATE INDEX record_due ON record(collection, due_at, position) WHERE due_at IS NOT NULL;
        CREATE TABLE record_field(
          collection text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
          record bigint NOT NULL REFERENCES record(position) ON DELETE CASCADE,
          PRIMARY KEY (collection, name, value, record)
        );
        CREATE INDEX record_field_record ON record_field(record);

        CREATE TABLE audit(
          sequence bigint PRIMARY KEY, at bigint NOT NULL, body text COLLATE "C" NOT NULL, link bytea NOT NULL
        );
        CREATE TABLE audit_log(
          id integer PRIMARY KEY CHECK (id = 1), base bigint NOT NULL, base_link bytea NOT NULL,
          sequence bigint NOT NULL, head bytea NOT NULL
        ) WITH (fillfactor = 10);

        CREATE TABLE tally(name text COLLATE "C" PRIMARY KEY, count bigint NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE probe(id integer PRIMARY KEY CHECK (id = 1), body bytea NOT NULL) WITH (fillfactor = 10);
        INSERT INTO probe(id, body) VALUES (1, '');

        CREATE TABLE counter(
          owner bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, description text NOT NULL,
          place text COLLATE "C", pid bigint NOT NULL, pid_started text COLLATE "C",
          started_at bigint NOT NULL, ended_at bigint, how text COLLATE "C"
        );
        CREATE TABLE counter_live(
          owner bigint PRIMARY KEY REFERENCES counter(owner), session bigint NOT NULL, batch bigint NOT NULL,
          outcome text, lease_until bigint NOT NULL
        ) WITH (fillfactor = 10);

        CREATE FUNCTION till_clock() RETURNS bigint LANGUAGE sql VOLATILE
          AS $till$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $till$;
        CREATE FUNCTION till_lives(p_owner bigint) RETURNS boolean LANGUAGE sql VOLATILE
          AS $till$
            SELECT EXISTS (SELECT 1 FROM counter_live WHERE owner = p_owner) OR EXISTS (
              SELECT 1 FROM counter WHERE owner = p_owner AND how = 'presumed'
                AND ended_at + \(CheckSchedule.answerLease.milliseconds) > till_clock())
          $till$;
        """
}
