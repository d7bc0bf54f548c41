import Foundation
import GRDB
public import TillCore

/// A basket of a payment sheet as it is kept: what is bought, and what became of its payment. It is on the disk before
/// anything of it is told or sent, so that a process that dies in the middle of a sheet loses nothing that matters.
public struct WalletBasketRecord: Hashable, Sendable {
    /// The one payment of a basket.
    public struct Attempt: Hashable, Sendable {
        /// The wallet's identifier of the transaction.
        public var transaction: String
        /// The process that works on it; `nil` once it was answered.
        public var owner: Int64?
        /// The payment in the journal, once there is one.
        public var payment: PaymentID?
        /// Whose order it is, JSON.
        public var contact: [UInt8]?
        /// What the sheet was told, JSON; `nil` while it is worked on.
        public var answer: [UInt8]?

        /// An attempt that was just begun.
        public init(transaction: String) { self.transaction = transaction }
    }

    /// The shop's identifier.
    public var id: String
    /// The customer who was signed in when it was opened.
    public var account: String?
    /// Grows by one with each change.
    public var version: Int
    /// What is bought, JSON.
    public var document: [UInt8]
    /// Bytes that nobody can guess, made with the basket.
    public var nonce: [UInt8]
    /// When it was opened.
    public var openedAt: Timestamp
    /// Its payment, once the customer has authorized one.
    public var attempt: Attempt?

    /// A basket that nobody has paid.
    public init(
        id: String, account: String?, version: Int, document: [UInt8], nonce: [UInt8], openedAt: Timestamp
    ) {
        self.id = id
        self.account = account
        self.version = version
        self.document = document
        self.nonce = nonce
        self.openedAt = openedAt
    }
}

extension SQLiteSchema {
    /// Baskets of payment sheets, accounts of customers, and what wallets tell of their tokens.
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
}

extension SQLiteJournal {
    /// Baskets kept at most that nobody has paid; the oldest goes first.
    public static let maximumWalletBaskets = 10_000
    /// How long such a basket is kept.
    public static let walletBasketLifetime = Span.hours(24)
    /// How long a basket with a payment is kept: beyond any refund, and the payment itself stays.
    public static let paidWalletBasketLifetime = Span.days(180)
    /// Customers' accounts kept at most.
    public static let maximumWalletAccounts = 1_000_000

    // MARK: Baskets

    /// Writes a basket down. One of the same name is replaced, unless somebody has authorized its payment.
    /// - Returns: `false` if it has a payment already and was left as it is.
    public func keep(_ basket: WalletBasketRecord) async throws(JournalError) -> Bool {
        try await writeAlone { db in
            let now = basket.openedAt
            let ended = now.adding(.milliseconds(-SQLiteJournal.walletBasketLifetime.milliseconds)).milliseconds
            let forgotten = now.adding(.milliseconds(-SQLiteJournal.paidWalletBasketLifetime.milliseconds)).milliseconds
            try db.execute(
                sql: "DELETE FROM wallet_basket WHERE txn IS NULL AND opened_at < ?", arguments: [ended])
            try db.execute(
                sql: "DELETE FROM wallet_basket WHERE txn IS NOT NULL AND answer IS NOT NULL AND opened_at < ?",
                arguments: [forgotten])
            try db.execute(
                sql: """
                    DELETE FROM wallet_basket WHERE id IN (
                      SELECT id FROM wallet_basket WHERE txn IS NULL ORDER BY opened_at DESC LIMIT -1 OFFSET ?)
                    """, arguments: [SQLiteJournal.maximumWalletBaskets - 1])
            try db.execute(
                sql: """
                    INSERT INTO wallet_basket(id, account, version, document, nonce, opened_at)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                    ON CONFLICT(id) DO UPDATE SET account = ?2, version = ?3, document = ?4, nonce = ?5, opened_at = ?6
                    WHERE txn IS NULL
                    """,
                arguments: [
                    basket.id, basket.account, basket.version, Data(basket.document), Data(basket.nonce),
                    basket.openedAt.milliseconds,
                ])
            return db.changesCount == 1
        }
    }

