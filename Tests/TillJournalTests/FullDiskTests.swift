import Foundation
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// Space for a provider's answer is there before the provider is asked.
@Suite("A journal whose disk is full")
struct FullDiskTests {
    private let site = Site(.sqlite)
    private var ballast: String { site.path + "-ballast" }

    private func journal() throws -> SQLiteJournal { try SQLiteJournal.open(at: site.path, clock: site.clock) }

    /// Nobody can keep the space: something stands where it would be.
    private func takeSpaceAway() throws {
        try FileManager.default.removeItem(atPath: ballast)
        try FileManager.default.createDirectory(atPath: ballast, withIntermediateDirectories: false)
    }

    private func isFull(_ error: any Error) -> Bool {
        if case .full? = error as? JournalError { true } else { false }
    }

    @Test("space for answers is kept beside it, for its owner only")
    func kept() async throws {
        let journal = try journal()
        let attributes = try FileManager.default.attributesOfItem(atPath: ballast)
        #expect((attributes[.size] as? Int ?? 0) >= Ballast.minimumBytes)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await journal.checkWriting()
        try await journal.close()
    }

    @Test("nothing is begun while no space is kept, answers are written, and sales go on when there is space again")
    func shortage() async throws {
        let journal = try journal()
        var open = try Sale(1)
        open.begin()
        try await journal.write(open.write(due: open.payment.nextDue, holder: .thisProcess))
        var cash = try Sale(3)
        try await journal.write(cash.write())
        try takeSpaceAway()
        var sale = try Sale(2)
        let creation = sale.write()
        await #expect(performing: { try await journal.write(creation) }, throws: isFull)
        #expect(try await journal.payment(sale.payment.id) == nil)
        // An attempt begins a sale, also together with its outcome.
        cash.pay()
        let paid = cash.write()
        await #expect(performing: { try await journal.write(paid) }, throws: isFull)
        #expect(try await journal.version(of: cash.payment.id) == 1)
        await #expect(performing: { try await journal.checkWriting() }, throws: isFull)
        // The answer comes together with what follows from it.
        open.add(
            .authorized(
                open.attempt, Authorization(reference: ProviderReference(rawValue: "sb_x"), amount: open.payment.amount)
            ))
        open.add(.captureStarted(open.capture, open.attempt, open.payment.amount, isFinal: true))
        try await journal.write(open.write())
        #expect(try await journal.payment(open.payment.id) == open.payment)
        try FileManager.default.removeItem(atPath: ballast)
        try await journal.write(creation)
        try await journal.checkWriting()
        try await journal.close()
    }

    @Test("answers leave the space to be kept again by what begins something")
    func keptAgain() async throws {
        let journal = try journal()
        var open = try Sale(1)
        open.begin()
        try await journal.write(open.write(due: open.payment.nextDue, holder: .thisProcess))
        try FileManager.default.removeItem(atPath: ballast)
        open.add(.attemptPrepared(open.attempt, ProviderReference(rawValue: "sb_1")))
        try await journal.write(open.write(due: open.payment.nextDue, holder: .thisProcess))
        #expect(!FileManager.default.fileExists(atPath: ballast))
        var sale = try Sale(2)
        try await journal.write(sale.write())
        #expect(FileManager.default.fileExists(atPath: ballast))
        try await journal.close()
    }

    @Test("a request is answered under its key, and a webhook is taken, while no space is kept")
    func answers() async throws {
        let journal = try journal()
        try takeSpaceAway()
        var record = IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "refund", key: "k"), fingerprint: [1], request: [],
            createdAt: site.clock.now(), state: .inFlight(payment: nil, operation: nil))
        let begun = JournalWrite(idempotency: record)
        await #expect(performing: { try await journal.write(begun) }, throws: isFull)
        record.state = .finished(status: 507, body: [], payment: nil)
        try await journal.write(JournalWrite(idempotency: record))
        try await journal.write(
            JournalWrite(webhook: WebhookReceipt(provider: .sandbox, id: "evt_1", at: site.clock.now())))
        try await journal.close()
    }
}
