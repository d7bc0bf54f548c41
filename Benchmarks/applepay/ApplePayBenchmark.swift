import Crypto
import Foundation
import TillApplePay
import TillCore
import TillSandbox

/// Measures verifying and decrypting tokens on one core, warm and cold, beside the same primitives alone; or breaks as
/// many tokens as it is told. `applepay-benchmark [seconds]`, `applepay-benchmark fuzz COUNT`.
@main
struct ApplePayBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "fuzz" {
            try await fuzz(count: Int(arguments.dropFirst().first ?? "") ?? 1_000_000)
        } else {
            try await measure(seconds: Double(arguments.first ?? "") ?? 3)
        }
    }

    static let clock = ContinuousClock()

    static func world() throws -> (SandboxAppleAuthority, SandboxTokenMaker, ProcessingKeyRing, Timestamp) {
        let now = SystemClock().now()
        let apple = try SandboxAppleAuthority(issued: now)
        let identity = try apple.processingIdentity(merchant: "merchant.benchmark")
        let key = try ProcessingKey(
            certificate: Array(identity.certificate.utf8), key: Array(identity.key.reveal().utf8))
        let maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
        return (apple, maker, ProcessingKeyRing([key]), now)
    }

    // MARK: Speed

    static func measure(seconds: Double) async throws {
        let (apple, maker, ring, now) = try world()
        let request = SandboxTokenRequest(amount: Money(minorUnits: 1234, currency: .gbp), signedAt: now)
        let tokens = try (0..<64).map { _ in try maker.paymentData(request).bytes() }
        let warm = try PaymentTokenVerifier(trust: SignerTrust(root: apple.rootCertificate))
        try await report("verify and decrypt, chain known", seconds) { index in
            let token = try UnverifiedPaymentToken(parsing: tokens[index % tokens.count])
            _ = try await warm.verify(token, at: now).decrypt(with: ring)
        }
        try await report("verify and decrypt, chain not known", seconds) { index in
            let cold = try PaymentTokenVerifier(trust: SignerTrust(root: apple.rootCertificate))
            let token = try UnverifiedPaymentToken(parsing: tokens[index % tokens.count])
            _ = try await cold.verify(token, at: now).decrypt(with: ring)
        }
        try await report("  of that: reading the token's JSON", seconds / 3) { index in
            _ = try UnverifiedPaymentToken(parsing: tokens[index % tokens.count])
        }
        let parsed = try tokens.map { try UnverifiedPaymentToken(parsing: $0) }
        try await report("  of that: verifying, chain known", seconds / 3) { index in
            _ = try await warm.verify(parsed[index % parsed.count], at: now)
        }
        let signing = P256.Signing.PrivateKey()
        let message = [UInt8](repeating: 7, count: 150)
        let signature = try signing.signature(for: message)
        let publicKey = signing.publicKey
        try await report("  primitive: ECDSA P-256 verify", seconds / 3) { _ in
            guard publicKey.isValidSignature(signature, for: message) else { throw CancellationError() }
        }
        let agreement = P256.KeyAgreement.PrivateKey()
        let other = P256.KeyAgreement.PrivateKey().publicKey.derRepresentation
        try await report("  primitive: ECDH P-256 with import", seconds / 3) { _ in
            _ = try agreement.sharedSecretFromKeyAgreement(with: .init(derRepresentation: other))
        }
    }

    static func report(
        _ name: String, _ seconds: Double, _ body: (Int) async throws -> Void
    ) async throws {
        for index in 0..<32 { try await body(index) }
        var samples: [Duration] = []
        let began = clock.now
        var index = 0
        while clock.now - began < .seconds(seconds) {
            let start = clock.now
            try await body(index)
            samples.append(clock.now - start)
            index += 1
        }
        let elapsed = clock.now - began
        samples.sort()
        func micros(_ duration: Duration) -> Double { Double(duration.components.attoseconds) / 1e12 }
        let rate = Double(index) / (Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18)
        let p50 = micros(samples[samples.count / 2])
        let p99 = micros(samples[samples.count * 99 / 100])
        print(
            "\(name): \(Int(rate))/s, p50 \(Int(p50)) µs, p99 \(Int(p99)) µs, n \(index)")
    }

    // MARK: Fuzz

    static func fuzz(count: Int) async throws {
        let (apple, maker, ring, now) = try world()
        let request = SandboxTokenRequest(amount: Money(minorUnits: 1234, currency: .gbp), signedAt: now)
        let genuine = try [nil, SandboxTokenFlaw.twoSigners, .thirdCertificate].map {
            try maker.paymentData(request, flaw: $0)
        }
        let verifier = try PaymentTokenVerifier(trust: SignerTrust(root: apple.rootCertificate))
        var random = TokenMutator(seed: UInt64(now.milliseconds))
        var steps: [PaymentTokenStep: Int] = [:]
        for round in 0..<count {
            let changed = random.mutate(genuine[round % genuine.count])
            do throws(PaymentTokenError) {
                _ = try await verifier.verify(UnverifiedPaymentToken(parsing: changed), at: now).decrypt(with: ring)
                fatalError("accepted after \(round): \(String(decoding: changed, as: UTF8.self))")
            } catch {
                steps[error.step, default: 0] += 1
            }
            if (round + 1) % 100_000 == 0 { print("\(round + 1) tokens") }
        }
        let text = PaymentTokenStep.allCases.compactMap { step in steps[step].map { "\(step.rawValue) \($0)" } }
        print("\(count) changed tokens, none accepted, no trap: \(text.joined(separator: ", "))")
    }
}
