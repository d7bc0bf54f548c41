import Crypto
import Foundation
import TillApplePay
import TillCore
import TillTestSupport

/// Measures verifying and decrypting tokens on one core, warm and cold, beside the same primitives alone; or breaks as
/// many tokens as it is asked for. The folder is what `till applepay synthesize` wrote, just now.
///
///     applepay-benchmark FOLDER [SECONDS]
///     applepay-benchmark fuzz [COUNT [SEED]]
///     applepay-benchmark flips
@main
struct ApplePayBenchmark {
    static let clock = ContinuousClock()

    let token: JSONValue
    let root: [UInt8]
    let ring: ProcessingKeyRing
    let now: Timestamp

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case nil: print("applepay-benchmark FOLDER [SECONDS] | fuzz [COUNT [SEED]] | flips")
        case "flips"?: try await flips()
        case "fuzz"?:
            let numbers = arguments.dropFirst().compactMap { UInt64($0) }
            try await fuzz(
                count: Int(clamping: numbers.first ?? 1_000_000),
                seed: numbers.count > 1 ? numbers[1] : UInt64.random(in: 1...UInt64(UInt32.max)))
        case let folder?:
            try await ApplePayBenchmark(folder: folder).measure(
                seconds: arguments.count > 1 ? Double(arguments[1]) ?? 3 : 3)
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

    /// Breaks tokens of every form at random. The same seed breaks them the same way.
    static func fuzz(count: Int, seed: UInt64) async throws {
        let forms = try TokenForm.all(at: SystemClock().now())
        for form in forms { try await form.open(form.token.bytes()) }
        var random = TokenMutator(seed: seed)
        var steps: [PaymentTokenStep: Int] = [:]
        var accepted = 0
        for round in 0..<count {
            let form = forms[round % forms.count]
            let changed = random.mutate(form.token)
            do throws(PaymentTokenError) {
                try await form.open(changed)
                // Space between the members is no change of the token.
                if (try? JSONValue(parsing: changed)) == form.token { continue }
                accepted += 1
                print("accepted after \(round), \(form.name): \(String(decoding: changed, as: UTF8.self))")
            } catch {
                steps[error.step, default: 0] += 1
            }
            if (round + 1) % 100_000 == 0 { print("\(round + 1) tokens") }
        }
        let text = PaymentTokenStep.allCases.compactMap { step in steps[step].map { "\(step.rawValue) \($0)" } }
        print(
            "\(count) broken tokens of \(forms.count) forms, seed \(seed), \(accepted) accepted, no trap: "
                + text.joined(separator: ", "))
        if accepted > 0 { exit(1) }
    }

    // MARK: Flips

    /// Changes each byte to every other value, alone: of the whole token in the form that Apple writes today, and of
    /// the signature's container in every form. Counts what is accepted.
    static func flips() async throws {
        let forms = try TokenForm.all(at: SystemClock().now())
        var (count, accepted) = (0, 0)
        for (index, form) in forms.enumerated() {
            let genuine = form.token.bytes()
            try await form.open(genuine)
            if index == 0 {
                let (tried, taken) = try await flip(genuine, form) { $0 }
                print("\(tried) tokens with one byte changed, \(taken) accepted: the whole token, \(form.name)")
                (count, accepted) = (count + tried, accepted + taken)
            }
            guard let text = form.token["signature"]?.stringValue, let container = Data(base64Encoded: text) else {
                throw CancellationError()
            }
            let (tried, taken) = try await flip(Array(container), form) {
                form.replacing("signature", with: Data($0).base64EncodedString())
            }
            print("\(tried) tokens with one byte changed, \(taken) accepted: the container, \(form.name)")
            (count, accepted) = (count + tried, accepted + taken)
        }
        print("\(count) tokens with one byte changed, \(accepted) accepted")
        if accepted > 0 { exit(1) }
    }

    private static func flip(
        _ genuine: [UInt8], _ form: TokenForm, _ token: ([UInt8]) -> [UInt8]
    ) async throws -> (tried: Int, accepted: Int) {
        var (tried, accepted) = (0, 0)
        for place in genuine.indices {
            for mask in UInt8(1)...255 {
                var changed = genuine
                changed[place] ^= mask
                tried += 1
                do throws(PaymentTokenError) {
                    try await form.open(token(changed))
                    accepted += 1
                    print("accepted: byte \(place) with \(mask), \(form.name)")
                } catch { continue }
            }
        }
        return (tried, accepted)
    }
}
