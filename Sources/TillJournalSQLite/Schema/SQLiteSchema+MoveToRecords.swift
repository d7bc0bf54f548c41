import GRDB
import TillJournal

extension SQLiteSchema {
    /// Converts the features' tables to records, one for each row, in order of creation. Owner numbers are kept, so
    /// records held by a dead process are still recognized as such.
    static func registerMoveToRecords(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("features become records") { db in
            try db.execute(sql: [keys, printing, wallets, transactions, mail, notifications].joined(separator: "\n"))
            try db.execute(sql: "PRAGMA user_version = 2")
        }
    }

    private static let keys = """
        INSERT INTO record(collection, key, version, body, created_at, updated_at)
        SELECT 'api_key', lower(hex(hash)), 1,
          CAST(json_object('account', account, 'label', label, 'revoked_at', revoked_at) AS BLOB),
          created_at, ifnull(revoked_at, created_at)
        FROM api_key ORDER BY created_at, rowid;
        DROP TABLE api_key;
        """

    private static let printing = """
        INSERT INTO record(collection, key, version, body, created_at, updated_at)
        SELECT 'printer', name, 1,
          CAST(json_object(
            'address', address, 'profile', profile, 'certificate', iif(certificate IS NULL, NULL, \
            lower(hex(certificate))),
            'trusts_first', json(iif(trusts_first, 'true', 'false')), 'user', user, 'password_file', password_file
          ) AS BLOB), 0, 0
        FROM printer ORDER BY name;
        DROP TABLE printer;

        INSERT INTO record(collection, key, version, body, due_at, owner, created_at, updated_at)
        SELECT 'print_job', id, 1,
          CAST(json_object(
            'payment', payment, 'printer', printer, 'copy', copy, 'copies', copies, 'width', width, 'refund', refund,
            'reprint', json(iif(reprint, 'true', 'false')), 'state', state, 'number', number,
            'begun', json(iif(begun, 'true', 'false')), 'tries', tries, 'next_try_at', next_try_at, 'note', note
          ) AS BLOB), iif(state = 'waiting', next_try_at, NULL), iif(state = 'sending', owner, NULL), created_at, \
          created_at
        FROM print_job ORDER BY created_at, id;
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'payment', payment, position FROM record JOIN print_job ON key = id
        WHERE collection = 'print_job';
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'state', state, position FROM record JOIN print_job ON key = id
        WHERE collection = 'print_job';
        DROP TABLE print_job;
        """

    /// A basket without a payment is kept for a day; one with a completed payment for 180 days.
    private static let wallets = """
        INSERT INTO record(collection, key, version, body, due_at, owner, created_at, updated_at)
        SELECT 'wallet_basket', id, 1,
          CAST(json_object(
            'account', account, 'version', version, 'nonce', lower(hex(nonce)), 'opened_at', opened_at,
            'document', json(iif(json_valid(CAST(document AS TEXT)), CAST(document AS TEXT), 'null')),
            'transaction', txn, 'payment', payment,
            'contact', json(iif(json_valid(CAST(contact AS TEXT)), CAST(contact AS TEXT), 'null')),
            'answer', json(iif(json_valid(CAST(answer AS TEXT)), CAST(answer AS TEXT), 'null'))
          ) AS BLOB),
          CASE WHEN txn IS NULL THEN opened_at + 86400000 WHEN answer IS NOT NULL THEN opened_at + 15552000000 END,
          iif(txn IS NOT NULL AND answer IS NULL, owner, NULL), opened_at, opened_at
        FROM wallet_basket ORDER BY opened_at, rowid;
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'open', '1', position FROM record JOIN wallet_basket ON key = id
        WHERE collection = 'wallet_basket' AND txn IS NULL;
        DROP TABLE wallet_basket;

        INSERT INTO record(collection, key, version, body, created_at, updated_at)
        SELECT 'wallet_account', lower(hex(name)), 1,
          CAST(json_object('id', id, 'token', lower(hex(token))) AS BLOB), created_at, created_at
        FROM wallet_account ORDER BY rowid;
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'token', lower(hex(token)), position FROM record JOIN wallet_account ON key = \
        lower(hex(name))
        WHERE collection = 'wallet_account';
        DROP TABLE wallet_account;

        INSERT INTO record(collection, key, version, body, created_at, updated_at)
        SELECT 'wallet_token_event', id, 1,
          CAST(json_object(
            'details', json(iif(json_valid(CAST(document AS TEXT)), CAST(document AS TEXT), 'null'))) AS BLOB),
          received_at, received_at
        FROM wallet_token_event ORDER BY received_at, rowid;
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'waiting', '1', position FROM record JOIN wallet_token_event ON key = id
        WHERE collection = 'wallet_token_event' AND document IS NULL;
        DROP TABLE wallet_token_event;
        """

    /// Wallet transactions were stored among the idempotency keys, with the order's digest as fingerprint.
    private static let transactions = """
        INSERT INTO record(collection, key, version, body, due_at, created_at, updated_at)
        SELECT 'wallet_transaction', key, 1, fingerprint, created_at + 2592000000, created_at, created_at
        FROM idempotency WHERE account = 'main' AND operation = 'applepay transaction' ORDER BY rowid;
        DELETE FROM idempotency WHERE account = 'main' AND operation = 'applepay transaction';
        """

    private static let mail = """
        INSERT INTO record(collection, key, version, body, owner, created_at, updated_at)
        SELECT 'receipt_mail', id, 1,
          CAST(json_object('payment', payment, 'to', masked, 'state', state, 'note', note) AS BLOB),
          iif(state = 'sending', owner, NULL), created_at, created_at
        FROM receipt_mail ORDER BY created_at, id;
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'payment', payment, position FROM record JOIN receipt_mail ON key = id
        WHERE collection = 'receipt_mail';
        DROP TABLE receipt_mail;
        """

    private static let notifications = """
        INSERT INTO record(collection, key, version, body, created_at, updated_at)
        SELECT provider || '_notification', name, 1, document, received_at, received_at
        FROM provider_notice ORDER BY seq;
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'reference', reference, position
        FROM record JOIN provider_notice ON key = name AND collection = provider || '_notification';
        INSERT INTO record_field(collection, name, value, record)
        SELECT collection, 'payment', payment, position
        FROM record JOIN provider_notice ON key = name AND collection = provider || '_notification'
        WHERE payment IS NOT NULL;
        DROP TABLE provider_notice;
        """
}
