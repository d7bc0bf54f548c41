import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureStaff
import TillJournal

@testable import TillServer

@Suite("Staff held against the audit log")
struct StaffCheckTests {
    /// A shop with an owner, a cashier and a role of its own, and whoever writes its database.
    private struct Shop {
        let place: SessionPlace
        let staff: StaffDirectory
        let store: any RecordStore & AuditLog

        init(_ kind: SessionPlace.Kind = .memory) async throws {
            place = try SessionPlace(kind)
            staff = StaffDirectory(place.store, account: .main, clock: place.clock)
            store = try #require(place.store as? any RecordStore & AuditLog)
            try await staff.add(name: "Olga", role: "owner", pin: Shop.pin(1))
            try await staff.add(name: "Carl", role: "cashier", pin: Shop.pin(2))
            try await staff.put(try StaffRole(name: "lead", permissions: [.sell]))
        }

        static func pin(_ byte: UInt8) -> ScryptHash {
            ScryptHash(cost: .standard, salt: [byte], hash: Array(repeating: byte, count: 32), pepper: [byte])
        }

        func findings() async -> StaffCheck.Findings { await StaffCheck(store).findings() }

        func id(_ name: String) async throws -> RecordID { try await staff.person(name).record.id }

        /// Writes another text into a record.
        func edit(_ id: RecordID, _ old: String, _ new: String, account: String = "main") async throws {
            let kept = try #require(try await store.record(id))
            let text = String(decoding: kept.body, as: UTF8.self)
            #expect(text.contains(old))
            let body = Array(text.replacing(old, with: new).utf8)
            try await store.change(
                [.update(Record(id, body: body, fields: ["account": account]), from: kept.version)])
        }

        /// Somebody who was not added by the directory.
        static func stranger(_ id: String) -> Record {
            StaffRecord(
                id: StaffID(rawValue: id), account: .main, name: "Eve", role: "owner", generation: 1,
                createdAt: Timestamp(milliseconds: 0)
            ).record
        }
    }

    @Test("Whatever is done the regular way is no finding", arguments: SessionPlace.Kind.allCases)
    func regular(kind: SessionPlace.Kind) async throws {
        let shop = try await Shop(kind)
        let other = StaffDirectory(shop.place.store, account: AccountID(rawValue: "b"), clock: shop.place.clock)
        try await other.add(name: "Bea", role: "owner", pin: nil)
        try await shop.staff.change("Carl", .init(role: "lead"))
        try await shop.staff.change("Carl", .init(pin: Shop.pin(3)))
        try await shop.staff.change("Carl", .init(isDisabled: true))
        try await shop.staff.change("Carl", .init(isDisabled: false))
        #expect(await shop.findings() == StaffCheck.Findings())
        let word = try await shop.staff.invite("Olga").word
        let found = try #require(try await Invitation.find(word, in: shop.store, at: shop.place.clock.now()))
        let enrolled = try await shop.staff.enrol(by: found.invitation, version: found.version) {
            () throws(StaffError) in
            ([], [AuditChange("password", to: "another")])
        }
        #expect(enrolled?.office == .enrolled)
        #expect(await shop.findings() == StaffCheck.Findings())
        try await shop.staff.put(try StaffRole(name: "lead", permissions: [.sell, .drawer]))
        try await shop.staff.change("Carl", .init(role: "cashier"))
        try await shop.staff.removeRole("lead")
        try await shop.staff.remove("Carl")
        try await shop.staff.add(name: "Carl", role: "manager", pin: nil)
        #expect(await shop.findings() == StaffCheck.Findings())
        try await shop.place.close()
    }

    @Test(
        "Whoever is given another role, PIN or name in the database is named",
        arguments: [("cashier", "owner"), ("0202020202020202", "0303030303030303"), ("Carl", "Karl")])
    func edited(old: String, new: String) async throws {
        let shop = try await Shop(.sqlite)
        try await shop.edit(try await shop.id("Carl"), old, new)
        let problems = await shop.findings().problems
        #expect(problems.count == 1 && problems.first?.hasPrefix("Carl (staff_") == true, "\(problems)")
        try await shop.place.close()
    }

