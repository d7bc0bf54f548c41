import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// A signed head is believed only as it was signed, and finds what a chain alone cannot find.
@Suite("A signed head")
struct SignedHeadTests {
    private let site = Site(.sqlite)
    private let key = HeadSigningKey()

    private func journal(_ sales: ClosedRange<Int>) async throws -> SQLiteJournal {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        for number in sales { try await sell(number, journal) }
        return journal
    }

    private func sell(_ number: Int, _ journal: SQLiteJournal) async throws {
        var sale = try Sale(number)
        sale.pay()
        try await journal.write(sale.write())
    }

    @Test("is one line of ASCII that reads back as it was, and fits its own key only")
    func roundTrip() async throws {
        let journal = try await journal(1...2)
        let stated = try await journal.head()
        #expect(stated.head.sequence == 10)
        #expect(try await journal.verify().head == stated.head)
        #expect(try await journal.verify().journal == stated.journal)
        let signed = try SignedHead(stated, at: site.clock.now(), key: key)
        let line = signed.description
        #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        let read = try SignedHead(parsing: "\n\(line)\n")
        #expect(read == signed)
        try read.verify(with: try HeadVerifyingKey(pem: key.verifyingKey.pem))
        let other = HeadSigningKey().verifyingKey
        #expect(throws: SignedHeadError.otherKey(signed: key.verifyingKey.id, given: other.id)) {
            try read.verify(with: other)
        }
        try await journal.close()
    }

    @Test("with any byte changed is refused")
    func changedByte() throws {
        let head = ChainHead(sequence: 43, hash: [UInt8](repeating: 7, count: 32))
        let line = try SignedHead(JournalHead(journal: "00ff00ff00ff00ff", head: head), at: .distantEnough, key: key)
            .description
        var bytes = Array(line.utf8)
        for place in bytes.indices {
            let kept = bytes[place]
            for other in Set([0x30, 0x31, 0x41, 0x61, 0x20, kept ^ 0x20]) where other != kept {
                bytes[place] = other
                #expect(throws: SignedHeadError.self, "byte \(place) as \(other)") {
                    try SignedHead(parsing: String(decoding: bytes, as: UTF8.self)).verify(with: key.verifyingKey)
                }
            }
            bytes[place] = kept
        }
        for text in ["", line + line, line + "\n" + line, line + " more", String(line.dropLast(2))] {
            #expect(throws: SignedHeadError.unreadable) { try SignedHead(parsing: text) }
        }
    }

    @Test("finds that an older state of the journal was put back, and went on")
    func setBack() async throws {
        let first = try await journal(1...2)
        let copy = site.path + "-older"
        try await first.backup(to: copy)
        try await sell(3, first)
        let signed = try SignedHead(try await first.head(), at: site.clock.now(), key: key)
        try await first.close()
        for file in ["", "-wal", "-shm"].map({ site.path + $0 }) where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
        try FileManager.default.copyItem(atPath: copy, toPath: site.path)
        let restored = try SQLiteJournal.open(at: site.path, clock: site.clock)
        #expect(try await restored.head().journal == signed.journal)
        let problems = try await restored.verify(known: signed.head).problems
        #expect(problems.contains { $0.contains("its end was cut off") }, "\(problems)")
        try await restored.close()
    }

    @Test("is not made of an end that is not the last event")
    func damagedEnd() async throws {
        let journal = try await journal(1...2)
        try await DatabaseQueue(path: site.path).write { try $0.execute(sql: "DELETE FROM event WHERE sequence = 10") }
        await #expect(throws: JournalError.self) { try await journal.head() }
        try await journal.close()
    }

    @Test("is made with a key that only its owner may read; nothing is written over")
    func keyFile() throws {
        try FileManager.default.createDirectory(atPath: site.folder, withIntermediateDirectories: true)
        let path = site.path + "-key"
        let made = try HeadKeyFile.make(at: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try HeadKeyFile.signingKey(at: path).verifyingKey.id == made.verifyingKey.id)
        #expect(try HeadKeyFile.verifyingKey(at: path + HeadKeyFile.publicSuffix).pem == made.verifyingKey.pem)
        #expect(throws: HeadKeyFileError.exists(path)) { try HeadKeyFile.make(at: path) }
        for mode in [0o640, 0o604, 0o620, 0o602] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(throws: HeadKeyFileError.readableByOthers(path)) { try HeadKeyFile.signingKey(at: path) }
        }
        #expect(throws: HeadKeyFileError.self) { try HeadKeyFile.verifyingKey(at: path) }
        #expect("\(made)\(String(reflecting: made))".contains(made.pem.reveal().split(separator: "\n")[1]) == false)
    }
}

extension Timestamp {
    fileprivate static let distantEnough = Timestamp(milliseconds: 1_800_000_000_123)
}
