import Testing
import TillTestSupport

@testable import TillCore

/// The validation for systems without the library's own, held against that.
@Suite("Text of UTF-8")
struct UTF8Tests {
    private func agrees(_ bytes: [UInt8]) -> Bool {
        let expected = String(validating: bytes, as: UTF8.self)
        return String(comparingUTF8: bytes) == expected && String(ifUTF8: bytes) == expected
    }

    @Test("every two bytes, alone and after the beginning of a longer character")
    func pairs() {
        let starts: [[UInt8]] = [[], [0xE2], [0xED], [0xF0], [0xF0, 0x9F], [0xF4], [0xEF, 0xBF]]
        for start in starts {
            let wrong = (UInt16.min...UInt16.max).filter { pair in
                !agrees(start + [UInt8(pair >> 8), UInt8(pair & 0xFF)])
            }
            #expect(wrong.isEmpty, "\(start): \(wrong.prefix(5))")
        }
    }

    @Test("the replacement character itself is text, and nothing that would become it")
    func replacement() {
        #expect(String(comparingUTF8: [0xEF, 0xBF, 0xBD]) == "\u{FFFD}")
        for bytes in [[0xFF], [0xEF, 0xBF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
            #expect(String(comparingUTF8: bytes) == nil)
        }
    }

    @Test("random bytes, most of them those of longer characters")
    func random() {
        var random = SeededRandom(seed: 16)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(12)).map { _ in
                UInt8(truncatingIfNeeded: random.chance(300) ? random.next() & 0x7F : random.next() | 0x80)
            }
            #expect(agrees(bytes), "\(bytes)")
        }
    }
}