    /// A basket as it stands; `nil` if there is none.
    public func walletBasket(_ id: String) async throws(JournalError) -> WalletBasketRecord? {
        let sql = """
            SELECT account, version, document, nonce, opened_at, txn, owner, payment, contact, answer
            FROM wallet_basket WHERE id = ?
            """
        let found = try point { (reader) throws(SQLiteFailure) in
            try reader.statement(sql).first(.text(id)) { row in
                var basket = WalletBasketRecord(
                    id: id, account: row.optionalText(0), version: Int(row.int(1)), document: row.bytes(2),
                    nonce: row.bytes(3), openedAt: Timestamp(milliseconds: row.int(4)))
                basket.attempt = row.optionalText(5).map { WalletBasketRecord.Attempt(transaction: $0) }
                basket.attempt?.owner = row.optionalInt(6)
                basket.attempt?.payment = row.optionalText(7).map { PaymentID(rawValue: $0) }
                basket.attempt?.contact = row.optionalText(8).map { Array($0.utf8) }
                basket.attempt?.answer = row.optionalText(9).map { Array($0.utf8) }
                return basket
            }
        }
        if let found { return found }
        return try await read { db in
            try Row.fetchOne(db, sql: sql, arguments: [id]).map { WalletBasketRecord(id: id, $0) }
        }
    }

