import Crypto
import Foundation
import TillApplePay
import TillCore
import TillSimulation

/// Measures verifying and decrypting tokens on one core, warm and cold, beside the same primitives alone; or breaks as
/// many tokens as it is told. The folder is what `till applepay synthesize --flaws` wrote, just now.
///
///     applepay-benchmark FOLDER [SECONDS]
///     applepay-benchmark FOLDER fuzz COUNT
///     applepay-benchmark FOLDER flips
@main
struct ApplePayBenchmark {
    static let clock = ContinuousClock()

    let token: JSONValue
    let flawed: [JSONValue]
    let root: [UInt8]
    let ring: ProcessingKeyRing
    let now: Timestamp

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let folder = arguments.first else {
            print("applepay-benchmark FOLDER [SECONDS | fuzz COUNT]")
            return
        }
        let benchmark = try await ApplePayBenchmark(folder: folder)
        if arguments.count >= 2, arguments[1] == "fuzz" {
            try await benchmark.fuzz(count: arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000)
        } else if arguments.count == 2, arguments[1] == "flips" {
            try await benchmark.flips()
        } else {
            try await benchmark.measure(seconds: arguments.count > 1 ? Double(arguments[1]) ?? 3 : 3)
        }
    }

    init(folder: String) async throws {
        func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: folder + "/" + name))) }
        root = try read("root.pem")
        ring = ProcessingKeyRing([
            try ProcessingKey(certificate: read("processing.pem"), key: read("processing.key"))
        ])
        let whole = try JSONValue(parsing: read("token.json"))
        token = whole["paymentData"] ?? whole
        flawed = ["twoSigners", "thirdCertificate"].compactMap { name in
            (try? read("bad-\(name).json")).flatMap { try? JSONValue(parsing: $0) }?["paymentData"]
        }
        now = SystemClock().now()
    }

    // MARK: Speed

    func measure(seconds: Double) async throws {
        let report = ApplePayBenchmark.report
        let tokens = [token.bytes()]
        let warm = try PaymentTokenVerifier(trust: SignerTrust(root: root))
        try await report("verify and decrypt, chain known", seconds) { index in
            let token = try UnverifiedPaymentToken(parsing: tokens[index % tokens.count])
            _ = try await warm.verify(token, at: now).decrypt(with: ring)
        }
        try await report("verify and decrypt, chain not known", seconds) { index in
            let cold = try PaymentTokenVerifier(trust: SignerTrust(root: root))
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
        let cpu = processTime()
        while clock.now - began < .seconds(seconds) {
            let start = clock.now
            try await body(index)
            samples.append(clock.now - start)
            index += 1
        }
        let busy = processTime() - cpu
        samples.sort()
        func micros(_ duration: Duration) -> Double { Double(duration.components.attoseconds) / 1e12 }
        // By the processor's time, so that other work on the machine does not count against it.
        let rate = Double(index) / max(busy, 1e-9)
        let p50 = micros(samples[samples.count / 2])
        let p99 = micros(samples[samples.count * 99 / 100])
        print(
            "\(name): \(Int(rate))/s of one core, p50 \(Int(p50)) µs, p99 \(Int(p99)) µs, n \(index)")
    }

    /// Seconds that this process had a processor for.
    private static func processTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Fuzz

    func fuzz(count: Int) async throws {
        let genuine = [token] + flawed
        let verifier = try PaymentTokenVerifier(trust: SignerTrust(root: root))
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

    // MARK: Flips

    /// Changes each bit of a token alone, and each byte to every other value, and counts what is accepted.
    func flips() async throws {
        let verifier = try PaymentTokenVerifier(trust: SignerTrust(root: root))
        let genuine = token.bytes()
        _ = try await verifier.verify(UnverifiedPaymentToken(parsing: genuine), at: now).decrypt(with: ring)
        var accepted = 0
        var count = 0
        for place in genuine.indices {
            for mask in UInt8(1)...255 {
                var changed = genuine
                changed[place] ^= mask
                count += 1
                do throws(PaymentTokenError) {
                    _ = try await verifier.verify(UnverifiedPaymentToken(parsing: changed), at: now).decrypt(with: ring)
                    accepted += 1
                    print("accepted: byte \(place) with \(mask)")
                } catch { continue }
            }
        }
        print("\(count) tokens with one byte changed, \(accepted) accepted")
    }
}
