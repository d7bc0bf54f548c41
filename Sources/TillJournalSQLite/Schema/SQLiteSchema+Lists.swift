import GRDB
import TillJournal

extension SQLiteSchema {
    /// Serves every list from an index in its own order, and maintains totals in the commits: no query of a running
    /// counter scans a table.
    static func registerLists(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("lists without scans") { db in
            try db.execute(
                sql: """
                    CREATE INDEX event_account ON event(account, sequence);
                    CREATE INDEX payment_account ON payment(account, id);
                    CREATE INDEX payment_account_status ON payment(account, status, id);
                    CREATE INDEX payment_status ON payment(status, id);
                    CREATE INDEX outbox_owner ON outbox(owner, due_at);

                    CREATE TABLE tally(name TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                    INSERT INTO tally(name, count) SELECT 'payment ' || status, count(*) FROM payment GROUP BY status;
                    INSERT INTO tally(name, count) SELECT 'outbox', count(*) FROM outbox;
                    """)
        }
    }

    /// Adds the fence of a process that stalled for longer than its lease: the time of the takeover, and the number of
    /// the process that detected it; see ``Lease``.
    static func registerLeases(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("leases") { db in
            try db.execute(
                sql:
                    "ALTER TABLE process ADD COLUMN fenced_at INTEGER; ALTER TABLE process ADD COLUMN fenced_by INTEGER"
            )
        }
    }

    /// Serves lists of the sales of a staff member, of a shop, and of both, from the first event of each payment. Sales
    /// of neither are in none of these indexes, and cost a commit no page. The version is compared first, so that the
    /// JSON of later events is not read.
    static func registerOrigins(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("sales by staff and shop") { db in
            try db.execute(
                sql: """
                    CREATE INDEX event_seller ON event(account, \(SaleColumns.seller), payment)
                      WHERE \(SaleColumns.isBySeller);
                    CREATE INDEX event_shop ON event(account, \(SaleColumns.shop), payment)
                      WHERE \(SaleColumns.isOfShop);
                    CREATE INDEX event_seller_shop
                      ON event(account, \(SaleColumns.seller), \(SaleColumns.shop), payment)
                      WHERE \(SaleColumns.isBySeller) AND \(SaleColumns.isOfShop);
                    """)
        }
    }

    /// Drops the indexes that another one can serve: each costs a page of every commit.
    static func registerFewerIndexes(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("fewer indexes") { db in
            try db.execute(sql: "DROP INDEX payment_status; DROP INDEX outbox_due")
        }
    }
}

/// The expressions over a payment's first event that its lists by origin are indexed by; see ``SaleOrigin``. A query
/// repeats them to the letter, otherwise it is not served from the index. A damaged event has none of them.
enum SaleColumns {
    static let seller = member("by.id")
    static let shop = member("order.metadata.shop")
    static let isBySeller = "version = 1 AND \(member("by.kind")) = 'staff'"
    static let isOfShop = "version = 1 AND \(shop) IS NOT NULL"

    private static func member(_ path: String) -> String {
        "iif(json_valid(body), json_extract(body, '$.\(path)'), NULL)"
    }
}
