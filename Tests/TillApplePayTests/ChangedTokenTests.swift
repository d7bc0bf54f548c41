import Testing
import TillApplePay
import TillCore
import TillSandbox
import TillStandInApple
import TillTestSupport

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
            // All eight bits take minutes without optimization; each byte gets one, and over all bytes every bit
            // occurs.
            var changed = genuine
            changed[place] ^= 1 << UInt8(place % 8)
            if (try? await world.decide(bytes: changed)) != nil { accepted.append("\(place) bit \(place % 8)") }
        }
        #expect(accepted.isEmpty)
    }

    @Test("No byte of the signature's container can be changed, signed or not, in any form", arguments: Form.all)
    func flipsInContainer(_ form: Form) async throws {
        let world = try World(rsa: form.isRSA)
        let genuine = try form.token(of: world)
        _ = try await world.decide(genuine)
        let container = try #require(genuine["signature"]?.stringValue.flatMap(decode))
        let certificates = certificates(in: container)
        #expect(certificates.count == 2)
        let algorithm = try #require(signatureAlgorithm(in: container))
        var accepted: [String] = []
        for place in container.indices {
            // The certificates are the same in every form, and take long to look at: one bit of each byte there.
            let isCertificate = certificates.contains { $0.contains(place) }
            if isCertificate, !form.isApples { continue }
            // Names of algorithms differ by whole bytes, and nothing else in the token need contradict another name.
            let changes: [UInt8] =
                if isCertificate || form.isDefinite || !form.hasNull {
                    [1 << UInt8(place % 8)]
                } else if algorithm.contains(place) {
                    Array(1...255)
                } else {
                    (0..<8).map { 1 << $0 }
                }
            for change in changes {
                var changed = container
                changed[place] ^= change
                if (try? await world.decide(replacing("signature", with: encode(changed), in: genuine))) != nil {
                    accepted.append("\(place) with \(change)")
                }
            }
        }
        #expect(accepted.isEmpty)
    }

    @Test("Without a signed attribute that tells which of the two names of RSA was written, only Apple's counts")
    func names() async throws {
        let world = try World(rsa: true)
        let apples = Form(isRSA: true, isProtected: false)
        let other = Form(isRSA: true, isProtected: false, isNamedWithoutDigest: true)
        #expect(await world.refusal(try apples.token(of: world)) == nil)
        await #expect {
            _ = try await world.decide(other.token(of: world))
        } throws: { ($0 as? PaymentTokenError)?.code == "algorithm_unprotected" }
    }

    /// The places of the two certificates: sequences that begin with a sequence, both of more than 255 bytes.
    private func certificates(in container: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for place in container.indices.dropLast(8) where !(found.last?.contains(place) ?? false) {
            guard container[place..<(place + 2)] == [0x30, 0x82], container[(place + 4)..<(place + 6)] == [0x30, 0x82]
            else { continue }
            found.append(place..<(place + 4 + Int(container[place + 2]) * 256 + Int(container[place + 3])))
        }
        return found
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

    /// The place of the signature's algorithm: the last identifier of RSA or of elliptic curves in the container.
    private func signatureAlgorithm(in container: [UInt8]) -> Range<Int>? {
        let start = container.indices.dropLast(5).last {
            container[$0] == 0x06 && container[($0 + 2)..<($0 + 5)] == [0x2A, 0x86, 0x48]
        }
        return start.map { ($0 - 2)..<($0 + 13) }
    }

    private func replacing(_ key: String, with text: String, in token: JSONValue) -> JSONValue {
        .object((token.objectValue ?? []).map { $0.key == key ? JSONMember(key: key, value: .string(text)) : $0 })
    }
}

extension ChangedTokenTests {
    /// One way to write a signature's container.
    struct Form: Sendable, CustomTestStringConvertible {
        var isRSA = false
        var isDefinite = false
        var hasNull = true
        var isProtected = true
        var isNamedWithoutDigest = false

        /// As Apple writes it today.
        var isApples: Bool { !isDefinite && hasNull && isProtected && !isNamedWithoutDigest }

        /// Every form that is accepted.
        static let all: [Form] = (0..<32).compactMap { bits in
            let form = Form(
                isRSA: bits & 1 != 0, isDefinite: bits & 2 != 0, hasNull: bits & 4 == 0, isProtected: bits & 8 == 0,
                isNamedWithoutDigest: bits & 16 != 0)
            return form.isNamedWithoutDigest && !(form.isRSA && form.isProtected) ? nil : form
        }

        func token(of world: World) throws -> JSONValue {
            var maker = world.maker
            maker.usesIndefiniteLengths = !isDefinite
            maker.writesNullParameters = hasNull
            maker.protectsAlgorithms = isProtected
            maker.namesRSAWithoutDigest = isNamedWithoutDigest
            var request = world.request
            request.version = isRSA ? .rsaV1 : .ecV1
            return try maker.paymentData(request)
        }

        var testDescription: String {
            "\(isRSA ? "RSA" : "EC") \(isDefinite ? "definite" : "indefinite") \(hasNull ? "NULL" : "absent") "
                + "\(isProtected ? "protected" : "unprotected") \(isNamedWithoutDigest ? "rsaEncryption" : "")"
        }
    }
}

private func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
private func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