    /// Writes a change of a basket that nobody has paid.
    /// - Parameter version: the one that was changed.
    /// - Returns: `false` if it is another now, or has a payment.
    public func change(_ basket: WalletBasketRecord, from version: Int) async throws(JournalError) -> Bool {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE wallet_basket SET version = ?, document = ? WHERE id = ? AND version = ? AND txn IS NULL",
                arguments: [basket.version, Data(basket.document), basket.id, version])
            return db.changesCount == 1
        }
    }

    /// Takes a basket for one payment, for this process. Of any number of callers one gets `true`.
    public func beginWalletPayment(
        of id: String, version: Int, transaction: String
    ) async throws(JournalError) -> Bool {
        let owner = ownNumber
        return try await writeAlone { db in
            try db.execute(
                sql: """
                    UPDATE wallet_basket SET txn = ?, owner = ?, payment = NULL, contact = NULL, answer = NULL
                    WHERE id = ? AND version = ? AND txn IS NULL
                    """, arguments: [transaction, owner, id, version])
            return db.changesCount == 1
        }
    }

    /// Notes the payment and the customer of a basket, before money is asked for.
    public func noteWalletPayment(
        _ payment: PaymentID, of id: String, transaction: String, contact: [UInt8]
    ) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE wallet_basket SET payment = ?, contact = ? WHERE id = ? AND txn = ?",
                arguments: [payment.rawValue, Data(contact), id, transaction])
        }
    }

    /// Writes what the sheet is told.
    /// - Parameter answer: `nil` frees the basket for another payment: this one certainly moved nothing.
    public func endWalletPayment(
        of id: String, transaction: String, answer: [UInt8]?
    ) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: answer == nil
                    ? """
                    UPDATE wallet_basket SET txn = NULL, owner = NULL, payment = NULL, contact = NULL, answer = ?
                    WHERE id = ? AND txn = ?
                    """
                    : "UPDATE wallet_basket SET owner = NULL, answer = ? WHERE id = ? AND txn = ?",
                arguments: [answer.map { Data($0) }, id, transaction])
        }
    }

    /// Whether a process that works on a basket still does: it lives, and is not this one.
    public func isWorkingElsewhere(_ owner: Int64) -> Bool { owner != ownNumber && isAlive(owner) }

    // MARK: Accounts

    /// The account of a name, made if there is none; no token is changed.
    /// - Parameters:
    ///   - name: a hash; the name itself is not kept.
    ///   - token: a hash of what the customer shows to be taken for the account.
    /// - Returns: its identifier, and whether it is new; `nil` if there are as many accounts as can be.
    public func walletAccount(
        name: [UInt8], id: String, token: [UInt8], at now: Timestamp
    ) async throws(JournalError) -> (id: String, isNew: Bool)? {
        try await writeAlone { db in
            if let known = try String.fetchOne(
                db, sql: "SELECT id FROM wallet_account WHERE name = ?", arguments: [Data(name)])
            {
                return (known, false)
            }
            let count = try Int.fetchOne(db, sql: "SELECT max(rowid) FROM wallet_account") ?? 0
            guard count < SQLiteJournal.maximumWalletAccounts else { return nil }
            try db.execute(
                sql: "INSERT INTO wallet_account(name, id, token, created_at) VALUES (?, ?, ?, ?)",
                arguments: [Data(name), id, Data(token), now.milliseconds])
            return (id, true)
        }
    }

    /// Gives an account another token; the earlier one is worth nothing then.
    public func renewWalletToken(name: [UInt8], token: [UInt8]) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE wallet_account SET token = ? WHERE name = ?", arguments: [Data(token), Data(name)])
        }
    }

    /// The account whose token has this hash.
    public func walletAccount(token: [UInt8]) async throws(JournalError) -> String? {
        try await read { db in
            try String.fetchOne(db, sql: "SELECT id FROM wallet_account WHERE token = ?", arguments: [Data(token)])
        }
    }

    // MARK: Merchant tokens

    /// Most events of one list, and most that may wait for their details.
    public static let maximumWalletTokenEvents = 10_000

    /// Writes down that a wallet told of an event of a merchant's token.
    /// - Returns: `false` if it was told before.
    /// - Throws: ``JournalError/queueFull(limit:)`` if too many wait for their details.
    public func noteWalletTokenEvent(_ id: String, at now: Timestamp) async throws(JournalError) -> Bool {
        try await writeAlone { db in
            let known = try Bool.fetchOne(db, sql: "SELECT 1 FROM wallet_token_event WHERE id = ?", arguments: [id])
            guard known == nil else { return false }
            let waiting =
                try Int.fetchOne(db, sql: "SELECT count(*) FROM wallet_token_event WHERE document IS NULL") ?? 0
            guard waiting < SQLiteJournal.maximumWalletTokenEvents else {
                throw JournalError.queueFull(limit: SQLiteJournal.maximumWalletTokenEvents)
            }
            try db.execute(
                sql: "INSERT OR IGNORE INTO wallet_token_event(id, received_at) VALUES (?, ?)",
                arguments: [id, now.milliseconds])
            return db.changesCount == 1
        }
    }

    /// Writes an event's details.
    public func endWalletTokenEvent(_ id: String, document: [UInt8]) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE wallet_token_event SET document = ? WHERE id = ?", arguments: [Data(document), id])
        }
    }

    /// Forgets an event that the wallet's maker does not know: somebody made it up.
    public func forgetWalletTokenEvent(_ id: String) async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(sql: "DELETE FROM wallet_token_event WHERE id = ? AND document IS NULL", arguments: [id])
        }
    }

    /// Events, newest first, with their details where they are known.
    /// - Parameter waiting: only those without details, oldest first.
    public func walletTokenEvents(
        waiting: Bool = false, limit: Int = 100
    ) async throws(JournalError) -> [(id: String, receivedAt: Timestamp, document: [UInt8]?)] {
        let limit = min(max(limit, 1), SQLiteJournal.maximumWalletTokenEvents)
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: waiting
                    ? "SELECT * FROM wallet_token_event WHERE document IS NULL ORDER BY received_at LIMIT ?"
                    : "SELECT * FROM wallet_token_event ORDER BY received_at DESC, id LIMIT ?", arguments: [limit])
            return rows.map { row in
                let at: Int64 = row["received_at"]
                let document: Data? = row["document"]
                return (row["id"], Timestamp(milliseconds: at), document.map { Array($0) })
            }
        }
    }
}

extension WalletBasketRecord {
    fileprivate init(id: String, _ row: Row) {
        let (document, nonce): (Data, Data) = (row["document"], row["nonce"])
        let at: Int64 = row["opened_at"]
        self.init(
            id: id, account: row["account"], version: row["version"], document: Array(document), nonce: Array(nonce),
            openedAt: Timestamp(milliseconds: at))
        let transaction: String? = row["txn"]
        guard let transaction else { return }
        attempt = Attempt(transaction: transaction)
        attempt?.owner = row["owner"]
        let payment: String? = row["payment"]
        attempt?.payment = payment.map { PaymentID(rawValue: $0) }
        let (contact, answer): (Data?, Data?) = (row["contact"], row["answer"])
        attempt?.contact = contact.map { Array($0) }
        attempt?.answer = answer.map { Array($0) }
    }
}
