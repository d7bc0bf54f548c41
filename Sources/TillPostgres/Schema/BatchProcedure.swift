import TillJournal

/// The procedure that writes a batch: it fences its owner, locks the journal, judges each write as if it came alone,
/// writes the valid ones, and commits, all within one command, so that no lock waits for a client.
///
/// Payments, events, keys, webhooks and wakes are judged and written by one statement for all writes of a batch, which
/// share none of them (``BatchChoice``). Only the chain of events, documents and audit entries are processed one by
/// one. Rows are found by scalar subqueries, laterals and arrays: joins would get a bad plan with tables that were
/// never analyzed, or were empty when they were.
enum BatchProcedure {
    /// The call. Its parameters are those of ``BatchEncoding``. The outcome is a text in JSON: `head`, and for each
    /// write the position before its first event, or the reason for its refusal.
    static let call = "CALL \(name)($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, NULL)"

    /// The name of the procedure. A version with other parameters gets another number; earlier ones stay for older
    /// counters.
    static let name = "till_write_2"

    static let sql = """
        CREATE PROCEDURE \(name)(
          p_owner bigint, p_session bigint, p_batch bigint, p_lease bigint, p_now bigint, p_trusted boolean,
          p_retention bigint, p_appends boolean, p_notes boolean, p_seen bigint, p_seen_head bytea, p_count bigint,
          p_writes jsonb, p_bytes bytea[],
          INOUT p_outcome text)
        LANGUAGE plpgsql AS $till$
        DECLARE
          v_bytes bytea[] := p_bytes;
          -- By the number of the write.
          v_good boolean[] := array_fill(true, ARRAY[p_count::integer]);
          v_refusals jsonb[] := array_fill(NULL::jsonb, ARRAY[p_count::integer]);
          v_conflicts jsonb[] := array_fill(NULL::jsonb, ARRAY[p_count::integer]);
          v_places bigint[] := array_fill(NULL::bigint, ARRAY[p_count::integer]);
          -- By the number of the event: its write, what its link covers beside its place, its place, its link.
          v_writes integer[];
          v_linked bytea[];
          v_sequences bigint[] := '{}';
          v_links bytea[] := '{}';
          v_woken text[]; v_moments bigint[];
          v_more text[] := '{}';
          v_fewer text[] := '{}';
          f record;
          v_write integer; v_sequence bigint; v_head bytea; v_first bigint;
          v_found bigint; v_position bigint; v_body bytea;
          v_audit bigint; v_audit_head bytea; v_audit_base bigint;
          v_is_contested boolean := false;
          v_inserts boolean := false; v_updates boolean := false;
          v_plans boolean := false; v_keeps boolean := false; v_settles boolean := false;
        BEGIN
          -- The fence, and the heartbeat.
          UPDATE counter_live SET batch = p_batch, lease_until = till_clock() + p_lease
            WHERE owner = p_owner AND session = p_session;
          IF NOT FOUND THEN
            RAISE EXCEPTION 'another counter has taken over what this one held' USING ERRCODE = 'TL001';
          END IF;
          SELECT sequence, head INTO v_sequence, v_head FROM journal WHERE id = 1 FOR UPDATE;
          IF NOT FOUND THEN
            RAISE EXCEPTION 'the row that says where its chain ends is missing' USING ERRCODE = 'TL002';
          END IF;
          v_first := v_sequence;
          IF p_appends THEN
            IF v_sequence < p_seen OR (v_sequence = p_seen AND v_head <> p_seen_head) THEN
              RAISE EXCEPTION 'event % was written by this process and is not its end any more', p_seen
                USING ERRCODE = 'TL002';
            END IF;
            IF v_sequence > 0 AND NOT EXISTS (SELECT 1 FROM event WHERE sequence = v_sequence AND link = v_head) THEN
              RAISE EXCEPTION 'its last event, %, is missing or was changed', v_sequence USING ERRCODE = 'TL002';
            END IF;
          END IF;

          IF p_notes THEN
            SELECT sequence, head, base INTO v_audit, v_audit_head, v_audit_base FROM audit_log WHERE id = 1 FOR UPDATE;
            IF NOT FOUND THEN
              RAISE EXCEPTION 'the row that says where its audit log ends is missing' USING ERRCODE = 'TL002';
            END IF;
            IF v_audit > v_audit_base
              AND NOT EXISTS (SELECT 1 FROM audit WHERE sequence = v_audit AND link = v_audit_head)
            THEN
              RAISE EXCEPTION 'the last entry of its audit log, %, is missing or was changed', v_audit
                USING ERRCODE = 'TL002';
            END IF;
          END IF;

          -- What is judged first is what a write is refused for: its key, its webhook, its payment's version, the
          -- order, its documents.
          IF p_writes ? 'keys' THEN
            FOR f IN
              SELECT i.n, i.fingerprint AS sent, k.*, NOT k.finished AND till_lives(k.owner) AS alive
              FROM jsonb_to_recordset(p_writes->'keys') AS i(
                n integer, account text, operation text, key text, first boolean, fingerprint integer)
              CROSS JOIN LATERAL (
                SELECT * FROM idempotency
                WHERE account = i.account AND operation = i.operation AND key = i.key LIMIT 1) AS k
              WHERE i.first AND NOT (p_trusted AND p_now - k.created_at > p_retention)
            LOOP
              IF f.finished OR f.alive OR f.fingerprint <> v_bytes[f.sent] THEN
                v_good[f.n] := false;
                v_refusals[f.n] := jsonb_build_object(
                  'refused', 'key', 'fingerprint', encode(f.fingerprint, 'hex'),
                  'request', encode(f.request, 'hex'), 'finished', f.finished, 'payment', f.payment,
                  'step', f.step, 'status', f.status, 'body', encode(coalesce(f.body, ''), 'hex'),
                  'created_at', f.created_at, 'alive', f.alive);
              END IF;
            END LOOP;
          END IF;

          IF p_writes ? 'webhooks' THEN
            FOR f IN
              SELECT h.n FROM jsonb_to_recordset(p_writes->'webhooks') AS h(n integer, provider text, id text)
              WHERE v_good[h.n] AND EXISTS (SELECT 1 FROM webhook WHERE provider = h.provider AND id = h.id)
            LOOP
              v_good[f.n] := false;
              v_refusals[f.n] := '{"refused": "webhook"}';
            END LOOP;
          END IF;

          IF p_writes ? 'conditions' THEN
            FOR f IN
              SELECT c.n, c.place, c.found FROM (
                SELECT n, place, expected, coalesce((SELECT version FROM record
                  WHERE record.collection = condition.collection AND record.key = condition.key), 0) AS found
                FROM jsonb_to_recordset(p_writes->'conditions') AS condition(
                  n integer, place integer, collection text, key text, expected bigint)) AS c
              WHERE c.found <> c.expected ORDER BY c.n, c.place
            LOOP
              -- The first one of a write is told.
              CONTINUE WHEN v_conflicts[f.n] IS NOT NULL;
              v_conflicts[f.n] := jsonb_build_object('refused', 'record', 'index', f.place, 'current', f.found);
              v_is_contested := true;
            END LOOP;
          END IF;

          IF p_writes ? 'appends' THEN
            FOR f IN
              SELECT a.n, a.expected, a.status, a.events, a.pending, a.holder,
                coalesce(p.version, 0) AS version, p.status AS was, coalesce(p.pending, false) AS planned,
                CASE WHEN a.expected = 0 AND a.live THEN coalesce(
                  (SELECT id FROM payment
                    WHERE account = a.account AND order_id = a.order_id AND live = 1),
                  -- Apart, so that the least id is not looked for along all payments of the account.
                  (SELECT min(id) FROM (SELECT id FROM payment
                    WHERE account = a.account AND order_id = a.order_id AND live = 2 OFFSET 0) AS returned))
                END AS occupant
              FROM jsonb_to_recordset(p_writes->'appends') AS a(
                n integer, id text, account text, order_id text, live boolean, expected bigint, status text,
                events boolean, pending boolean, holder text)
              LEFT JOIN LATERAL (
                SELECT version, status, EXISTS (SELECT 1 FROM outbox WHERE outbox.payment = payment.id) AS pending
                FROM payment WHERE id = a.id LIMIT 1) AS p ON true
              WHERE v_good[a.n]
            LOOP
              IF f.version <> f.expected THEN
                v_good[f.n] := false;
                v_refusals[f.n] := jsonb_build_object('refused', 'version', 'current', f.version);
              ELSIF f.occupant IS NOT NULL THEN
                v_good[f.n] := false;
                v_refusals[f.n] := jsonb_build_object('refused', 'order', 'by', f.occupant);
              ELSIF v_conflicts[f.n] IS NULL THEN
                IF f.events THEN
                  v_inserts := v_inserts OR f.expected = 0;
                  v_updates := v_updates OR f.expected > 0;
                  IF f.was IS DISTINCT FROM f.status THEN
                    v_more := v_more || ('payment ' || f.status);
                    IF f.was IS NOT NULL THEN v_fewer := v_fewer || ('payment ' || f.was); END IF;
                  END IF;
                END IF;
                IF f.pending THEN
                  v_keeps := v_keeps OR f.holder = 'unchanged';
                  v_plans := v_plans OR f.holder IS DISTINCT FROM 'unchanged';
                  IF NOT f.planned THEN v_more := v_more || 'outbox'::text; END IF;
                ELSIF f.planned THEN
                  v_settles := true;
                  v_fewer := v_fewer || 'outbox'::text;
                END IF;
              END IF;
            END LOOP;
          END IF;

          IF v_is_contested THEN
            FOR v_number IN 1..p_count LOOP
              IF v_good[v_number] AND v_conflicts[v_number] IS NOT NULL THEN
                v_good[v_number] := false;
                v_refusals[v_number] := v_conflicts[v_number];
              END IF;
            END LOOP;
          END IF;

          -- What is good is written.
          IF p_writes ? 'events' THEN
            -- Into arrays, whose elements are found at once; a cursor would copy all bytes and search them each time.
            SELECT array_agg(e.n ORDER BY e.nr), array_agg(
                int8send(e.version) || int8send(e.at)
                || int8send(octet_length(e.payment)::bigint) || convert_to(e.payment, 'UTF8')
                || int8send(octet_length(e.account)::bigint) || convert_to(e.account, 'UTF8')
                || int8send(octet_length(e.name)::bigint) || convert_to(e.name, 'UTF8')
                || int8send(length(v_bytes[e.body])::bigint) || v_bytes[e.body] ORDER BY e.nr)
              INTO v_writes, v_linked
              FROM jsonb_to_recordset(p_writes->'events') AS e(
                nr integer, n integer, payment text, account text, version bigint, name text, at bigint, body integer);
            FOR v_number IN 1..array_length(v_writes, 1) LOOP
              v_write := v_writes[v_number];
              CONTINUE WHEN NOT v_good[v_write];
              IF v_places[v_write] IS NULL THEN v_places[v_write] := v_sequence; END IF;
              v_sequence := v_sequence + 1;
              v_head := sha256(v_head || int8send(v_sequence) || v_linked[v_number]);
              v_sequences[v_number] := v_sequence;
              v_links[v_number] := v_head;
            END LOOP;
            INSERT INTO event(sequence, payment, version, account, name, at, body, link)
              SELECT v_sequences[e.nr], e.payment, e.version, e.account, e.name, e.at,
                convert_from(v_bytes[e.body], 'UTF8'), v_links[e.nr]
              FROM jsonb_to_recordset(p_writes->'events') AS e(
                nr integer, n integer, payment text, account text, version bigint, name text, at bigint, body integer)
              WHERE v_good[e.n] ORDER BY e.nr;
          END IF;

          IF v_inserts THEN
            INSERT INTO payment(id, account, order_id, order_number, live, version, status, amount, currency,
                captured, refunded, provider, tender, created_at, updated_at)
              SELECT a.id, a.account, a.order_id, a.order_number, CASE WHEN a.live THEN 1 ELSE 0 END, a.version,
                a.status, a.amount, a.currency, a.captured, a.refunded, a.provider, a.tender, a.created_at,
                a.updated_at
              FROM jsonb_to_recordset(p_writes->'appends') AS a(
                n integer, id text, account text, order_id text, order_number text, live boolean, expected bigint,
                version bigint, status text, amount bigint, currency text, captured bigint, refunded bigint,
                provider text, tender text, created_at bigint, updated_at bigint)
              WHERE v_good[a.n] AND a.expected = 0;
          END IF;
          IF v_updates THEN
            UPDATE payment SET
              live = CASE WHEN NOT a.live THEN 0 WHEN payment.live > 0 THEN payment.live WHEN EXISTS (
                  SELECT 1 FROM payment AS other WHERE other.account = payment.account
                  AND other.order_id = payment.order_id AND other.live = 1) THEN 2 ELSE 1 END,
              version = a.version, status = a.status, captured = a.captured, refunded = a.refunded,
              provider = a.provider, tender = a.tender, updated_at = a.updated_at
              FROM jsonb_to_recordset(p_writes->'appends') AS a(
                n integer, id text, live boolean, expected bigint, events boolean, version bigint, status text,
                captured bigint, refunded bigint, provider text, tender text, updated_at bigint)
              WHERE payment.id = a.id AND v_good[a.n] AND a.expected > 0 AND a.events;
          END IF;
          IF v_plans THEN
            INSERT INTO outbox(payment, due_at, owner)
              SELECT a.id, a.due, CASE WHEN a.holder = 'this' THEN p_owner END
              FROM jsonb_to_recordset(p_writes->'appends') AS a(
                n integer, id text, pending boolean, holder text, due bigint)
              WHERE v_good[a.n] AND a.pending AND a.holder IS DISTINCT FROM 'unchanged'
              ON CONFLICT (payment) DO UPDATE SET due_at = excluded.due_at, owner = excluded.owner;
          END IF;
          IF v_keeps THEN
            INSERT INTO outbox(payment, due_at)
              SELECT a.id, a.due
              FROM jsonb_to_recordset(p_writes->'appends') AS a(
                n integer, id text, pending boolean, holder text, due bigint)
              WHERE v_good[a.n] AND a.pending AND a.holder = 'unchanged'
              ON CONFLICT (payment) DO UPDATE SET due_at = excluded.due_at;
          END IF;
          IF v_settles THEN
            DELETE FROM outbox WHERE payment = ANY (ARRAY (
              SELECT a.id FROM jsonb_to_recordset(p_writes->'appends') AS a(n integer, id text, pending boolean)
              WHERE v_good[a.n] AND NOT a.pending));
          END IF;

          IF p_writes ? 'keys' THEN
            INSERT INTO idempotency(account, operation, key, fingerprint, request, finished, payment, step, status,
                body, owner, created_at)
              SELECT i.account, i.operation, i.key, v_bytes[i.fingerprint], v_bytes[i.request], i.finished, i.payment,
                i.step, i.status, v_bytes[i.body], CASE WHEN NOT i.finished THEN p_owner END, i.created_at
              FROM jsonb_to_recordset(p_writes->'keys') AS i(
                n integer, account text, operation text, key text, fingerprint integer, request integer,
                finished boolean, payment text, step text, status bigint, body integer, created_at bigint)
              WHERE v_good[i.n]
              ON CONFLICT (account, operation, key) DO UPDATE SET fingerprint = excluded.fingerprint,
                request = excluded.request, finished = excluded.finished, payment = excluded.payment,
                step = excluded.step, status = excluded.status, body = excluded.body, owner = excluded.owner,
                created_at = excluded.created_at;
          END IF;
          IF p_writes ? 'webhooks' THEN
            INSERT INTO webhook(provider, id, at)
              SELECT h.provider, h.id, h.at
              FROM jsonb_to_recordset(p_writes->'webhooks') AS h(n integer, provider text, id text, at bigint)
              WHERE v_good[h.n];
          END IF;
          IF p_writes ? 'wakes' THEN
            SELECT array_agg(a.payment), array_agg(a.at) INTO v_woken, v_moments
              FROM jsonb_to_recordset(p_writes->'wakes') AS a(n integer, payment text, at bigint) WHERE v_good[a.n];
            UPDATE outbox SET due_at = least(due_at, v_moments[array_position(v_woken, payment)])
              WHERE payment = ANY (v_woken) AND due_at IS NOT NULL;
          END IF;

          IF p_writes ? 'records' THEN
            FOR f IN
              SELECT * FROM jsonb_to_recordset(p_writes->'records') AS r(
                n integer, place integer, verb text, collection text, key text, body integer, due bigint, held boolean,
                fields jsonb)
              WHERE v_good[r.n] AND r.verb IN ('insert', 'update', 'delete') ORDER BY r.n, r.place
            LOOP
              v_position := NULL;
              CASE f.verb
              WHEN 'insert' THEN
                INSERT INTO record(collection, key, version, body, due_at, owner, created_at, updated_at)
                  VALUES (f.collection, f.key, 1, v_bytes[f.body], f.due, CASE WHEN f.held THEN p_owner END, p_now,
                    p_now)
                  ON CONFLICT (collection, key) DO NOTHING RETURNING position INTO v_position;
              WHEN 'update' THEN
                UPDATE record SET version = version + 1, body = v_bytes[f.body], due_at = f.due,
                    owner = CASE WHEN f.held THEN p_owner END, updated_at = p_now
                  WHERE collection = f.collection AND key = f.key RETURNING position INTO v_position;
                DELETE FROM record_field WHERE record = v_position;
              ELSE
                DELETE FROM record WHERE collection = f.collection AND key = f.key;
              END CASE;
              IF v_position IS NOT NULL THEN
                INSERT INTO record_field(collection, name, value, record)
                  SELECT f.collection, field.key, field.value, v_position FROM jsonb_each_text(f.fields) AS field;
              END IF;
            END LOOP;
            FOR f IN
              SELECT * FROM jsonb_to_recordset(p_writes->'records') AS r(
                n integer, place integer, verb text, collection text, due bigint, most bigint, "limit" bigint,
                name text, value text)
              WHERE v_good[r.n] AND r.verb IN ('forget', 'keep') ORDER BY r.n, r.place
            LOOP
              IF f.verb = 'forget' THEN
                CONTINUE WHEN NOT p_trusted;
                DELETE FROM record WHERE position IN (
                  SELECT position FROM record WHERE collection = f.collection
                    AND due_at <= f.due ORDER BY due_at, position LIMIT f.most);
              ELSIF f.name IS NOT NULL THEN
                SELECT count(*) INTO v_found FROM record_field
                  WHERE collection = f.collection AND name = f.name AND value = f.value;
                DELETE FROM record WHERE position IN (
                  SELECT record FROM record_field
                    WHERE collection = f.collection AND name = f.name AND value = f.value
                    ORDER BY record LIMIT greatest(0, least(v_found - f."limit", f.most)));
              ELSE
                SELECT count(*) INTO v_found FROM record WHERE collection = f.collection;
                DELETE FROM record WHERE position IN (
                  SELECT position FROM record WHERE collection = f.collection ORDER BY position
                    LIMIT greatest(0, least(v_found - f."limit", f.most)));
              END IF;
            END LOOP;
          END IF;

          IF p_notes THEN
            FOR f IN
              SELECT note.body FROM jsonb_to_recordset(p_writes->'notes') AS note(nr integer, n integer, body integer)
              WHERE v_good[note.n] ORDER BY note.nr
            LOOP
              v_audit := v_audit + 1;
              v_body := convert_to('\(AuditEntry.opening)' || v_audit, 'UTF8') || v_bytes[f.body];
              v_audit_head := sha256(v_audit_head || v_body);
              INSERT INTO audit(sequence, at, body, link)
                VALUES (v_audit, p_now, convert_from(v_body, 'UTF8'), v_audit_head);
            END LOOP;
            UPDATE audit_log SET sequence = v_audit, head = v_audit_head WHERE id = 1;
          END IF;
          IF v_sequence > v_first THEN
            UPDATE journal SET sequence = v_sequence, head = v_head WHERE id = 1;
          END IF;
          IF v_more <> '{}' OR v_fewer <> '{}' THEN
            INSERT INTO tally(name, count)
              SELECT name, sum(change) FROM (
                SELECT unnest(v_more) AS name, 1 AS change UNION ALL SELECT unnest(v_fewer), -1) AS changes
              GROUP BY name HAVING sum(change) <> 0
              ON CONFLICT (name) DO UPDATE SET count = tally.count + excluded.count;
          END IF;
          p_outcome := jsonb_build_object(
            'sequence', v_sequence, 'head', encode(v_head, 'hex'), 'writes', (
              SELECT jsonb_agg(coalesce(v_refusals[n], to_jsonb(coalesce(v_places[n], v_sequence))) ORDER BY n)
              FROM generate_series(1, p_count::integer) AS n))::text;
          UPDATE counter_live SET outcome = p_outcome WHERE owner = p_owner;
          COMMIT;
        END
        $till$;
        """
}
