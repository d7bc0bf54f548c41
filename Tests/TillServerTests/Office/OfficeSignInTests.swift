import Foundation
import Logging
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureStaff
import TillJournal
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Signing in to the back office")
struct OfficeSignInTests {
    private static let password = "gravel tulip norway"

    /// A shop with its staff, and whoever signs in there.
    private struct Shop {
        let place: SessionPlace
        let folder: String
        let office: OfficeSignIn
        let staff: StaffDirectory
        let hasher: ScryptHasher

        init() throws {
            place = try SessionPlace()
            folder = FileManager.default.temporaryDirectory.path + "/till-office-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let duty = StaffOnDuty(place.store, clock: place.clock)
            hasher = ScryptHasher(besideJournal: folder + "/journal")
            office = OfficeSignIn(
                account: .main, staff: duty, sessions: place.sessions(),
                attempts: SignInAttempts(place.store, clock: place.measuring), hasher: hasher,
                policy: PasswordPolicy(shop: "Corner Bakery"), store: place.store, clock: place.measuring,
                log: SignInLog(logger: Logger(label: "test")))
            staff = StaffDirectory(place.store, account: .main, clock: place.clock)
        }

        func close() async throws {
            try await place.close()
            try FileManager.default.removeItem(atPath: folder)
        }

        /// The code that a person's telephone shows now, by the secret that they were shown.
        func code(_ offer: OfficeSignIn.Offer) -> Secret<String> {
            Secret(offer.code.code(at: OneTimeCode.step(at: place.clock.now())))
        }

        /// Somebody who was invited, and has chosen.
        func enrolled(_ name: String) async throws -> (OfficeSignIn.Offer, token: String) {
            // As the server knows them; another process adds somebody.
            _ = try await office.staff.isConfigured(.main)
            try await staff.add(name: name, role: "owner", pin: nil)
            let word = try await staff.invite(name).word
            let offer = try await office.offer(word)
            let token = try await office.enrol(word, password: Secret(OfficeSignInTests.password), code: code(offer))
            return (offer, token)
        }

        func begin(
            _ name: String, _ code: Secret<String>, _ password: String = OfficeSignInTests.password,
            from address: String = "192.0.2.1"
        ) async throws -> String {
            try await office.begin(
                OfficeSignIn.Claim(name: name, password: Secret(password), code: code), from: address)
        }

        func refusal(_ work: () async throws -> String) async -> String? {
            do {
                _ = try await work()
                return nil
            } catch { return Problem(error).code }
        }
    }

    @Test("Name, password and code let in together, and each code once; whatever is wrong is one refusal")
    func together() async throws {
        let shop = try Shop()
        let (offer, token) = try await shop.enrolled("Olga")
        let session = try #require(try await shop.office.sessions.open(digest(token.utf8)))
        #expect(session.isPersonal && session.person?.id == offer.person.id && session.proof == .password)
        #expect(await shop.refusal { try await shop.begin("Olga", shop.code(offer)) } == "sign_in_refused")
        shop.place.pass(.seconds(30))
        let code = shop.code(offer)
        #expect(await shop.refusal { try await shop.begin("Olga", code, "gravel tulip") } == "sign_in_refused")
        shop.place.pass(.seconds(1))
        #expect(await shop.refusal { try await shop.begin("Olga", Secret("000000")) } == "sign_in_refused")
        #expect(await shop.refusal { try await shop.begin("Nobody", code) } == "sign_in_refused")
        shop.place.pass(.seconds(2))
        #expect(await shop.refusal { try await shop.begin("OLGA", code) } == nil)
        #expect(await shop.refusal { try await shop.begin("Olga", code) } == "sign_in_refused")
        try await shop.staff.change("Olga", .init(isDisabled: true))
        shop.office.staff.forget()
        shop.place.pass(.seconds(30))
        #expect(await shop.refusal { try await shop.begin("Olga", shop.code(offer)) } == "sign_in_refused")
        try await shop.close()
    }

