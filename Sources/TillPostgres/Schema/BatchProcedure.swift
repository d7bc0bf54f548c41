import TillJournal

/// The procedure that writes a batch: it fences its owner, locks the journal, judges each write as if it came alone,
/// writes what is good, and commits, all within one command, so that no lock waits for a client.
enum BatchProcedure {
    /// Its parameters are those of ``BatchEncoding``. The outcome is a text in JSON: `head`, and for each write the
    /// place of the event before its first one, or why it is refused.
    static let call = "CALL till_write_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, NULL)"

    static let sql = """
        CREATE PROCEDURE till_write_1(
          p_owner bigint, p_session bigint, p_batch bigint, p_lease bigint, p_now bigint, p_trusted boolean,
          p_retention bigint, p_appends boolean, p_notes boolean, p_seen bigint, p_seen_head bytea, p_writes jsonb, \
          p_bytes bytea[],
          INOUT p_outcome text)
        LANGUAGE plpgsql AS $till$
        DECLARE
          v_bytes bytea[] := p_bytes;
          v_outcomes jsonb[] := '{}';
          v_more text[] := '{}';
          v_fewer text[] := '{}';
          w jsonb; a jsonb; i jsonb; h jsonb; r jsonb; e jsonb; f record;
          v_refusal jsonb;
          v_key record;
          v_alive boolean;
          v_sequence bigint; v_head bytea; v_first bigint; v_is_new boolean;
          v_version bigint; v_status text; v_pending boolean;
          v_found bigint; v_position bigint; v_occupant text;
          v_payment bytea; v_account bytea; v_name bytea; v_body bytea;
          v_audit bigint; v_audit_head bytea; v_audit_base bigint;
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

          FOR w IN SELECT value FROM jsonb_array_elements(p_writes) LOOP
            v_refusal := NULL;
            a := w->'append'; i := w->'key'; h := w->'webhook';

            IF i IS NOT NULL AND (i->>'first')::boolean THEN
              SELECT * INTO v_key FROM idempotency
                WHERE account = i->>'account' AND operation = i->>'operation' AND key = i->>'key';
              IF FOUND AND NOT (p_trusted AND p_now - v_key.created_at > p_retention) THEN
                v_alive := NOT v_key.finished AND till_lives(v_key.owner);
                IF v_key.finished OR v_alive OR v_key.fingerprint <> v_bytes[(i->>'fingerprint')::integer] THEN
                  v_refusal := jsonb_build_object(
                    'refused', 'key', 'fingerprint', encode(v_key.fingerprint, 'hex'),
                    'request', encode(v_key.request, 'hex'), 'finished', v_key.finished, 'payment', v_key.payment,
                    'step', v_key.step, 'status', v_key.status, 'body', encode(coalesce(v_key.body, ''), 'hex'),
                    'created_at', v_key.created_at, 'alive', v_alive);
                END IF;
              END IF;
            END IF;

            IF v_refusal IS NULL AND h IS NOT NULL AND EXISTS (
              SELECT 1 FROM webhook WHERE provider = h->>'provider' AND id = h->>'id')
            THEN
              v_refusal := '{"refused": "webhook"}';
            END IF;

            IF v_refusal IS NULL AND a IS NOT NULL THEN
              SELECT version, status, EXISTS (SELECT 1 FROM outbox WHERE outbox.payment = payment.id)
                INTO v_version, v_status, v_pending FROM payment WHERE id = a->>'id';
              IF NOT FOUND THEN v_version := 0; v_status := NULL; v_pending := false; END IF;
              IF v_version <> (a->>'expected')::bigint THEN
                v_refusal := jsonb_build_object('refused', 'version', 'current', v_version);
              ELSIF v_version = 0 AND (a->>'live')::boolean THEN
                v_occupant := coalesce(
                  (SELECT id FROM payment
                    WHERE account = a->>'account' AND order_id = a->>'order' AND live = 1),
                  -- Apart, so that the least id is not looked for along all payments of the account.
                  (SELECT min(id) FROM (SELECT id FROM payment
                    WHERE account = a->>'account' AND order_id = a->>'order' AND live = 2 OFFSET 0) AS returned));
                IF v_occupant IS NOT NULL THEN
                  v_refusal := jsonb_build_object('refused', 'order', 'by', v_occupant);
                END IF;
              END IF;
            END IF;

            IF v_refusal IS NULL AND w ? 'records' THEN
              v_position := 0;
              FOR r IN SELECT value FROM jsonb_array_elements(w->'records') LOOP
                IF r ? 'from' THEN
                  v_found := coalesce(
                    (SELECT version FROM record WHERE collection = r->>'collection' AND key = r->>'key'), 0);
                  IF v_found <> (r->>'from')::bigint THEN
                    v_refusal := jsonb_build_object('refused', 'record', 'index', v_position, 'current', v_found);
                    EXIT;
                  END IF;
                END IF;
                v_position := v_position + 1;
              END LOOP;
            END IF;

            IF v_refusal IS NOT NULL THEN
              v_outcomes := v_outcomes || v_refusal;
              CONTINUE;
            END IF;
            v_outcomes := v_outcomes || to_jsonb(v_sequence);

            IF a IS NOT NULL THEN
              v_payment := convert_to(a->>'id', 'UTF8');
              v_account := convert_to(a->>'account', 'UTF8');
              v_is_new := v_version = 0;
              FOR e IN SELECT value FROM jsonb_array_elements(a->'events') LOOP
                v_sequence := v_sequence + 1;
                v_version := v_version + 1;
                v_name := convert_to(e->>'name', 'UTF8');
                v_body := v_bytes[(e->>'body')::integer];
                v_head := sha256(
                  v_head || int8send(v_sequence) || int8send(v_version) || int8send((e->>'at')::bigint)
                  || int8send(length(v_payment)::bigint) || v_payment
                  || int8send(length(v_account)::bigint) || v_account
                  || int8send(length(v_name)::bigint) || v_name
                  || int8send(length(v_body)::bigint) || v_body);
                INSERT INTO event(sequence, payment, version, account, name, at, body, link)
                  VALUES (v_sequence, a->>'id', v_version, a->>'account', e->>'name', (e->>'at')::bigint,
                    convert_from(v_body, 'UTF8'), v_head);
              END LOOP;
              IF v_is_new THEN
                INSERT INTO payment(id, account, order_id, order_number, live, version, status, amount, currency,
                    captured, refunded, provider, tender, created_at, updated_at)
                  VALUES (a->>'id', a->>'account', a->>'order', a->>'number',
                    CASE WHEN (a->>'live')::boolean THEN 1 ELSE 0 END, (a->>'version')::bigint, a->>'status',
                    (a->>'amount')::bigint, a->>'currency', (a->>'captured')::bigint, (a->>'refunded')::bigint,
                    a->>'provider', a->>'tender', (a->>'created_at')::bigint, (a->>'updated_at')::bigint);
              ELSIF jsonb_array_length(a->'events') > 0 THEN
                UPDATE payment SET
                  live = CASE WHEN NOT (a->>'live')::boolean THEN 0 WHEN live > 0 THEN live WHEN EXISTS (
                      SELECT 1 FROM payment AS other WHERE other.account = payment.account
                      AND other.order_id = payment.order_id AND other.live = 1) THEN 2 ELSE 1 END,
                  version = (a->>'version')::bigint, status = a->>'status', captured = (a->>'captured')::bigint,
                  refunded = (a->>'refunded')::bigint, provider = a->>'provider', tender = a->>'tender',
                  updated_at = (a->>'updated_at')::bigint
                  WHERE id = a->>'id';
              END IF;
              IF jsonb_array_length(a->'events') > 0 AND v_status IS DISTINCT FROM a->>'status' THEN
                v_more := v_more || ('payment ' || (a->>'status'));
                IF v_status IS NOT NULL THEN v_fewer := v_fewer || ('payment ' || v_status); END IF;
              END IF;
              IF (a->>'pending')::boolean THEN
                INSERT INTO outbox(payment, due_at, owner)
                  VALUES (a->>'id', (a->>'due')::bigint,
                    CASE WHEN a->>'holder' = 'this' THEN p_owner END)
                  ON CONFLICT (payment) DO UPDATE SET due_at = excluded.due_at,
                    owner = CASE WHEN a->>'holder' = 'unchanged' THEN outbox.owner ELSE excluded.owner END;
                IF NOT v_pending THEN v_more := v_more || 'outbox'::text; END IF;
              ELSIF v_pending THEN
                DELETE FROM outbox WHERE payment = a->>'id';
                v_fewer := v_fewer || 'outbox'::text;
              END IF;
            END IF;

            IF i IS NOT NULL THEN
              INSERT INTO idempotency(account, operation, key, fingerprint, request, finished, payment, step, status,
                  body, owner, created_at)
                VALUES (i->>'account', i->>'operation', i->>'key', v_bytes[(i->>'fingerprint')::integer],
                  v_bytes[(i->>'request')::integer], (i->>'finished')::boolean, i->>'payment', i->>'step',
                  (i->>'status')::bigint, v_bytes[(i->>'body')::integer],
                  CASE WHEN NOT (i->>'finished')::boolean THEN p_owner END, (i->>'created_at')::bigint)
                ON CONFLICT (account, operation, key) DO UPDATE SET fingerprint = excluded.fingerprint,
                  request = excluded.request, finished = excluded.finished, payment = excluded.payment,
                  step = excluded.step, status = excluded.status, body = excluded.body, owner = excluded.owner,
                  created_at = excluded.created_at;
            END IF;
            IF h IS NOT NULL THEN
              INSERT INTO webhook(provider, id, at) VALUES (h->>'provider', h->>'id', (h->>'at')::bigint);
            END IF;
            IF w ? 'wake' THEN
              UPDATE outbox SET due_at = (w->'wake'->>'at')::bigint
                WHERE payment = w->'wake'->>'payment' AND due_at > (w->'wake'->>'at')::bigint;
            END IF;

            IF w ? 'records' THEN
              FOR r IN SELECT value FROM jsonb_array_elements(w->'records') LOOP
                v_position := NULL;
                CASE r->>'do'
                WHEN 'insert' THEN
                  INSERT INTO record(collection, key, version, body, due_at, owner, created_at, updated_at)
                    VALUES (r->>'collection', r->>'key', 1, v_bytes[(r->>'body')::integer], (r->>'due')::bigint,
                      CASE WHEN (r->>'held')::boolean THEN p_owner END, p_now, p_now)
                    ON CONFLICT (collection, key) DO NOTHING RETURNING position INTO v_position;
                WHEN 'update' THEN
                  UPDATE record SET version = version + 1, body = v_bytes[(r->>'body')::integer],
                      due_at = (r->>'due')::bigint, owner = CASE WHEN (r->>'held')::boolean THEN p_owner END,
                      updated_at = p_now
                    WHERE collection = r->>'collection' AND key = r->>'key' RETURNING position INTO v_position;
                  DELETE FROM record_field WHERE record = v_position;
                WHEN 'delete' THEN
                  DELETE FROM record WHERE collection = r->>'collection' AND key = r->>'key';
                ELSE NULL;
                END CASE;
                IF v_position IS NOT NULL THEN
                  FOR f IN SELECT * FROM jsonb_each_text(r->'fields') LOOP
                    INSERT INTO record_field(collection, name, value, record)
                      VALUES (r->>'collection', f.key, f.value, v_position);
                  END LOOP;
                END IF;
              END LOOP;
              FOR r IN SELECT value FROM jsonb_array_elements(w->'records') LOOP
                IF r->>'do' = 'forget' AND p_trusted THEN
                  DELETE FROM record WHERE position IN (
                    SELECT position FROM record WHERE collection = r->>'collection'
                      AND due_at <= (r->>'due')::bigint ORDER BY due_at, position LIMIT (r->>'most')::bigint);
                ELSIF r->>'do' = 'keep' AND r ? 'name' THEN
                  SELECT count(*) INTO v_found FROM record_field
                    WHERE collection = r->>'collection' AND name = r->>'name' AND value = r->>'value';
                  DELETE FROM record WHERE position IN (
                    SELECT record FROM record_field
                      WHERE collection = r->>'collection' AND name = r->>'name' AND value = r->>'value'
                      ORDER BY record
                      LIMIT greatest(0, least(v_found - (r->>'limit')::bigint, (r->>'most')::bigint)));
                ELSIF r->>'do' = 'keep' THEN
                  SELECT count(*) INTO v_found FROM record WHERE collection = r->>'collection';
                  DELETE FROM record WHERE position IN (
                    SELECT position FROM record WHERE collection = r->>'collection' ORDER BY position
                      LIMIT greatest(0, least(v_found - (r->>'limit')::bigint, (r->>'most')::bigint)));
                END IF;
              END LOOP;
            END IF;

            IF w ? 'audit' THEN
              FOR e IN SELECT value FROM jsonb_array_elements(w->'audit') LOOP
                v_audit := v_audit + 1;
                v_body := convert_to('\(AuditEntry.opening)' || v_audit, 'UTF8') || v_bytes[e::integer];
                v_audit_head := sha256(v_audit_head || v_body);
                INSERT INTO audit(sequence, at, body, link)
                  VALUES (v_audit, p_now, convert_from(v_body, 'UTF8'), v_audit_head);
              END LOOP;
            END IF;
          END LOOP;

          IF p_notes THEN UPDATE audit_log SET sequence = v_audit, head = v_audit_head WHERE id = 1; END IF;
          IF v_sequence > v_first THEN
            UPDATE journal SET sequence = v_sequence, head = v_head WHERE id = 1;
          END IF;
          INSERT INTO tally(name, count)
            SELECT name, sum(change) FROM (
              SELECT unnest(v_more) AS name, 1 AS change UNION ALL SELECT unnest(v_fewer), -1) AS changes
            GROUP BY name HAVING sum(change) <> 0
            ON CONFLICT (name) DO UPDATE SET count = tally.count + excluded.count;
          p_outcome := jsonb_build_object(
            'sequence', v_sequence, 'head', encode(v_head, 'hex'), 'writes', to_jsonb(v_outcomes))::text;
          UPDATE counter_live SET outcome = p_outcome WHERE owner = p_owner;
          COMMIT;
        END
        $till$;
        """
}
