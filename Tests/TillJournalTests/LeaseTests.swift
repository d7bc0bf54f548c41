import Synchronization
import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// Two processes on one file, of which one stands still: it has its lock and renews nothing. Their monotonic clock is
/// moved by hand, and apart from the wall clock.
@Suite("The lease of a process")
struct LeaseTests {
    private let site = Site(.sqlite)
    private let uptime = Shared(Span.seconds(1_000))
    private let notices = Shared([LeaseNotice]())

    private func open(lease: Span = JournalLimits.processLease) throws -> SQLiteJournal {
        try SQLiteJournal.open(
            at: site.path, clock: site.clock, description: "till", lease: lease, renewsLease: false,
            monotonic: { [uptime] in uptime.value.withLock { $0 } },
            onLease: { [notices] notice in notices.value.withLock { $0.append(notice) } })
    }

    private func run(_ span: Span) {
        uptime.value.withLock { $0 = .milliseconds($0.milliseconds + span.milliseconds) }
    }

    /// Time passes in which only these run.
    private func pass(_ span: Span, for journals: SQLiteJournal...) async throws {
        for _ in 0..<(span.milliseconds / 5_000) {
            run(.seconds(5))
            for journal in journals { try await journal.renewLease() }
        }
    }

    private func due(_ journal: SQLiteJournal) async throws -> [PaymentID] {
        try await journal.due(at: site.clock.now(), limit: 9)
    }

    private func seen() -> [LeaseNotice] { notices.value.withLock { $0 } }

    /// A payment that a journal works on.
    private func held(by journal: SQLiteJournal) async throws -> Sale {
        var sale = try Sale(1)
        sale.begin()
        try await journal.write(sale.write(due: Sale.start, holder: .thisProcess))
        return sale
    }

    @Test("who stands still keeps what it holds for its lease, and no longer") func takenOver() async throws {
        let (still, other) = (try open(), try open())
        let sale = try await held(by: still)
        try await pass(.seconds(25), for: other)
        #expect(try await due(other).isEmpty)
        #expect(seen().isEmpty)
        try await pass(.seconds(10), for: other)
        #expect(try await due(other) == [sale.payment.id])
        #expect(seen() == [.tookOver(process: still.ownNumber, description: "till", lease: JournalLimits.processLease)])
        #expect("\(seen()[0])".contains("Took over from process \(still.ownNumber) (till), whose lease ended"))
        // Once, however long it goes on to stand still.
        try await pass(.minutes(5), for: other)
        #expect(seen().count == 1)
        try await other.close()
        try await still.close()
    }

    @Test("it keeps its own lease's time, not that of who watches it") func ownLength() async throws {
        let (still, other) = (try open(lease: .minutes(2)), try open(lease: .seconds(10)))
        let sale = try await held(by: still)
        try await pass(.seconds(110), for: other)
        #expect(try await due(other).isEmpty)
        try await pass(.seconds(15), for: other)
        #expect(try await due(other) == [sale.payment.id])
        try await other.close()
        try await still.close()
    }

    @Test("once it is taken over it writes nothing any more, for good, and may send nothing") func fenced() async throws
    {
        let (still, other) = (try open(), try open())
        #expect(await still.holdsLease())
        var sale = try await held(by: still)
        try await pass(.seconds(35), for: other)
        #expect(await !still.holdsLease(), "asked right before something is sent")
        #expect(still.isLeaseLost)
        sale.add(.attemptNotSent(sale.attempt, reason: "off"))
        let late = sale.write()
        for _ in 0..<2 {
            await #expect(throws: JournalError.leaseLost) { try await still.write(late) }
            await #expect(throws: JournalError.leaseLost) { try await still.write(try Sale(2).firstWrite()) }
            await #expect(throws: JournalError.leaseLost) { try await still.checkWriting() }
        }
        #expect(try await other.payment(sale.payment.id)?.version == 2)
        #expect(try await still.payment(sale.payment.id)?.version == 2, "it can read")
        #expect(seen().filter { $0 == .lost }.count == 1)
        // Who was not taken over writes what the other one may not.
        try await other.write(late)
        // The one that is started in its place has a higher number and sells.
        try await still.close()
        let next = try open()
        #expect(next.ownNumber > still.ownNumber)
        #expect(await next.holdsLease())
        try await next.write(try Sale(3).firstWrite())
        #expect(try await next.verify().problems.isEmpty)
        try await next.close()
        try await other.close()
    }

    @Test("the write finds the fence by itself, whoever has asked before") func writeAlone() async throws {
        let (still, other) = (try open(), try open())
        try await pass(.seconds(40), for: other)
        #expect(!still.isLeaseLost)
        await #expect(throws: JournalError.leaseLost) { try await still.write(try Sale(2).firstWrite()) }
        #expect(still.isLeaseLost)
        #expect(try await other.payment(try Sale(2).payment.id) == nil)
        try await still.close()
        try await other.close()
    }

    @Test("it finds out when it renews, and renewing does not make it fresh first") func findsOut() async throws {
        let (still, other) = (try open(), try open())
        let sale = try await held(by: still)
        try await pass(.seconds(35), for: other)
        try await still.renewLease()
        #expect(still.isLeaseLost)
        #expect(await !still.holdsLease())
        // Its beat gives it nothing back.
        try await other.renewLease()
        #expect(try await due(other) == [sale.payment.id])
        #expect(seen().count == 2)
        try await still.close()
        try await other.close()
    }