    @Test("Of two who send one code at the same moment one is let in")
    func race() async throws {
        let shop = try Shop()
        let (offer, _) = try await shop.enrolled("Olga")
        shop.place.pass(.seconds(30))
        let code = shop.code(offer)
        let results = await withTaskGroup(of: Bool.self) { group in
            for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
                group.addTask { await shop.refusal { try await shop.begin("Olga", code, from: address) } == nil }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.filter { $0 }.count <= 1)
        // Two that have read the same journal before either has written.
        let records = Records<OfficeCredentials>(shop.place.store)
        let known = try #require(try await records.document(offer.person.id.rawValue))
        let step = (known.lastStep ?? 0) + 5
        #expect(try await shop.office.spend(step, known))
        #expect(try await !shop.office.spend(step, known))
        try await shop.close()
    }

    @Test("An invitation is good once and for a day, and takes what there was before")
    func invitation() async throws {
        let shop = try Shop()
        let (offer, token) = try await shop.enrolled("Olga")
        let first = try await shop.staff.invite("Olga").word
        #expect(try await Records<OfficeCredentials>(shop.place.store).count() == 0)
        #expect(try await shop.staff.person("Olga").office == .invited)
        shop.office.staff.forget()
        let grant = try await shop.office.sessions.open(digest(token.utf8))?.person
        #expect(try await shop.office.staff.grant(try #require(grant), of: .main) == nil)
        let second = try await shop.staff.invite("Olga").word
        for word in [first, second + "0", "staff_none.00", second.replacing(".", with: ""), ""] {
            #expect(await shop.refusal { try await shop.office.offer(word).code.base32 } == "invitation_spent")
        }
        let again = try await shop.office.offer(second)
        #expect(again.code.base32 != offer.code.base32)
        #expect(try await shop.office.offer(second).code.base32 == again.code.base32)
        let password = Secret(Self.password)
        func enrol(_ password: Secret<String>, _ code: Secret<String>) async -> String? {
            await shop.refusal { try await shop.office.enrol(second, password: password, code: code) }
        }
        #expect(await enrol(Secret("short"), shop.code(again)) == "invalid_password")
        #expect(await enrol(password, Secret("000000")) == "code_wrong")
        #expect(await enrol(password, shop.code(again)) == nil)
        #expect(await enrol(password, shop.code(again)) == "invitation_spent")
        let third = try await shop.staff.invite("Olga").word
        shop.place.pass(.days(1))
        #expect(await shop.refusal { try await shop.office.offer(third).code.base32 } == "invitation_spent")
        try await shop.staff.add(name: "Zoe", role: "cashier", pin: nil)
        try await shop.staff.remove("Olga")
        #expect(try await Records<Invitation>(shop.place.store).count() == 0)
        try await shop.close()
    }

    @Test("PINs that are tried from ever more sessions of the back office wait longer, too, as at devices of a key")
    func approvals() async throws {
        let shop = try Shop()
        let pin = try await shop.hasher.hash(Secret("604913"), of: .main)
        let mona = try await shop.staff.add(name: "Mona", role: "manager", pin: pin)
        let signIn = StaffSignIn(
            staff: shop.office.staff, sessions: shop.place.sessions(),
            attempts: SignInAttempts(shop.place.store, clock: shop.place.measuring), hasher: shop.hasher,
            log: SignInLog(logger: Logger(label: "test")))
        let now = shop.place.measuring.now()
        func session(_ number: UInt8, _ proof: OfficeProof?) -> PageSessionRecord {
            PageSessionRecord(
                hash: Array(repeating: number, count: 32), account: .main, began: now, seen: now, ends: now.at,
                proof: proof)
        }
        func refusal(_ pin: String, _ session: PageSessionRecord) async -> String? {
            do {
                _ = try await signIn.check(mona.id, Secret(pin), at: session)
                return nil
            } catch { return Problem(error).code }
        }
        for number in 1...6 as ClosedRange<UInt8> {
            #expect(await refusal("000111", session(number, .passkey)) == "pin_wrong", "\(number)")
        }
        #expect(await refusal("604913", session(7, .passkey)) == "pin_too_early")
        #expect(await refusal("604913", session(8, nil)) == nil, "a device of the shop's own is not held up")
        #expect(await refusal("604913", session(7, .passkey)) == nil)
        try await shop.close()
    }

