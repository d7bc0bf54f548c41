package import TillCore

/// The stored hash of a PIN or a password: scrypt (RFC 7914) over its HMAC under the pepper, with salt and cost.
public struct ScryptHash: Hashable, Sendable {
    /// The scrypt cost parameters. One derivation takes 128 · blockSize · rounds bytes.
    public struct Cost: Hashable, Sendable {
        let rounds: Int
        let blockSize: Int
        let parallelism: Int

        /// 16 MiB, which fits the counter's memory; OWASP's password storage cheat sheet lists it as equivalent to N =
        /// 2¹⁷.
        package static let standard = Cost(rounds: 1 << 14, blockSize: 8, parallelism: 5)
        /// The maximum memory of one derivation, in bytes. Stored parameters beyond it are rejected.
        static let maximumMemory = 64 << 20
    }

    static let saltBytes = 16
    static let hashBytes = 32

    let cost: Cost
    let salt: [UInt8]
    package let hash: [UInt8]
    /// The mark of the pepper used.
    package let pepper: [UInt8]

    package init(cost: Cost, salt: [UInt8], hash: [UInt8], pepper: [UInt8]) {
        (self.cost, self.salt, self.hash, self.pepper) = (cost, salt, hash, pepper)
    }

    /// Reads the stored form.
    package init?(_ json: JSONValue) {
        func bytes(_ name: String) -> [UInt8]? { json[name]?.stringValue.flatMap { Hex.decode($0) } }
        func number(_ name: String) -> Int? { json[name]?.int64Value.map { Int(clamping: $0) } }
        guard let salt = bytes("salt"), let hash = bytes("hash"), let pepper = bytes("pepper"),
            hash.count == ScryptHash.hashBytes, let rounds = number("n"), let blockSize = number("r"),
            let parallelism = number("p"), (2...1 << 20).contains(rounds), (1...32).contains(blockSize),
            (1...16).contains(parallelism), 128 * rounds * blockSize <= Cost.maximumMemory
        else { return nil }
        self.init(
            cost: Cost(rounds: rounds, blockSize: blockSize, parallelism: parallelism), salt: salt, hash: hash,
            pepper: pepper)
    }

    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("n", cost.rounds)
        writer.field("r", cost.blockSize)
        writer.field("p", cost.parallelism)
        writer.field("salt", Hex.lowercase(salt))
        writer.field("hash", Hex.lowercase(hash))
        writer.field("pepper", Hex.lowercase(pepper))
        writer.endObject()
    }
}
