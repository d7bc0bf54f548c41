import Crypto
import Synchronization
import TillCore
import Testing
import TillTestSupport

@testable import TillOffline

enum OfflineExamples {
    static func key(_ word: String) -> Secret<[UInt8]> { Secret(Array(SHA256.hash(data: Array(word.utf8)))) }
    static let providerSealing = key("provider sealing")
    static let providerSigning = key("provider signing")
    static func provider(_ issuer: String = "psp") throws -> OfflineProviderKeys {
        OfflineProviderKeys(
            issuer: issuer, sealing: try #require(StoredCardSeal.publicKey(of: providerSealing)),
            signing: Array(
                try Curve25519.Signing.PrivateKey(rawRepresentation: providerSigning.reveal()).publicKey
                    .rawRepresentation))
    }
    static func device(_ name: String = "till-1") throws -> OfflineDevice {
        try #require(OfflineDevice(name: name, key: key("device " + name)))
    }

    static func open(
        _ disk: any DurableFolder, _ clock: any TillClock, device name: String = "till-1", issuer: String = "psp",
        marks: [LogMark] = [], creating: Bool = true
    ) throws -> OfflineLog {
        try OfflineLog.open(
            in: disk, device: device(name), provider: provider(issuer), clock: clock, marks: marks, creating: creating,
            commits: .inline)
    }

    static func record(
        _ number: Int, at now: Timestamp, amount: Int64 = 1_250, currency: Currency = .eur, lastFour: String = "4242"
    ) -> StoredRecord {
        StoredRecord(
            payment: PaymentID(rawValue: "pay_\(number)"), attempt: AttemptID(rawValue: "pay_\(number)-a1"),
            account: .main, order: OrderID(rawValue: "o-\(number)"),
            amount: Money(minorUnits: amount, currency: currency), at: now, expires: now.adding(.hours(24)),
            reader: "tap", card: CardSummary(brand: "visa", lastFour: lastFour, entryMode: "contactless_emv"))
    }

    static let secret = "sim:4242424242424242:visa:contactless_emv"

    /// A policy that is against nothing.
    static var lenient: OfflinePolicy {
        var policy = OfflinePolicy()
        policy.perPayment = ["EUR": .max, "USD": .max]
        policy.total = ["EUR": .max, "USD": .max]
        policy.count = .max
        policy.perCard = .max
        return policy
    }

    @discardableResult
    static func store(
        _ log: OfflineLog, _ number: Int, _ clock: any TillClock, policy: OfflinePolicy? = nil
    ) async throws -> LogMark {
        try await log.store(
            Secret(secret), record(number, at: clock.now()), facts: nil, policy: policy ?? lenient)
    }

    /// As ``store(_:_:_:policy:)``, with bytes in the place of a seal: for tests that store tens of thousands.
    static func storeUnsealed(_ log: OfflineLog, _ number: Int, _ clock: any TillClock) async throws -> LogMark {
        var record = record(number, at: clock.now())
        record.sealed = Array(repeating: UInt8(truncatingIfNeeded: number), count: 200)
        let stored = record
        let receipts = try await log.append { (book) throws(OfflineLogError) in try book.store(stored) }
        return try #require(receipts.first).mark
    }

    /// A new log that the provider was reached from.
    static func log(
        _ disk: any DurableFolder, _ clock: any TillClock, payments: Int = 0
    ) async throws -> OfflineLog {
        let log = try open(disk, clock)
        try await log.noteContact()
        for number in 0..<payments { try await store(log, number, clock) }
        return log
    }

    /// The provider's receipt for a batch: everything approved unless said otherwise.
    static func receipt(
        _ log: OfflineLog, _ batch: OfflineBatch, at now: Timestamp, lifetime: Span = .hours(1),
        signedWith key: Secret<[UInt8]> = providerSigning,
        outcome: (UInt64) -> RecordDecision.Outcome = {
            .approved(reference: ProviderReference(rawValue: "sb_\($0)"), card: nil)
        }
    ) throws -> BatchReceipt {
        let decisions = batch.content.members.map { RecordDecision(sequence: $0, outcome: outcome($0)) }
        let token = DeletionToken(
            log: log.header.log, content: batch.content, decisions: decisions, issued: now,
            expires: now.adding(lifetime))
        return BatchReceipt(
            batch: batch.content.id, decisions: decisions, token: try #require(token.text(signedWith: key)))
    }
}
