/// A hash that is the same in every run and on every machine (FNV-1a, then the finalizer of SplitMix64).
package enum StableHash {
    package static func of(_ text: String, seed: UInt64 = 0) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ (seed &* 0x9e37_79b9_7f4a_7c15)
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }

    package static func hex(_ text: String, seed: UInt64 = 0) -> String {
        let digits = String(of(text, seed: seed), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
