import Testing
import TillCore
import TillPostgres
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// An order of which money may have been taken elsewhere is held until a person has said what it was.
@Suite("Incidents and their orders") struct IncidentLogTests {
    private static let owner = Incident.Owner(account: .main, order: OrderID(rawValue: "o-1"))

    private func store(_ kind: Site.Kind) throws -> any RecordStore {
        switch kind {
        case .sqlite:
            let site = Site(.sqlite)
            return try SQLiteJournal.open(at: site.path, clock: site.clock)
        case .memory: return MemoryJournal(clock: ManualClock(Sale.start))
        case .postgres:
            let site = Site(.postgres)
            return try PostgresJournal.open(at: site.address(), files: site.path, clock: site.clock)
        }
    }

    private func charge(_ name: String, for owner: Incident.Owner? = IncidentLogTests.owner) -> Incident {
        Incident(
            listed: .unknownCharge, name, of: .sandbox, about: PaymentID(rawValue: "pay_9"), for: owner,
            document: Array("{}".utf8), at: Sale.start)
    }

    private func isHeld(_ order: String, in store: any RecordStore) async throws -> Bool {
        try await store.record(OrderHold.id(account: .main, order: OrderID(rawValue: order))) != nil
    }

    @Test("hold the order once, and free it when each of them did not pay it", arguments: Site.Kind.allCases)
    func frees(_ kind: Site.Kind) async throws {
        let store = try store(kind)
        let log = IncidentLog(store)
        #expect(try await log.keep(charge("c1")))
        #expect(try await log.keep(charge("c1")) == false)
        #expect(try await log.keep(charge("c2")))
        #expect(try await isHeld("o-1", in: store))
        _ = try await log.resolve(charge("c1").id, note: "given back", outcome: .notPaid)
        #expect(try await isHeld("o-1", in: store))
        let resolved = try await log.resolve(charge("c2").id, note: "never captured", outcome: .notPaid)
        #expect(resolved?.outcome == .notPaid && resolved?.isOpen == false)
        #expect(try await isHeld("o-1", in: store) == false)
        // What is listed again after a person has spoken changes nothing.
        #expect(try await log.keep(charge("c2")) == false)
        #expect(try await isHeld("o-1", in: store) == false)
    }

    @Test("that paid an order hold it for good, also one that only the person knows", arguments: Site.Kind.allCases)
    func paid(_ kind: Site.Kind) async throws {
        let store = try store(kind)
        let log = IncidentLog(store)
        try await log.keep(charge("c1"))
        _ = try await log.resolve(charge("c1").id, note: "paid", outcome: .paid)
        #expect(try await isHeld("o-1", in: store))
        try await log.keep(charge("c3", for: nil))
        let found = Incident.Owner(account: .main, order: OrderID(rawValue: "o-3"))
        _ = try await log.resolve(charge("c3", for: nil).id, note: "paid", outcome: .paid, order: found)
        #expect(try await isHeld("o-3", in: store))
        let kept = try #require(try await Records<Incident>(store).document(charge("c3", for: nil).id))
        #expect(kept.foundOrder == found && kept.owner == nil && kept.outcome == .paid)
        // The person was wrong about the order, and says so.
        _ = try await log.resolve(charge("c1").id, note: "another order", outcome: .paid, order: found)
        #expect(try await isHeld("o-1", in: store) == false)
        // It was yet another one: what was said before holds nothing any more.
        let right = Incident.Owner(account: .main, order: OrderID(rawValue: "o-4"))
        _ = try await log.resolve(charge("c1").id, note: "mistyped", outcome: .paid, order: right)
        _ = try await log.resolve(charge("c3", for: nil).id, note: "mistyped", outcome: .paid, order: right)
        #expect(try await isHeld("o-3", in: store) == false)
        #expect(try await isHeld("o-4", in: store))
    }

