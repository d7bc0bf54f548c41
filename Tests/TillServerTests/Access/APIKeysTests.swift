import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer

@Suite("Keys of programs")
struct APIKeysTests {
    private let clock = ManualClock()
    private let storage = MemoryJournal.Storage()

    private func store() -> MemoryJournal { MemoryJournal(storage: storage, clock: clock) }

    private func hash(_ made: APIKeys.Made) -> [UInt8] { digest(made.key.reveal().utf8) }

    private func make(
        _ keys: APIKeys, _ scopes: Set<APIScope> = [.read], life: Span? = nil
    ) async throws -> APIKeys.Made {
        try await keys.create(account: .main, label: "Shop", scopes: scopes, life: life, by: "anna")
    }

    @Test("A key has a name, 256 bits, its scopes, who made it and an end; of the key itself only a digest is kept")
    func created() async throws {
        let store = store()
        let keys = APIKeys(store, clock: clock)
        let made = try await make(keys, [.sell, .read], life: .days(90))
        #expect(made.key.reveal().wholeMatch(of: /till_[0-9a-f]{64}/) != nil)
        let found = try #require(try await keys.key(ofHash: hash(made)))
        #expect(found == made.record)
        #expect(found.id.rawValue.wholeMatch(of: /key_[0-9a-hjkmnp-tv-z]{12}/) != nil)
        #expect(found.scopes == [.read, .sell] && found.scopes.words == ["read", "sell"])
        #expect(found.expiresAt == clock.now().adding(.days(90)) && found.createdBy == "anna")
        let kept = try #require(try await store.record(found.record.id))
        #expect(!String(decoding: kept.body, as: UTF8.self).contains(made.key.reveal().dropFirst(5)))
        #expect(try await make(keys).record.id != found.id)
    }

