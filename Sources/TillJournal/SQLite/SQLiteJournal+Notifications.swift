import Foundation
import GRDB
public import TillCore

/// What a provider has told by webhook, kept because the provider cannot be asked for it later. Holds no card data.
public struct ProviderNotification: Hashable, Sendable {
    /// Who told it.
    public var provider: ProviderName
    /// Its name, unique for the provider: what is told twice is kept once.
    public var name: String
    /// Our name for the step that it is about.
    public var reference: String
    /// The provider's name for the payment that it is about, if it says so.
    public var payment: String?
    /// What was told, JSON.
    public var document: [UInt8]
    /// When it came.
    public var receivedAt: Timestamp

    /// A notice as it came.
    public init(
        provider: ProviderName, name: String, reference: String, payment: String?, document: [UInt8],
        receivedAt: Timestamp
    ) {
        self.provider = provider
        self.name = name
        self.reference = reference
        self.payment = payment
        self.document = document
        self.receivedAt = receivedAt
    }
}

extension SQLiteSchema {
    /// What providers have told that cannot be asked.
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

extension SQLiteJournal {
    /// Notices of one step or one payment that are read at most; the newest are.
    public static let maximumNotifications = 1_000

    /// Keeps notices, each once; on the disk when it returns, so before the provider hears that they were taken.
    public func keep(_ notices: [ProviderNotification]) async throws(JournalError) {
        try await writeAlone { db in
            for notice in notices {
                try db.execute(
                    sql: """
                        INSERT INTO provider_notice(provider, name, reference, payment, document, received_at)
                        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(provider, name) DO NOTHING
                        """,
                    arguments: [
                        notice.provider.rawValue, notice.name, notice.reference, notice.payment,
                        Data(notice.document), notice.receivedAt.milliseconds,
                    ])
            }
        }
    }

    /// What was told of the step that we named so, in the order in which it came.
    public func notices(
        of provider: ProviderName, reference: String
    ) async throws(JournalError) -> [ProviderNotification] {
        try await notices("reference", provider, reference)
    }

    /// What was told of the payment that the provider names so, in the order in which it came.
    public func notices(
        of provider: ProviderName, payment: String
    ) async throws(JournalError) -> [ProviderNotification] {
        try await notices("payment", provider, payment)
    }

    private func notices(
        _ column: String, _ provider: ProviderName, _ value: String
    ) async throws(JournalError) -> [ProviderNotification] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM (
                      SELECT * FROM provider_notice WHERE provider = ? AND \(column) = ? ORDER BY seq DESC LIMIT ?
                    ) ORDER BY seq
                    """, arguments: [provider.rawValue, value, SQLiteJournal.maximumNotifications]
            ).map { row in
                let document: Data = row["document"]
                let at: Int64 = row["received_at"]
                return ProviderNotification(
                    provider: provider, name: row["name"], reference: row["reference"], payment: row["payment"],
                    document: Array(document), receivedAt: Timestamp(milliseconds: at))
            }
        }
    }
}