    @Test("of webhooks hold the order by the first of a payment only", arguments: Site.Kind.allCases)
    func webhooks(_ kind: Site.Kind) async throws {
        let store = try store(kind)
        let log = IncidentLog(store)
        func webhook(_ name: String, for owner: Incident.Owner? = Self.owner) -> Incident {
            Incident(
                webhook: name, of: .sandbox, about: PaymentID(rawValue: "pay_9"), for: owner, body: [],
                at: Sale.start)
        }
        // One that names no order, such as a refund's, comes first.
        try await log.keep(webhook("e0", for: nil))
        #expect(try await isHeld("o-1", in: store) == false)
        try await log.keep(webhook("e1"))
        #expect(try await isHeld("o-1", in: store))
        _ = try await log.resolve(webhook("e1").id, note: "given back", outcome: .notPaid)
        // The refund that the person has made is reported, too.
        #expect(try await log.keep(webhook("e2")))
        #expect(try await isHeld("o-1", in: store) == false)
    }

    @Test("are listed for the account whose order they hold, the oldest first, as long as nobody has resolved them")
    func listed() async throws {
        let log = IncidentLog(try store(.memory))
        let theirs = Incident.Owner(account: AccountID(rawValue: "other"), order: OrderID(rawValue: "o-1"))
        for (name, owner) in [("c1", Self.owner), ("c2", theirs), ("c3", nil), ("c4", Self.owner)] {
            try await log.keep(charge(name, for: owner))
        }
        _ = try await log.resolve(charge("c4").id, note: "given back", outcome: .notPaid)
        #expect(try await log.open(account: .main).first.map(\.event) == ["c1", "c3"])
        #expect(try await log.open(account: theirs.account).first.map(\.event) == ["c2"])
        let first = try await log.open(account: nil, limit: 1)
        #expect(first.count == 3 && first.first.map(\.event) == ["c1"])
    }

    @Test("are resolved by one of those who say it at once, with a name and a time", arguments: Site.Kind.allCases)
    func firstWord(_ kind: Site.Kind) async throws {
        let store = try store(kind)
        let log = IncidentLog(store)
        try await log.keep(charge("c1"))
        let ada = IncidentResolution(note: "given back", actor: "Ada", outcome: .notPaid, at: Sale.start)
        let grace = IncidentResolution(note: "paid", actor: "Grace", outcome: .paid, at: Sale.start)
        let first = try #require(try await log.resolve(charge("c1").id, ada, isFirstWord: true))
        let second = try #require(try await log.resolve(charge("c1").id, grace, isFirstWord: true))
        #expect(first.isChanged && !second.isChanged && second.incident == first.incident)
        #expect(second.incident.resolvedBy == "Ada" && second.incident.resolvedAt == Sale.start)
        #expect(try await isHeld("o-1", in: store) == false)
        #expect(try await log.resolve("inc_none", ada, isFirstWord: true) == nil)
    }

    @Test("of a charge are not resolved without saying whether it paid, and which order")
    func checked() throws {
        #expect(throws: IncidentRefusal.outcomeMissing(charge("c1").id)) {
            try charge("c1").check(IncidentResolution(note: "seen"))
        }
        #expect(throws: IncidentRefusal.orderMissing(charge("c3", for: nil).id)) {
            try charge("c3", for: nil).check(IncidentResolution(note: "seen", outcome: .paid))
        }
        try charge("c3", for: nil).check(IncidentResolution(note: "seen", outcome: .notPaid))
    }

    @Test(
        "of what was given up more words leave that as it is, until it is said to be found",
        arguments: Site.Kind.allCases)
    func givenUp(_ kind: Site.Kind) async throws {
        let log = IncidentLog(try store(kind))
        let incident = Incident(
            statementOf: ProviderName(rawValue: "stripe"), name: "line x", about: nil, what: "w", document: "",
            at: Sale.start)
        try await log.keep(incident)
        for (said, stands) in [
            (Incident.Outcome.writtenOff, Incident.Outcome.writtenOff), (nil, .writtenOff),
            (.recovered, .recovered), (nil, nil),
        ] as [(Incident.Outcome?, Incident.Outcome?)] {
            let resolved = try await log.resolve(incident.id, IncidentResolution(note: "n", outcome: said))
            #expect(resolved?.incident.outcome == stands)
        }
    }

    @Test("of anything but a statement nothing is given up") func nothingToGiveUp() {
        let id = charge("c1").id
        #expect(throws: IncidentRefusal.nothingInSuspense(id)) {
            try charge("c1").check(IncidentResolution(note: "n", outcome: .writtenOff))
        }
        #expect(throws: IncidentRefusal.nothingWrittenOff(id)) {
            try charge("c1").check(IncidentResolution(note: "n", outcome: .recovered))
        }
    }
}
