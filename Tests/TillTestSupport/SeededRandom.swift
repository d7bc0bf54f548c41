/// Random numbers from a seed (SplitMix64): the same seed gives the same numbers everywhere.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts at a seed.
    public init(seed: UInt64) { state = seed }

    /// The next number of the sequence.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True in so many of a thousand cases.
    public mutating func chance(_ perMille: UInt64) -> Bool { next() % 1000 < perMille }

    /// From the first to the last, both included.
    public mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    /// From zero to one less than the limit; zero if the limit is zero.
    public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
}
