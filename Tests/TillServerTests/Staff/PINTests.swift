import Foundation
import Synchronization
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer

@Suite("PINs")
struct PINTests {
    private static let person = "staff_1"

    @Test("A PIN is digits, long enough, and none that anybody tries first")
    func policy() throws {
        let policy = PINPolicy()
        try policy.check(Secret("604913"))
        for text in ["", "12345", "60491", "6049131234567", "60491a", "６０４９１３", "604 13"] {
            #expect(throws: StaffError.invalidPIN(digits: 6)) { try policy.check(Secret(text)) }
        }
        for text in ["000000", "123456", "98765432"] {
            #expect(throws: StaffError.weakPIN) { try policy.check(Secret(text)) }
        }
        #expect(PINPolicy(minimumDigits: 1).minimumDigits == 4)
    }

    @Test("Only the PIN that was set matches, only under its pepper, and two of the same differ")
    func hash() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/till-pins-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let hasher = ScryptHasher(besideJournal: folder + "/a")
        let one = try await hasher.hash(Secret("604913"), of: .main)
        let other = try await hasher.hash(Secret("604913"), of: .main)
        #expect(one.hash != other.hash && one.salt != other.salt)
        #expect(try await hasher.matches(Secret("604913"), one, of: .main))
        #expect(try await !hasher.matches(Secret("604914"), one, of: .main))
        let again = ScryptHasher(besideJournal: folder + "/a")
        #expect(try await again.matches(Secret("604913"), other, of: .main))
        let lost = ScryptHasher(besideJournal: folder + "/b")
        await #expect(throws: StaffError.pepperMissing) { try await lost.matches(Secret("604913"), one, of: .main) }
        #expect(
            FileManager.default.createFile(
                atPath: folder + "/c-pepper", contents: Data([1]), attributes: [.posixPermissions: 0o600]))
        let short = ScryptHasher(besideJournal: folder + "/c")
        await #expect(throws: StaffError.pepperFile(folder + "/c-pepper")) {
            try await short.hash(Secret("604913"), of: .main)
        }
    }

    @Test("Each wrong PIN waits longer than the one before, then no more are taken; other devices are not held up")
    func attempts() async throws {
        let place = try SessionPlace()
        let attempts = SignInAttempts(place.store, clock: place.measuring)
        for (count, wait) in [(1, 0), (2, 1), (3, 2), (4, 4)] {
            #expect(try await attempts.begin(Self.person, at: "a") == .mayTry, "\(count)")
            if wait > 0 {
                #expect(try await attempts.begin(Self.person, at: "a") == .wait(.seconds(Int64(wait))))
                place.pass(.seconds(Int64(wait)))
            }
        }
        #expect(try await attempts.begin(Self.person, at: "a") == .mayTry)
        place.pass(.hours(12))
        #expect(try await attempts.begin(Self.person, at: "a") == .locked)
        #expect(try await attempts.begin(Self.person, at: "b") == .mayTry)
        #expect(try await attempts.begin("staff_2", at: "a") == .mayTry)
        try await attempts.clear("a")
        #expect(try await attempts.begin(Self.person, at: "a") == .mayTry)
        try await attempts.succeed(Self.person, at: "b")
        #expect(try await attempts.begin(Self.person, at: "b") == .mayTry)
        try await place.close()
    }

    @Test("A person's wrong PINs of all devices count together, for an hour, and each waits longer")
    func everyDevice() async throws {
        let place = try SessionPlace()
        let attempts = SignInAttempts(place.store, clock: place.measuring)
        func standing() async throws -> SignInAttempts.Standing {
            try await attempts.begin(Self.person, at: SignInAttempts.everyDevice, .pinInAll)
        }
        for count in 1...6 { #expect(try await standing() == .mayTry, "\(count)") }
        for wait in [1, 2, 4, 8] as [Int64] {
            #expect(try await standing() == .wait(.seconds(wait)))
            place.pass(.seconds(wait))
            #expect(try await standing() == .mayTry, "\(wait)")
        }
        #expect(try await attempts.begin(Self.person, at: "a") == .mayTry, "a device counts for itself")
        place.pass(.hours(1))
        for count in 1...6 { #expect(try await standing() == .mayTry, "\(count)") }
        try await place.close()
    }

    @Test("A right one between wrong ones lengthens neither their wait nor their memory")
    func rightOnesBetween() async throws {
        let place = try SessionPlace()
        let attempts = SignInAttempts(place.store, clock: place.measuring)
        let name = SignInAttempts.everybody(of: .main)
        func begin() async throws -> SignInAttempts.Standing {
            try await attempts.begin(name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        }
        for _ in 0..<20 { #expect(try await begin() == .mayTry) }
        for _ in 0..<13 {
            place.pass(.minutes(5))
            #expect(try await begin() == .mayTry)
            try await attempts.withdraw(name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        }
        // The wrong ones are over an hour old: as many are free again.
        for _ in 0..<20 { #expect(try await begin() == .mayTry) }
        try await place.close()
    }

    /// A store in which others are always first, for a while.
    private final class OthersFirst: RecordStore {
        let store: any RecordStore
        /// How many of its changes come after one of others.
        private let left: Mutex<Int>
        let others: @Sendable () async throws -> Void

        init(_ count: Int, _ store: any RecordStore, others: @escaping @Sendable () async throws -> Void) {
            (self.store, self.others) = (store, others)
            left = Mutex(count)
        }

        func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? { try await store.record(id) }
        func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
            try await store.records(query)
        }
        func count(_ collection: RecordCollection, matching: RecordMatch?) async throws(JournalError) -> Int {
            try await store.count(collection, matching: matching)
        }
        func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError) {
            let isLate = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isLate {
                do { try await others() } catch { throw .corrupted("the others failed: \(error)") }
            }
            try await store.change(changes, noting: notes)
        }
    }

    @Test("Many who try at the same moment at devices of one account are counted one after the other, and none waits")
    func shared() async throws {
        let place = try SessionPlace()
        let name = SignInAttempts.everybody(of: .main)
        let others = SignInAttempts(place.store, clock: place.measuring)
        func count() async throws -> Int {
            try await Records<SignInAttemptRecord>(place.store).list(
                matching: SignInAttemptRecord.of(SignInAttempts.everyDevice), limit: 10
            ).reduce(0) { $0 + $1.count }
        }
        let begun = OthersFirst(6, place.store) {
            _ = try await others.begin(name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        }
        let attempts = SignInAttempts(begun, clock: place.measuring)
        #expect(try await attempts.begin(name, at: SignInAttempts.everyDevice, .pinsOfAccount) == .mayTry)
        #expect(try await count() == 7)
        let withdrawn = OthersFirst(3, place.store) {
            try await others.withdraw(name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        }
        try await SignInAttempts(withdrawn, clock: place.measuring).withdraw(
            name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        #expect(try await count() == 3)
        // Whoever meets others every time is told to wait, and is not counted.
        let always = OthersFirst(.max, place.store) {
            try await others.withdraw(name, at: SignInAttempts.everyDevice, .pinsOfAccount)
            _ = try await others.begin(name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        }
        let standing = try await SignInAttempts(always, clock: place.measuring).begin(
            name, at: SignInAttempts.everyDevice, .pinsOfAccount)
        #expect(standing == .wait(SignInAttempts.firstWait))
        #expect(try await count() == 3)
        try await place.close()
    }

    @Test("An attempt that was not judged is taken back, and is no wrong one")
    func withdrawn() async throws {
        let place = try SessionPlace()
        let attempts = SignInAttempts(place.store, clock: place.measuring)
        #expect(try await attempts.begin(Self.person, at: "a") == .mayTry)
        for number in 0..<2 * SignInAttempts.Limits.pin.maximum {
            place.pass(.seconds(2))
            #expect(try await attempts.begin(Self.person, at: "a") == .mayTry, "\(number)")
            try await attempts.withdraw(Self.person, at: "a")
        }
        try await attempts.withdraw(Self.person, at: "a")
        try await attempts.withdraw(Self.person, at: "a")
        #expect(try await attempts.begin(Self.person, at: "a") == .mayTry)
        try await place.close()
    }

    @Test("A clock that is set back makes no wait shorter")
    func clockSetBack() async throws {
        let place = try SessionPlace()
        let attempts = SignInAttempts(place.store, clock: place.measuring)
        _ = try await attempts.begin(Self.person, at: "a")
        _ = try await attempts.begin(Self.person, at: "a")
        place.wall.advance(by: .hours(-3))
        #expect(try await attempts.begin(Self.person, at: "a") == .wait(.seconds(1)))
        place.running.advance(by: .seconds(1))
        #expect(try await attempts.begin(Self.person, at: "a") == .mayTry)
        try await place.close()
    }
}
