public import TillCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Breaks payment tokens in many ways, the same ones for the same seed.
public struct TokenMutator {
    private var random: SeededRandom

    /// A mutator that makes the same changes for the same seed.
    public init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A token that differs from the given one in what is signed, or in the signature.
    public mutating func mutate(_ token: JSONValue) -> [UInt8] {
        if random.below(4) == 0 { return mutate(bytes: token.bytes()) }
        let members = token.objectValue ?? []
        let target = ["signature", "signature", "signature", "data", "header"][random.below(5)]
        let changed = members.map { member -> JSONMember in
            guard member.key == target else { return member }
            if let text = member.value.stringValue, let bytes = decode(text) {
                return JSONMember(key: member.key, value: .string(encode(mutate(bytes: bytes))))
            }
            let fields = member.value.objectValue ?? []
            let place = random.below(fields.count)
            return JSONMember(
                key: member.key,
                value: .object(
                    fields.enumerated().map { index, field in
                        guard index == place, let text = field.value.stringValue, let bytes = decode(text) else {
                            return field
                        }
                        return JSONMember(key: field.key, value: .string(encode(mutate(bytes: bytes))))
                    }))
        }
        let result = JSONValue.object(changed).bytes()
        return result == token.bytes() ? mutate(bytes: result) : result
    }

    private mutating func mutate(bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        repeat {
            for _ in 0...random.below(4) where !changed.isEmpty {
                let place = random.below(changed.count)
                switch random.below(6) {
                case 0: changed[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: changed[place] ^= 1 << UInt8(random.below(8))
                case 2: changed.removeSubrange(place..<min(changed.count, place + 1 + random.below(40)))
                case 3:
                    changed.insert(
                        contentsOf: (0...random.below(8)).map { _ in UInt8(truncatingIfNeeded: random.next()) },
                        at: place)
                case 4:
                    // ASN.1 lengths are where readers break.
                    changed[place] = [0x00, 0x7F, 0x80, 0x81, 0x82, 0x84, 0x88, 0xFF][random.below(8)]
                default: changed = Array(changed.prefix(place))
                }
            }
        } while changed == bytes
        return changed
    }
}

private func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
private func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
