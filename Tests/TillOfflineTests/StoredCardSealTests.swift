import Testing
import TillCore
import TillTestSupport

@testable import TillOffline

@Suite struct StoredCardSealTests {
    let now = Timestamp(milliseconds: 1_795_000_000_000)

    private func sealed() throws -> StoredRecord {
        try StoredCardSeal.seal(
            Secret(OfflineExamples.secret), into: OfflineExamples.record(1, at: now), log: "log",
            for: OfflineExamples.provider())
    }

    @Test func onlyTheProviderOpensIt() throws {
        let record = try sealed()
        #expect(
            StoredCardSeal.open(record, log: "log", with: OfflineExamples.providerSealing)?.reveal()
                == OfflineExamples.secret)
        #expect(StoredCardSeal.open(record, log: "log", with: OfflineExamples.key("another")) == nil)
    }

    @Test func nothingOfThePaymentCanBeChangedUnderIt() throws {
        let good = try sealed()
        let changes: [(inout StoredRecord) -> Void] = [
            { $0.amount = Money(minorUnits: 1, currency: .eur) },
            { $0.payment = PaymentID(rawValue: "pay_2") }, { $0.attempt = AttemptID(rawValue: "pay_1-a2") },
            { $0.order = OrderID(rawValue: "o-2") }, { $0.account = AccountID(rawValue: "other") },
            { $0.at = $0.at.adding(.seconds(1)) }, { $0.expires = $0.expires.adding(.hours(1)) },
            { $0.reader = "other" }, { $0.card = nil }, { $0.sealed[40] ^= 1 },
        ]
        for change in changes {
            var bad = good
            change(&bad)
            #expect(StoredCardSeal.open(bad, log: "log", with: OfflineExamples.providerSealing) == nil)
        }
        #expect(StoredCardSeal.open(good, log: "another log", with: OfflineExamples.providerSealing) == nil)
    }

    @Test func aRecordReadsBackAsItWasAndGarbageDoesNot() throws {
        let record = try sealed()
        #expect(StoredRecord(payload: record.payload) == record)
        let bytes = record.payload
        for count in 0..<record.head.count { #expect(StoredRecord(payload: Array(bytes.prefix(count))) == nil) }
        var random = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            var bad = bytes
            for _ in 0..<3 {
                bad[Int.random(in: 0..<bad.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = StoredRecord(payload: bad)
            _ = OfflineEvent(.accepted, payload: bad)
            _ = OfflineEvent(.batch, payload: bad)
        }
    }

    @Test func anEnvelopeTooLargeIsRefused() throws {
        #expect(throws: OfflineLogError.tooLarge) {
            try StoredCardSeal.seal(
                Secret(String(repeating: "x", count: StoredCardSeal.mostBytes + 1)),
                into: OfflineExamples.record(1, at: now), log: "log", for: OfflineExamples.provider())
        }
    }
}