    @Test("a wall clock that jumps, either way, costs nobody a lease") func wallClock() async throws {
        let (one, two) = (try open(), try open())
        _ = try await held(by: one)
        for jump in [Span.days(8), .days(-16), .minutes(5)] {
            site.clock.advance(by: jump)
            try await pass(.seconds(60), for: one, two)
            #expect(try await due(two).isEmpty)
        }
        #expect(await one.holdsLease())
        #expect(seen().isEmpty)
        try await one.close()
        try await two.close()
    }

    @Test("who stood still himself, or slept with the machine, judges nobody by that time") func judge() async throws {
        let (one, two) = (try open(), try open())
        _ = try await held(by: one)
        try await pass(.seconds(20), for: one, two)
        for _ in 0..<3 {
            run(.hours(1))
            try await two.renewLease()
            try await one.renewLease()
        }
        #expect(try await due(two).isEmpty)
        #expect(seen().isEmpty)
        try await one.close()
        try await two.close()
    }

    @Test("one that has just been opened waits for a whole lease") func newcomer() async throws {
        let still = try open()
        _ = try await held(by: still)
        run(.hours(2))
        let other = try open()
        try await other.renewLease()
        #expect(try await due(other).isEmpty)
        try await pass(.seconds(25), for: other)
        #expect(try await due(other).isEmpty)
        try await pass(.seconds(10), for: other)
        #expect(try await due(other).count == 1)
        try await still.close()
        try await other.close()
    }

    @Test("one that goes on at the moment of the fence is not taken for dead while it runs") func race() throws {
        let path = site.folder + "-owners"
        let owners = try OwnerFile.open(path)
        try owners.take(1)
        try owners.take(2)
        defer { owners.release(2) }
        let clock: @Sendable () -> Span = { [uptime] in uptime.value.withLock { $0 } }
        let length = JournalLimits.processLease
        let one = Lease(owners, number: 1, length: length, monotonic: clock, onNotice: nil)
        let two = Lease(owners, number: 2, length: length, monotonic: clock, onNotice: nil)
        var silent: [Int64] = []
        for _ in 0..<8 {
            run(.seconds(5))
            silent = two.silentOthers()
        }
        #expect(silent == [1])
        owners.beat(one.number, lease: length)
        #expect(!two.takeOver(1, description: ""))
        #expect(two.isAlive(1))
    }

    @Test("a number that was given back counts nowhere, and the kernel's locks are all found") func ownerFile() throws {
        let owners = try OwnerFile.open(site.folder + "-owners")
        for number: Int64 in [3, 7, 1 << 40] { try owners.take(number) }
        #expect(Set(owners.living()) == [3, 7, 1 << 40])
        #expect(owners.lastBeat(of: 7) == nil)
        #expect(owners.beat(7, lease: .seconds(5)))
        #expect(owners.lastBeat(of: 7) == OwnerFile.Beat(count: 1, lease: .seconds(5)))
        // Another journal of the process keeps the file open.
        let other = try OwnerFile.open(site.folder + "-owners")
        owners.release(3)
        #expect(!owners.beat(3, lease: .seconds(5)))
        #expect(Set(other.living()) == [7, 1 << 40])
        other.release(7)
    }

    @Test("renewing costs no commit, and what it asks for nothing while it is fresh") func cost() async throws {
        let journal = try open()
        try await journal.renewLease()
        let before = journal.statistics.commits
        for _ in 0..<100 {
            #expect(await journal.holdsLease())
            try await journal.renewLease()
        }
        #expect(journal.statistics.commits == before)
        try await journal.close()
    }

    @Test("it renews by itself") func byItself() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock, lease: .milliseconds(60))
        let owners = try OwnerFile.open(site.path + "-owners")
        defer { owners.release(nil) }
        let first = try #require(owners.lastBeat(of: journal.ownNumber)).count
        for _ in 0..<1_000 where try #require(owners.lastBeat(of: journal.ownNumber)).count < first + 3 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try #require(owners.lastBeat(of: journal.ownNumber)).count >= first + 3)
        try await journal.close()
    }

    @Test("a key in flight is free when its process stands still for longer than its lease") func keys() async throws {
        let (still, other) = (try open(), try open())
        var sale = try Sale(1)
        let record = IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "sale", key: "k"), fingerprint: [1], request: [],
            createdAt: site.clock.now(), state: .inFlight(payment: sale.payment.id, operation: "sale"))
        var write = sale.write(due: Sale.start, holder: .thisProcess)
        write.idempotency = record
        try await still.write(write)
        #expect(try await other.idempotency(record.scope)?.isHeldByLivingProcess == true)
        try await pass(.seconds(35), for: other)
        #expect(try await other.idempotency(record.scope)?.isHeldByLivingProcess == false)
        try await other.write(JournalWrite(idempotency: record))
        try await still.close()
        try await other.close()
    }
}

extension Sale {
    /// The write that creates it.
    fileprivate func firstWrite() throws -> JournalWrite {
        var sale = self
        return sale.write()
    }
}
