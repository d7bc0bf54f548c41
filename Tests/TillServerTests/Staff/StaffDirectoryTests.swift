import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("Staff and roles")
struct StaffDirectoryTests {
    @Test("Of many who add the same name at once exactly one does", arguments: SessionPlace.Kind.allCases)
    func names(kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let added = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<8 {
                group.addTask {
                    do throws(StaffError) {
                        try await directory.add(name: index % 2 == 0 ? "Anna" : "ANNA", role: "cashier", pin: nil)
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(added == 1)
        #expect(try await directory.all().count == 1)
        #expect(
            try await StaffDirectory(place.store, account: AccountID(rawValue: "b"), clock: place.clock).all() == [])
        try await place.close()
    }

    @Test("Every change counts one further, so that sessions of before end; what changes nothing does not")
    func generations() async throws {
        let place = try SessionPlace()
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let anna = try await directory.add(name: "Anna", role: "cashier", pin: nil)
        let before = try await StaffDirectory.changes(in: place.store)
        #expect(try await directory.change("Anna", .init(role: "cashier")).generation == anna.generation)
        #expect(try await StaffDirectory.changes(in: place.store) == before)
        #expect(try await directory.change("Anna", .init(role: "manager")).generation == anna.generation + 1)
        let disabled = try await directory.change("Anna", .init(isDisabled: true))
        #expect(disabled.generation == anna.generation + 2 && disabled.disabledAt != nil)
        #expect(try await StaffDirectory.changes(in: place.store) == before + 2)
        let onDuty = StaffOnDuty(place.store, clock: place.clock)
        let person = SessionPerson(id: anna.id, generation: disabled.generation)
        #expect(try await onDuty.grant(person, of: .main) == nil)
        try await place.close()
    }

    @Test("Whoever is added again by the same request has no session of before", arguments: SessionPlace.Kind.allCases)
    func addedAgain(kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        try await directory.add(name: "Olga", role: "owner", pin: nil)
        let id = StaffDirectory.id(for: .main, key: "k-1")
        try await directory.add(name: "Carl", role: "cashier", pin: nil, id: id)
        let before = try await directory.change("Carl", .init(role: "manager"))
        try await directory.remove("Carl")
        let after = try await directory.add(name: "Carl", role: "cashier", pin: nil, id: id)
        #expect(after.id == before.id)
        let onDuty = StaffOnDuty(place.store, clock: place.clock)
        for generation in 0...before.generation {
            #expect(try await onDuty.grant(SessionPerson(id: id, generation: generation), of: .main) == nil)
        }
        #expect(try await onDuty.grant(SessionPerson(id: id, generation: after.generation), of: .main) != nil)
        try await place.close()
    }

    @Test("The last person is not removed by the way: that ends all sessions, and is a step of its own")
    func end() async throws {
        let place = try SessionPlace()
        let directory = StaffDirectory(place.store, account: .main, clock: SystemClock())
        await #expect(throws: StaffError.severalPeople(0)) { try await directory.end() }
        try await directory.add(name: "Anna", role: "owner", pin: nil)
        try await directory.add(name: "Ben", role: "cashier", pin: nil)
        let other = AccountID(rawValue: "other")
        for account in [.main, other] {
            _ = try #require(try await place.sessions().begin(code: try await place.codes.make(for: account)))
        }
        await #expect(throws: StaffError.severalPeople(2)) { try await directory.end() }
        try await directory.remove("Ben")
        await #expect(throws: StaffError.lastPerson("Anna")) { try await directory.remove("Anna") }
        #expect(try await Records<PageSessionRecord>(place.store).count() == 2)
        #expect(try await directory.end().name == "Anna")
        #expect(try await directory.all() == [])
        #expect(try await Records<PageSessionRecord>(place.store).list().map(\.account) == [other])
        try await place.close()
    }

    /// A PIN that nobody has.
    private static let pin = ScryptHash(
        cost: .standard, salt: [1], hash: Array(repeating: 1, count: 32), pepper: [1])

    @Test(
        "Nothing but disabling takes the management of the staff from the last who can sign in",
        arguments: SessionPlace.Kind.allCases)
    func lastManager(kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        try await directory.put(try StaffRole(name: "chief", permissions: [.sell, .staff]))
        try await directory.add(name: "Olga", role: "chief", pin: Self.pin)
        try await directory.add(name: "Carl", role: "cashier", pin: Self.pin)
        // Who cannot sign in manages nothing.
        try await directory.add(name: "Nina", role: "owner", pin: nil)
        let before = try await StaffDirectory.changes(in: place.store)
        await #expect(throws: StaffError.lastManager("Olga")) {
            try await directory.change("Olga", .init(role: "cashier"))
        }
        await #expect(throws: StaffError.lastManager("Olga")) { try await directory.remove("Olga") }
        await #expect(throws: StaffError.lastManager("chief")) {
            try await directory.put(try StaffRole(name: "chief", permissions: [.sell]))
        }
        #expect(try await StaffDirectory.changes(in: place.store) == before)
        // Another role that manages, too.
        try await directory.change("Olga", .init(role: "owner"))
        try await directory.put(try StaffRole(name: "chief", permissions: [.sell]))
        try await directory.change("Nina", .init(pin: Self.pin))
        try await directory.remove("Olga")
        #expect(try await directory.change("Nina", .init(isDisabled: true)).disabledAt != nil)
        try await place.close()
    }

