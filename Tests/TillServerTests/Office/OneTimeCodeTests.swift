import Foundation
import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureStaff

@testable import TillServer

@Suite("One-time codes")
struct OneTimeCodeTests {
    private let code = OneTimeCode(secret: Secret(Array("12345678901234567890".utf8)))

    @Test("They are those of RFC 6238, appendix B")
    func vectors() {
        let vectors: [(Int64, String)] = [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ]
        for (seconds, expected) in vectors {
            let step = OneTimeCode.step(at: Timestamp(milliseconds: seconds * 1_000))
            #expect(code.code(at: step, digits: 8) == expected, "\(seconds)")
            #expect(code.code(at: step) == String(expected.suffix(6)))
        }
    }

    @Test("A code is taken one step early or late, never further off, and never twice")
    func acceptance() {
        let time = Timestamp(milliseconds: 1_234_567_890_000)
        let now = OneTimeCode.step(at: time)
        for drift in -1...1 as ClosedRange<Int64> {
            #expect(code.accepts(Secret(code.code(at: now + drift)), at: time, after: nil) == now + drift)
        }
        for drift in [-3, -2, 2, 3] as [Int64] {
            #expect(code.accepts(Secret(code.code(at: now + drift)), at: time, after: nil) == nil)
        }
        #expect(code.accepts(Secret(code.code(at: now)), at: time, after: now) == nil)
        #expect(code.accepts(Secret(code.code(at: now - 1)), at: time, after: now) == nil)
        #expect(code.accepts(Secret(code.code(at: now + 1)), at: time, after: now) == now + 1)
        for wrong in ["", "12345", "1234567", "abcdef", "９４２８７０"] {
            #expect(code.accepts(Secret(wrong), at: time, after: nil) == nil)
        }
    }

    @Test("The secret is base32, and the address has the shop and the name")
    func address() {
        #expect(code.base32 == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        #expect(
            code.address(shop: "Café & Co", name: "Olga B:")
                == "otpauth://totp/Caf%C3%A9%20%26%20Co:Olga%20B%3A?secret="
                + "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Caf%C3%A9%20%26%20Co&algorithm=SHA1&digits=6&period=30")
        #expect(OneTimeCode.make().secret.reveal().count == 20)
        #expect(OneTimeCode.make().base32 != OneTimeCode.make().base32)
    }

    @Test("A sealed secret opens for its person under its pepper only, and not when a bit was changed")
    func sealed() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/till-pepper-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pepper = Pepper(besideJournal: folder + "/a")
        let sealed = try pepper.seal(code.secret, for: "staff_1")
        #expect(!Hex.lowercase(sealed).contains(Hex.lowercase(code.secret.reveal())))
        #expect(try pepper.open(sealed, for: "staff_1").reveal() == code.secret.reveal())
        #expect(throws: StaffError.pepperMissing) { try pepper.open(sealed, for: "staff_2") }
        #expect(throws: StaffError.pepperMissing) {
            try Pepper(besideJournal: folder + "/b").open(sealed, for: "staff_1")
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: StaffError.pepperMissing) { try pepper.open(changed, for: "staff_1") }
        }
        #expect(throws: StaffError.pepperMissing) { try pepper.open([], for: "staff_1") }
    }
}