    @Test("Ten wrong ones from an address are taken, then none with that name from there, also the right one")
    func locked() async throws {
        let place = try SessionPlace()
        let attempts = SignInAttempts(place.store, clock: place.measuring)
        for count in 1...10 {
            #expect(try await attempts.begin("olga", at: "a", .password) == .mayTry, "\(count)")
            place.pass(.minutes(10))
        }
        #expect(try await attempts.begin("olga", at: "a", .password) == .locked)
        #expect(try await attempts.begin("olga", at: "b", .password) == .mayTry)
        place.pass(.days(1))
        #expect(try await attempts.begin("olga", at: "a", .password) == .mayTry)
        for count in 1...100 {
            let standing = try await attempts.begin("olga", at: SignInAttempts.everywhere, .passwordInAll)
            #expect(standing == .mayTry, "\(count)")
        }
        #expect(try await attempts.begin("olga", at: SignInAttempts.everywhere, .passwordInAll) == .locked)
        try await place.close()
    }

    @Test("Another password ends every other session, and gives this one another token")
    func change() async throws {
        let shop = try Shop()
        let (offer, token) = try await shop.enrolled("Olga")
        shop.place.pass(.seconds(30))
        let other = try await shop.begin("Olga", shop.code(offer))
        shop.place.pass(.seconds(30))
        let session = try #require(try await shop.office.sessions.open(digest(token.utf8)))
        let claim = OfficeSignIn.Claim(name: "Olga", password: Secret(Self.password), code: shop.code(offer))
        let renewed = try await shop.office.change(
            claim, to: Secret("harbour window eleven"), in: session, from: "192.0.2.1")
        #expect(try await shop.office.sessions.open(digest(token.utf8)) == nil)
        for (token, isIn) in [(renewed, true), (other, false)] {
            let person = try #require(try await shop.office.sessions.open(digest(token.utf8))?.person)
            #expect(try await (shop.office.staff.grant(person, of: .main) != nil) == isIn)
        }
        shop.place.pass(.seconds(30))
        #expect(await shop.refusal { try await shop.begin("Olga", shop.code(offer)) } == "sign_in_refused")
        shop.place.pass(.seconds(30))
        #expect(
            await shop.refusal { try await shop.begin("Olga", shop.code(offer), "harbour window eleven") } == nil)
        try await shop.close()
    }

    @Test("Only who has signed in within ten minutes may change their passkeys")
    func freshness() async throws {
        let shop = try Shop()
        let (_, token) = try await shop.enrolled("Olga")
        let session = try #require(try await shop.office.sessions.open(digest(token.utf8)))
        let passkeys = Passkeys(office: shop.office)
        shop.place.pass(.milliseconds(599_999))
        #expect(try await passkeys.fresh(session).name == "Olga")
        shop.place.pass(.milliseconds(1))
        #expect(await shop.refusal { try await passkeys.fresh(session).name } == "sign_in_again")
        try await shop.close()
    }

    @Test("A session of the back office ends after an hour without a request, and is no device that is locked")
    func idle() async throws {
        let shop = try Shop()
        let (_, token) = try await shop.enrolled("Olga")
        for _ in 0..<12 {
            shop.place.pass(.minutes(59))
            #expect(try await shop.office.sessions.takes(token))
        }
        shop.place.pass(.minutes(13))
        #expect(try await !shop.office.sessions.takes(token), "twelve hours in all")
        let (_, unused) = try await shop.enrolled("Mona")
        shop.place.pass(.hours(1))
        #expect(try await !shop.office.sessions.takes(unused))
        try await shop.close()
    }
}
