import GRDB
import TillJournal

/// Tables that features had before the record store. Their contents become records, and the tables are dropped.
extension SQLiteSchema {
    /// Print jobs for receipts, and printers by name.
    static func registerPrinting(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("printing") { db in
            try db.execute(
                sql: """
                    CREATE TABLE printer(
                      name TEXT PRIMARY KEY NOT NULL, address TEXT NOT NULL, profile TEXT NOT NULL, certificate BLOB
                    ) STRICT;

                    CREATE TABLE print_job(
                      id TEXT PRIMARY KEY NOT NULL, payment TEXT NOT NULL, printer TEXT NOT NULL, copy TEXT NOT NULL,
                      copies INTEGER NOT NULL, reprint INTEGER NOT NULL, state TEXT NOT NULL, number INTEGER,
                      note TEXT NOT NULL, owner INTEGER, created_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX print_job_payment ON print_job(payment);
                    CREATE INDEX print_job_open ON print_job(state) WHERE state IN ('waiting', 'sending');
                    """)
        }
        migrator.registerMigration("printing: steps, tries, trust") { db in
            // Jobs that were being sent before this was recorded may have begun.
            try db.execute(
                sql: """
                    ALTER TABLE print_job ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE print_job ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE print_job ADD COLUMN next_try_at INTEGER NOT NULL DEFAULT 0;
                    UPDATE print_job SET begun = 1 WHERE state = 'sending';
                    ALTER TABLE printer ADD COLUMN trusts_first INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE printer ADD COLUMN user TEXT;
                    ALTER TABLE printer ADD COLUMN password_file TEXT;
                    """)
        }
        migrator.registerMigration("printing: paper, refunds") { db in
            try db.execute(
                sql: """
                    ALTER TABLE print_job ADD COLUMN width TEXT;
                    ALTER TABLE print_job ADD COLUMN refund TEXT;
                    """)
        }
    }

    /// Baskets of payment sheets, customer accounts, and wallet token events.
    static func registerWallets(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("wallets") { db in
            try db.execute(
                sql: """
                    CREATE TABLE wallet_basket(
                      id TEXT PRIMARY KEY NOT NULL, account TEXT, version INTEGER NOT NULL, document BLOB NOT NULL,
                      nonce BLOB NOT NULL, opened_at INTEGER NOT NULL, txn TEXT, owner INTEGER, payment TEXT,
                      contact BLOB, answer BLOB
                    ) STRICT;
                    CREATE INDEX wallet_basket_open ON wallet_basket(opened_at) WHERE txn IS NULL;
                    CREATE INDEX wallet_basket_paid ON wallet_basket(opened_at) WHERE txn IS NOT NULL;

                    CREATE TABLE wallet_account(
                      name BLOB PRIMARY KEY NOT NULL, id TEXT NOT NULL, token BLOB NOT NULL, created_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE UNIQUE INDEX wallet_account_token ON wallet_account(token);

                    CREATE TABLE wallet_token_event(
                      id TEXT PRIMARY KEY NOT NULL, received_at INTEGER NOT NULL, document BLOB
                    ) STRICT;
                    CREATE INDEX wallet_token_event_open ON wallet_token_event(received_at) WHERE document IS NULL;
                    """)
        }
    }

    /// Receipts sent by email.
    static func registerMail(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("receipt mail") { db in
            try db.execute(
                sql: """
                    CREATE TABLE receipt_mail(
                      id TEXT PRIMARY KEY NOT NULL, payment TEXT NOT NULL, masked TEXT NOT NULL, state TEXT NOT NULL,
                      note TEXT NOT NULL, owner INTEGER, created_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX receipt_mail_payment ON receipt_mail(payment);
                    """)
        }
    }

    /// Notifications of providers that cannot be queried.
    static func registerNotifications(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("provider notices") { db in
            try db.execute(
                sql: """
                    CREATE TABLE provider_notice(
                      seq INTEGER PRIMARY KEY, provider TEXT NOT NULL, name TEXT NOT NULL, reference TEXT NOT NULL,
                      payment TEXT, document BLOB NOT NULL, received_at INTEGER NOT NULL, UNIQUE(provider, name)
                    ) STRICT;
                    CREATE INDEX provider_notice_reference ON provider_notice(provider, reference);
                    CREATE INDEX provider_notice_payment ON provider_notice(provider, payment);
                    """)
        }
    }
}