    @Test("Of two who take the management from each other at once one keeps it", arguments: SessionPlace.Kind.allCases)
    func managersAtOnce(kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let names = ["Mona", "Olga"]
        for name in names { try await directory.add(name: name, role: "owner", pin: Self.pin) }
        let changed = await withTaskGroup(of: Bool.self) { group in
            for name in names {
                group.addTask {
                    do throws(StaffError) {
                        try await directory.change(name, .init(role: "cashier"))
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(changed == 1)
        #expect(try await directory.all().map(\.role).sorted() == ["cashier", "owner"])
        try await place.close()
    }

    @Test("A role is made once under its name, changed where it is there, and removed where nobody has it")
    func ownRoles() async throws {
        let place = try SessionPlace()
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let euro = try Currency(code: "EUR")
        let lead = try StaffRole(name: "lead", permissions: [.sell, .refund], refundLimits: [euro: 500])
        await #expect(throws: StaffError.unknownRole("lead")) { try await directory.put(lead, over: .one) }
        try await directory.put(lead, over: .none)
        let before = try await StaffDirectory.changes(in: place.store)
        try await directory.put(lead, over: .none)
        #expect(try await StaffDirectory.changes(in: place.store) == before, "the same again writes nothing")
        let other = try StaffRole(name: "lead", permissions: [.sell], discountLimits: [euro: 100])
        await #expect(throws: StaffError.roleTaken("lead")) { try await directory.put(other, over: .none) }
        await #expect(throws: StaffError.builtInRole("owner")) {
            try await directory.put(try StaffRole(name: "owner", permissions: [.sell]), over: .one)
        }
        try await directory.put(other, over: .one)
        try await directory.add(name: "Carl", role: "lead", pin: nil)
        await #expect(throws: StaffError.roleInUse("lead")) { try await directory.removeRole("lead") }
        try await directory.change("Carl", .init(role: "cashier"))
        try await directory.removeRole("lead")
        #expect(try await directory.roles() == StaffRole.builtIn)
        let log = try #require(place.store as? any AuditLog)
        let notes = try await log.auditEntries(AuditQuery()).entries.map(\.note).filter { $0.subject == "lead" }
        #expect(notes.map(\.action) == [.roleChanged, .roleChanged, .roleRemoved])
        let changes = notes.map { $0.changes.filter { !$0.isSeal } }
        #expect(
            changes == [
                [
                    AuditChange("permissions", to: "sell,refund"), AuditChange("refund_limit", to: "5.00 EUR"),
                ],
                [
                    AuditChange("permissions", from: "sell,refund", to: "sell"),
                    AuditChange("refund_limit", from: "5.00 EUR", to: nil),
                    AuditChange("discount_limit", to: "1.00 EUR"),
                ],
                [
                    AuditChange("permissions", from: "sell", to: nil),
                    AuditChange("discount_limit", from: "1.00 EUR", to: nil),
                ],
            ])
        try await place.close()
    }

    /// A store in which somebody else changes a role before each change.
    private struct OvertakenStore: RecordStore {
        let store: any RecordStore
        let clock: any TillClock
        let role: StaffRole

        func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? { try await store.record(id) }
        func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
            try await store.records(query)
        }
        func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int {
            try await store.count(collection, matching: match)
        }
        func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError) {
            try? await StaffDirectory(store, account: .main, clock: clock).put(role)
            try await store.change(changes, noting: notes)
        }
    }

