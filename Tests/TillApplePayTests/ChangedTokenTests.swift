import Testing
import TillApplePay
import TillCore
import TillSandbox
import TillSimulation

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Changed tokens")
struct ChangedTokenTests {
    let world: World
    init() throws { world = try World() }

    @Test("No byte of a token can be changed by one bit")
    func flips() async throws {
        let genuine = try world.maker.paymentData(world.request).bytes()
        _ = try await world.decide(bytes: genuine)
        var accepted: [String] = []
        for place in genuine.indices {
            // All eight bits take minutes without optimisation; each byte gets one, and over all bytes every bit occurs.
            var changed = genuine
            changed[place] ^= 1 << UInt8(place % 8)
            if (try? await world.decide(bytes: changed)) != nil { accepted.append("\(place) bit \(place % 8)") }
        }
        #expect(accepted.isEmpty)
    }

    @Test("No byte of the signature's container can be changed, signed or not")
    func flipsInContainer() async throws {
        let genuine = try world.maker.paymentData(world.request)
        guard let text = genuine["signature"]?.stringValue, let container = decode(text) else {
            Issue.record("no signature")
            return
        }
        var accepted: [Int] = []
        for place in container.indices {
            var changed = container
            changed[place] ^= 1 << UInt8(place % 8)
            if (try? await world.decide(replacing("signature", with: encode(changed), in: genuine))) != nil {
                accepted.append(place)
            }
        }
        #expect(accepted.isEmpty)
    }

    @Test("No token, however broken, ends the program")
    func fuzz() async throws {
        let seeds = [
            try world.maker.paymentData(world.request), try world.maker.paymentData(world.request, flaw: .twoSigners),
        ]
        let count = getenv("TILL_FUZZ_TOKENS").flatMap { Int(String(cString: $0)) } ?? 1500
        var random = TokenMutator(seed: 20_261_121)
        var refused = 0
        for round in 0..<count {
            let changed = random.mutate(seeds[round % seeds.count])
            if (try? await world.decide(bytes: changed)) == nil { refused += 1 }
        }
        #expect(refused == count)
    }

    private func replacing(_ key: String, with text: String, in token: JSONValue) -> JSONValue {
        .object((token.objectValue ?? []).map { $0.key == key ? JSONMember(key: key, value: .string(text)) : $0 })
    }
}

private func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
private func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