    @Test("Whoever is let in again, or has a role that may do more, is named")
    func letIn() async throws {
        let shop = try await Shop()
        try await shop.staff.change("Carl", .init(isDisabled: true))
        try await shop.edit(try await shop.id("Carl"), "disabled_at", "disabled_by")
        try await shop.edit(RecordID(StaffRoleRecord.collection, "main/lead"), #"["sell"]"#, #"["sell","staff"]"#)
        let problems = await shop.findings().problems
        #expect(problems.count == 2, "\(problems)")
        #expect(problems.contains { $0.hasPrefix("Carl ") } && problems.contains { $0.contains("main/lead") })
    }

    @Test("Whoever is taken out or put in is named", arguments: SessionPlace.Kind.allCases)
    func takenOutOrPutIn(kind: SessionPlace.Kind) async throws {
        let shop = try await Shop(kind)
        let carl = try await shop.id("Carl")
        try await shop.store.change([.remove(carl)])
        let missing = await shop.findings().problems
        #expect(missing.count == 1 && missing.first?.hasPrefix("Carl (staff_") == true, "\(missing)")
        try await shop.store.change([.insert(Shop.stranger("staff_eve"))])
        let both = await shop.findings().problems
        #expect(both.count == 2 && both.contains { $0.contains("staff_eve") }, "\(both)")
        try await shop.place.close()
    }

    @Test("Whoever was removed and is put back, or is listed for another shop, is named")
    func putBack() async throws {
        let shop = try await Shop()
        let carl = try await shop.id("Carl")
        let kept = try #require(try await shop.store.record(carl))
        try await shop.staff.remove("Carl")
        try await shop.store.change([.insert(Record(carl, body: kept.body, fields: ["account": "main"]))])
        let back = await shop.findings().problems
        #expect(back.count == 1 && back.first?.hasPrefix("Carl (staff_") == true, "\(back)")
        try await shop.edit(try await shop.id("Olga"), "Olga", "Olga", account: "b")
        let moved = await shop.findings().problems
        #expect(moved.count == 2 && moved.contains { $0.hasPrefix("Olga (staff_") }, "\(moved)")
    }

    @Test("A change of one's own makes nothing of it unseen")
    func covered() async throws {
        let shop = try await Shop()
        try await shop.edit(try await shop.id("Carl"), "cashier", "owner")
        try await shop.staff.change("Carl", .init(pin: Shop.pin(4)))
        let problems = await shop.findings().problems
        #expect(problems.count == 1 && problems.first?.hasPrefix("Carl (staff_") == true, "\(problems)")
        try await shop.store.change([.insert(Shop.stranger("staff_eve"))])
        try await shop.staff.change("Eve", .init(isDisabled: true))
        #expect(await shop.findings().problems.count == 2)
    }

    @Test("Who has no seal yet is no finding, and is covered from the next change of anybody on")
    func earlier() async throws {
        let place = try SessionPlace()
        let store = try #require(place.store as? any RecordStore & AuditLog)
        let note = AuditNote(.personAdded, account: .main, subject: "staff_eve")
        try await store.change([.insert(Shop.stranger("staff_eve"))], noting: [note])
        let before = await StaffCheck(store).findings()
        #expect(before.problems == [] && before.notices.count == 1)
        try await StaffDirectory(store, account: .main, clock: place.clock).add(name: "Ann", role: "owner", pin: nil)
        #expect(await StaffCheck(store).findings() == StaffCheck.Findings())
        let kept = try #require(try await store.record(RecordID(StaffRecord.collection, "staff_eve")))
        let body = Array(String(decoding: kept.body, as: UTF8.self).replacing("owner", with: "cashier").utf8)
        try await store.change(
            [.update(Record(kept.id, body: body, fields: ["account": "main"]), from: kept.version)])
        let problems = await StaffCheck(store).findings().problems
        #expect(problems.count == 1 && problems.first?.contains("staff_eve") == true, "\(problems)")
    }

    @Test("Whose entries are too old to be kept is covered by the newest entry about the staff")
    func retention() async throws {
        let shop = try await Shop()
        shop.place.pass(AuditLimits.retention)
        shop.place.pass(.days(1))
        try await shop.staff.add(name: "Ann", role: "owner", pin: nil)
        #expect(try await shop.store.auditStanding().base.sequence == 3)
        #expect(await shop.findings() == StaffCheck.Findings())
        let carl = try await shop.id("Carl")
        try await shop.edit(carl, "cashier", "owner")
        let problems = await shop.findings().problems
        #expect(problems.count == 1 && problems.first?.contains(carl.key) == true, "\(problems)")
    }

    @Test("A change that is made meanwhile is no finding")
    func meanwhile() async throws {
        let shop = try await Shop(.sqlite)
        try await withThrowingTaskGroup(of: [String].self) { group in
            group.addTask {
                for index in 0..<40 {
                    try await shop.staff.change("Carl", .init(role: index % 2 == 0 ? "lead" : "cashier"))
                }
                return []
            }
            for _ in 0..<4 { group.addTask { await shop.findings().problems } }
            for try await problems in group { #expect(problems == []) }
        }
        #expect(await shop.findings() == StaffCheck.Findings())
        try await shop.place.close()
    }

    @Test("The audit log masks no seal as a card number: there is no digit in it")
    func letters() async throws {
        let shop = try await Shop()
        let seals = try await shop.store.auditEntries(AuditQuery()).entries.flatMap(\.note.changes).filter(\.isSeal)
        #expect(seals.count == 6)
        for seal in seals.flatMap({ [$0.before, $0.after] }).compactMap({ $0 }) {
            #expect(seal.count == 64 && seal.allSatisfy { ("a"..."p").contains($0) }, "\(seal)")
        }
    }
}