    @Test("A key that the release before wrote may do what it could, and is called after its digest, always the same")
    func earlier() async throws {
        let store = store()
        let id = RecordID(APIKeyRecord.collection, String(repeating: "ab", count: 32))
        try await store.change([.insert(Record(id, body: Array(#"{"account":"main","label":"shop"}"#.utf8)))])
        let keys = APIKeys(store, clock: clock)
        let key = try #require(try await keys.all().first)
        #expect(key.id.rawValue == "key_abababababababab" && key.scopes == .ofBefore && key.expiresAt == nil)
        // Who works at the shop was nobody's matter then.
        #expect(!key.scopes.contains(.staff))
        #expect(try await keys.revoke(key.id).label == "shop")
        #expect(try await keys.all().first?.id == key.id)
        #expect(try await keys.account(ofHash: key.hash) == nil)
    }

    @Test("A word of a later release grants nothing, and what is no list is damage")
    func scopesOfOthers() async throws {
        let store = store()
        func write(_ key: String, _ scopes: String) async throws {
            let body = Array(#"{"account":"main","label":"x","scopes":\#(scopes)}"#.utf8)
            try await store.change([.insert(Record(RecordID(APIKeyRecord.collection, key), body: body))])
        }
        try await write("01", #"["read","fly"]"#)
        try await write("02", #""read""#)
        let keys = APIKeys(store, clock: clock)
        #expect(try await keys.key(ofHash: [1])?.scopes == [.read])
        await #expect(throws: JournalError.self) { try await keys.key(ofHash: [2]) }
    }

    @Test("A revoked key lets nobody in; a second word for it, and one for a key that is not there, are refused")
    func revoked() async throws {
        let keys = APIKeys(store(), clock: clock)
        let made = try await make(keys)
        let before = try await keys.changes()
        #expect(try await keys.revoke(made.record.id, by: "bea").revokedBy == "bea")
        #expect(try await keys.changes() != before)
        #expect(try await keys.account(ofHash: hash(made)) == nil)
        let then = clock.now()
        clock.advance(by: .minutes(1))
        await #expect(throws: APIKeyError.revokedBefore(made.record.id, then)) { try await keys.revoke(made.record.id) }
        let nobody = APIKeyID(rawValue: "key_nobody")
        await #expect(throws: APIKeyError.unknown(nobody)) { try await keys.revoke(nobody) }
        await #expect(throws: APIKeyError.revokedBefore(made.record.id, then)) { try await keys.rotate(made.record.id) }
    }

    @Test("An expired key stays out when the clock is set back behind its end")
    func expired() async throws {
        let keys = APIKeys(store(), clock: clock)
        let made = try await make(keys, life: .hours(1))
        clock.advance(by: .hours(1))
        #expect(try await keys.account(ofHash: hash(made)) == nil)
        #expect(try await keys.noteExpired(at: clock.now()) == 1)
        #expect(try await keys.noteExpired(at: clock.now()) == 0)
        clock.advance(by: .hours(-1))
        #expect(try await keys.account(ofHash: hash(made)) == nil)
        await #expect(throws: APIKeyError.expired(made.record.id, clock.now().adding(.hours(1)))) {
            try await keys.rotate(made.record.id)
        }
    }

    @Test("A clock in doubt ends no key for good")
    func doubted() async throws {
        let store = store()
        let made = try await make(APIKeys(store, clock: clock), life: .hours(1))
        // In doubt, since it was compared with nothing.
        let doubted = WitnessedClock(clock)
        let keys = APIKeys(store, clock: doubted)
        clock.advance(by: .hours(2))
        #expect(try await keys.account(ofHash: hash(made)) == nil, "it is refused all the same")
        #expect(try await keys.noteExpired(at: clock.now()) == 0)
        clock.advance(by: .hours(-2))
        #expect(try await keys.account(ofHash: hash(made)) == .main)
    }

    @Test("A key is replaced by one with its label, scopes, account and life; at once, or after a grace")
    func rotated() async throws {
        let keys = APIKeys(store(), clock: clock)
        let first = try await make(keys, [.refund], life: .days(10))
        clock.advance(by: .days(4))
        let (second, replaced) = try await keys.rotate(first.record.id, by: "bea")
        #expect(replaced.id == first.record.id && replaced.revokedAt == clock.now() && replaced.revokedBy == "bea")
        #expect(try await keys.account(ofHash: hash(first)) == nil)
        #expect(second.record.label == "Shop" && second.record.scopes == [.refund])
        #expect(second.record.expiresAt == clock.now().adding(.days(10)) && second.record.createdBy == "bea")
        let (third, graced) = try await keys.rotate(second.record.id, grace: .hours(1))
        #expect(graced.revokedAt == nil && graced.expiresAt == clock.now().adding(.hours(1)))
        #expect(try await keys.account(ofHash: hash(second)) == .main)
        #expect(try await keys.account(ofHash: hash(third)) == .main)
        clock.advance(by: .hours(1))
        #expect(try await keys.account(ofHash: hash(second)) == nil)
        #expect(try await keys.account(ofHash: hash(third)) == .main)
        // A grace never makes a key live longer than it was to.
        let short = try await make(keys, life: .minutes(5))
        #expect(try await keys.rotate(short.record.id, grace: .hours(1)).replaced.expiresAt == short.record.expiresAt)
        await #expect(throws: APIKeyError.invalidSpan(most: APIKeys.maximumGrace)) {
            try await keys.rotate(third.record.id, grace: .days(31))
        }
    }

    @Test("The session of a device is renewed by its lifetime, at most to its end, and no more once it is over")
    func renewed() async throws {
        let keys = APIKeys(store(), clock: clock)
        let made = try await keys.create(
            account: .main, label: "Till 3", scopes: [.read, .sell], life: .hours(8), renewable: .days(1))
        let start = clock.now()
        #expect(made.record.expiresAt == start.adding(.hours(8)))
        // More than three quarters are left: nothing is written.
        clock.advance(by: .hours(1))
        let before = try await keys.changes()
        #expect(try await keys.renew(hash: hash(made)).expiresAt == start.adding(.hours(8)))
        #expect(try await keys.changes() == before)
        clock.advance(by: .hours(3))
        #expect(try await keys.renew(hash: hash(made)).expiresAt == start.adding(.hours(12)))
        #expect(try await keys.changes() != before)
        let kept = try #require(try await APIKeys(store(), clock: clock).key(ofHash: hash(made)))
        #expect(kept.expiresAt == start.adding(.hours(12)) && kept.id == made.record.id)
        #expect(kept.renewal == APIKeyRenewal(life: .hours(8), until: start.adding(.days(1))))
        clock.advance(by: .hours(7))
        _ = try await keys.renew(hash: hash(made))
        clock.advance(by: .hours(7))
        #expect(try await keys.renew(hash: hash(made)).expiresAt == start.adding(.days(1)))
        clock.advance(by: .hours(5))
        #expect(try await keys.renew(hash: hash(made)).expiresAt == start.adding(.days(1)))
        clock.advance(by: .hours(1))
        await #expect(throws: APIKeyError.expired(made.record.id, start.adding(.days(1)))) {
            try await keys.renew(hash: hash(made))
        }
    }

    @Test("A lost device's session is renewed no more, nor is a key that is none, nor one that gave way to another")
    func notRenewed() async throws {
        let keys = APIKeys(store(), clock: clock)
        func session() async throws -> APIKeys.Made {
            try await keys.create(account: .main, label: "iPad", scopes: [.read], life: .hours(1), renewable: .days(30))
        }
        let lost = try await session()
        try await keys.revoke(lost.record.id)
        await #expect(throws: APIKeyError.revokedBefore(lost.record.id, clock.now())) {
            try await keys.renew(hash: hash(lost))
        }
        let plain = try await make(keys, life: .hours(1))
        await #expect(throws: APIKeyError.notRenewable) { try await keys.renew(hash: hash(plain)) }
        let (second, replaced) = try await keys.rotate(try await session().record.id, grace: .minutes(5))
        #expect(replaced.renewal == nil && second.record.renewal?.life == .hours(1))
        #expect(second.record.expiresAt == clock.now().adding(.hours(1)))
        await #expect(throws: APIKeyError.notRenewable) { try await keys.renew(hash: replaced.hash) }
    }

    @Test("A session of a device has the scope that renews it, and times within the limits")
    func sessions() async throws {
        let keys = APIKeys(store(), clock: clock)
        for (life, renewable, scopes) in [
            (nil, .days(1), [.read]), (.minutes(14), .days(1), [.read]), (.days(8), .days(30), [.read]),
            (.days(7), .days(6), [.read]), (.hours(1), .days(91), [.read]), (.hours(1), .days(1), [.sell]),
        ] as [(Span?, Span, Set<APIScope>)] {
            await #expect(throws: APIKeyError.invalidSession) {
                try await keys.create(account: .main, label: "iPad", scopes: scopes, life: life, renewable: renewable)
            }
        }
        #expect(try await keys.all().isEmpty)
    }

    @Test("Sessions of devices that ended long ago give way to new keys; other keys stay in the list")
    func forgotten() async throws {
        let keys = APIKeys(store(), clock: clock)
        let old = try await make(keys, life: .hours(1))
        for _ in 1...3 {
            _ = try await keys.create(
                account: .main, label: "iPad", scopes: [.read], life: .hours(1), renewable: .hours(1))
        }
        clock.advance(by: .days(30))
        _ = try await make(keys)
        #expect(try await keys.all().count == 5)
        clock.advance(by: .hours(2))
        _ = try await make(keys)
        #expect(try await keys.all().count == 4)
        _ = try await make(keys)
        #expect(try await keys.all().count == 4)
        #expect(try await keys.key(ofHash: hash(old)) != nil)
    }

    @Test("Of many who replace one key at once, one does")
    func raced() async throws {
        let store = store()
        let keys = APIKeys(store, clock: clock)
        let made = try await make(keys)
        let done = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { (try? await keys.rotate(made.record.id)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 1)
        #expect(try await keys.all().count == 2)
    }

    @Test("The last use is written once a minute, whoever writes it, and does not get in the way of revoking")
    func uses() async throws {
        let store = store()
        let keys = APIKeys(store, clock: clock)
        let made = try await make(keys)
        let (first, kept) = (clock.now(), try await store.record(made.record.record.id))
        try await keys.note(uses: [hash(made): first])
        clock.advance(by: .seconds(59))
        try await APIKeys(store, clock: clock).note(uses: [hash(made): clock.now()])
        #expect(try await keys.lastUses() == [hash(made): first])
        clock.advance(by: .seconds(1))
        try await keys.note(uses: [hash(made): clock.now()])
        #expect(try await keys.lastUses() == [hash(made): clock.now()])
        #expect(try await store.record(made.record.record.id)?.version == kept?.version)
    }

    @Test("Words and times that cannot be taken are refused")
    func refused() async throws {
        let keys = APIKeys(store(), clock: clock)
        for label in ["", "  ", "a\nb", String(repeating: "x", count: 129)] {
            await #expect(throws: APIKeyError.invalidWord(.label)) {
                try await keys.create(account: .main, label: label, scopes: [.read])
            }
        }
        for life in [Span.milliseconds(0), .seconds(-5), .days(3_651)] {
            await #expect(throws: APIKeyError.invalidSpan(most: APIKeys.maximumLife)) {
                try await make(keys, life: life)
            }
        }
        #expect(try await keys.all().isEmpty)
    }

    @Test("Scopes are read as words; another word is refused")
    func scopes() throws {
        #expect(try Set(scopes: "read,sell") == [.read, .sell])
        #expect(try Set(scopes: "refund, admin") == [.refund, .admin])
        #expect(try Set(scopes: "all") == .all)
        for text in ["", "read,", "read,fly", "READ", "all,read"] {
            #expect(throws: UnknownScope.self) { try Set(scopes: text) }
        }
    }

    @Test(
        "A key that can be guessed is refused",
        arguments: [
            ("secret", false), ("k", false), (String(repeating: "k", count: 64), false),
            ("0123456789abcdef0123456789abcde", false), ("0123456789abcdef0123456789abcdef", true),
            ("01234567890123456789012345678901234567", false), ("012345678901234567890123456789012345678", true),
            ("abcdefghijklmnopqrstuvwx", false), ("Ab1-efGhijklMnopqrst", true),
            ("abcdefgh ijklmnopqrstuvwxyz01", false),
            ("till_" + String(repeating: "0123456789abcdef", count: 4), true), ("пароль-пароль-пароль-пароль", false),
        ])
    func strength(_ key: String, isTaken: Bool) {
        let fault = KeyStrength.fault(of: key)
        #expect((fault == nil) == isTaken, "\(key)")
        #expect(fault?.contains(key) != true || key == "k")
    }
}