    @Test("A role that somebody else has changed since it was read is left as it is, also at the same moment")
    func changedRoles() async throws {
        let place = try SessionPlace()
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let seller = try StaffRole(name: "lead", permissions: [.sell])
        let refunder = try StaffRole(name: "lead", permissions: [.refund])
        let holder = try StaffRole(name: "lead", permissions: [.hold])
        #expect(Set([seller, refunder, holder].map(\.tag)).count == 3)
        await #expect(throws: StaffError.unknownRole("lead")) {
            try await directory.put(seller, over: .tagged(seller.tag))
        }
        try await directory.put(seller, over: .none)
        try await directory.put(refunder, over: .tagged(seller.tag))
        await #expect(throws: StaffError.roleChanged("lead")) {
            try await directory.put(holder, over: .tagged(seller.tag))
        }
        try await directory.put(refunder, over: .tagged(seller.tag))
        #expect(try await directory.roles().last == refunder)
        // Decided before the other change was there, and written after it.
        let overtaken = StaffDirectory(
            OvertakenStore(store: place.store, clock: place.clock, role: seller), account: .main, clock: place.clock)
        await #expect(throws: StaffError.roleChanged("lead")) {
            try await overtaken.put(holder, over: .tagged(refunder.tag))
        }
        #expect(try await directory.roles().last == seller)
        try await directory.put(holder, over: .tagged(seller.tag))
        #expect(try await directory.roles().last == holder)
        try await place.close()
    }

    @Test("No name of a person or a role is a card number, and no sentence repeats one", arguments: ["-", " ", ""])
    func cardNumbers(separator: String) async throws {
        let place = try SessionPlace()
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let number = ["4539", "1488", "0343", "6467"].joined(separator: separator)
        await #expect(throws: StaffError.cardNumber) {
            try await directory.add(name: number, role: "cashier", pin: nil)
        }
        await #expect(throws: StaffError.cardNumber) {
            try await directory.put(try StaffRole(name: "4539-1488-0343-6467", permissions: [.sell]))
        }
        for error in [StaffError.unknownPerson(number), .nameTaken(number), .unknownRole(number)] {
            #expect(!error.what.contains("0343"), "\(error.what)")
        }
        #expect(try await directory.all() == [])
        try await place.close()
    }

    @Test("What a role gives back counts what was given back before, and other currencies have limits of their own")
    func limits() throws {
        let euro = try Currency(code: "EUR")
        let role = try StaffRole(name: "lead", permissions: [.refund], refundLimits: [euro: 500])
        let grant = StaffGrant(id: StaffID(rawValue: "staff_1"), name: "Anna", role: role)
        #expect(grant.refundLimit(in: euro) == Money(minorUnits: 500, currency: euro))
        let dollar = try Currency(code: "USD")
        #expect(grant.refundLimit(in: dollar) == Money(minorUnits: 0, currency: dollar))
        let free = StaffGrant(
            id: grant.id, name: "Mona", role: try StaffRole(name: "free", permissions: [.refundFreely]))
        #expect(free.refundLimit(in: euro) == nil && free.scopes == [.read, .refund])
        #expect(StaffRole.owner.covers(StaffRole.manager) && !StaffRole.manager.covers(StaffRole.owner))
        let more = try StaffRole(name: "more", permissions: [.refund], refundLimits: [euro: 501])
        #expect(!role.covers(more) && more.covers(role))
    }

    @Test("A role gives discounts up to its limits, and without the permission none at all")
    func discounts() throws {
        let euro = try Currency(code: "EUR")
        let role = try StaffRole(name: "lead", permissions: [.discount], discountLimits: [euro: 150])
        #expect(role.permissions == [.discount, .sell] && role.scopes == [.read, .sell])
        func grant(_ role: StaffRole) -> StaffGrant {
            StaffGrant(id: StaffID(rawValue: "staff_1"), name: "Anna", role: role)
        }
        func discount(_ units: Int64, _ currency: Currency) throws -> Discount {
            try Discount(
                Money(minorUnits: units, currency: currency), reason: "Scratched",
                beside: Money(minorUnits: 1_000, currency: currency))
        }
        #expect(try grant(role).covers(discount(150, euro)) && !grant(role).covers(discount(151, euro)))
        #expect(try !grant(role).covers(discount(1, Currency(code: "USD"))))
        let seller = try StaffRole(name: "seller", permissions: [.sell], discountLimits: [euro: 150])
        #expect(try !grant(seller).covers(discount(1, euro)), "a limit alone is no permission")
        #expect(try !grant(.cashier).covers(discount(1, euro)))
        #expect(grant(.manager).discountLimit(in: euro) == nil)
        #expect(try grant(.manager).covers(discount(999_999, euro)))
        let more = try StaffRole(name: "more", permissions: [.discount], discountLimits: [euro: 151])
        #expect(!role.covers(more) && more.covers(role) && StaffRole.manager.covers(more))
        #expect(throws: StaffError.invalidLimit) {
            try StaffRole(name: "x", permissions: [.discount], discountLimits: [euro: 0])
        }
    }

    @Test(
        "A role that an earlier release made with all permissions keeps all; others are as they were",
        arguments: SessionPlace.Kind.allCases)
    func rolesOfBefore(kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let directory = StaffDirectory(place.store, account: .main, clock: place.clock)
        let all = StaffPermission.beforeDiscounts
        func record(_ name: String, _ permissions: Set<StaffPermission>) -> Record {
            let words = permissions.words.map { "\"\($0)\"" }.joined(separator: ",")
            let body = #"{"account":"main","name":"\#(name)","permissions":[\#(words)],"refund_limits":{}}"#
            return Record(
                RecordID(StaffRoleRecord.collection, StaffRoleRecord.key(.main, name)), body: Array(body.utf8),
                fields: ["account": "main"])
        }
        let less = all.subtracting([.settings])
        try await place.store.change([.insert(record("boss", all)), .insert(record("deputy", less))])
        try await directory.put(try StaffRole(name: "strict", permissions: all))
        let roles = Dictionary(try await directory.roles().map { ($0.name, $0) }) { $1 }
        let boss = try #require(roles["boss"])
        #expect(boss.permissions == .all && boss.covers(.owner) && StaffRole.owner.covers(boss))
        #expect(roles["deputy"]?.permissions == less)
        #expect(roles["strict"]?.permissions == all, "this release can take the discounts from a role")
        // Written again with nothing changed it stays as it is read.
        try await directory.put(boss)
        #expect(try await directory.roles().first { $0.name == "boss" } == boss)
        try await place.close()
    }

    @Test("Every scope of a route is opened by a permission, and cashiers get the least")
    func permissionsOpenScopes() {
        for scope in APIScope.allCases where scope != .read {
            #expect(
                StaffPermission.allCases.contains { $0.scopes.contains(scope) }, "nobody of the staff gets \(scope)")
        }
        #expect(StaffRole.cashier.permissions.isDisjoint(with: [.refundFreely, .void, .staff, .review, .totals]))
    }
}
