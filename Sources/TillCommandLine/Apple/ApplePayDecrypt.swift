import ArgumentParser
import TillApplePay
import TillCore

/// `till applepay decrypt`: verifies and decrypts a token with the shop's own key.
struct ApplePayDecrypt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Verifies and decrypts one payment token, for support.",
        discussion: """
            Exit code 0 only if every step held; otherwise 1 and the step that failed is named. Card numbers and \
            cryptograms are masked unless --reveal is given, which is meant for test keys. The token is the \
            paymentData object, the whole token, or the browser's event, as JSON or as base64 of it.
            """)

    @Option(name: .long, help: "The token: its paymentData object, or the whole token. JSON; - reads it from input.")
    var token: String
    @OptionGroup var keys: ApplePayKeyOptions
    @Option(name: .long, help: "Another root certificate than Apple Root CA - G3, for test tokens.")
    var root: String?
    @Option(name: .long, help: "The time of the check, such as 2026-11-21T09:30:00Z, instead of now.")
    var at: String?
    @Option(name: .long, help: "The request's application data, decoded: the token must be bound to it.")
    var applicationData: String?
    @Flag(name: .long, help: "Take tokens of Apple's sandbox too.")
    var sandbox = false
    @Flag(name: .long, help: "Print card number and cryptogram. For test keys only.")
    var reveal = false
    @Flag(name: .long, help: "Print one JSON object and nothing else.")
    var json = false

    func run() async throws {
        do {
            let now = try time()
            let key = try keys.processingKey()
            let trust = try root.map { try SignerTrust(root: InputFile.read($0, "root certificate")) } ?? .apple()
            let bound = try applicationData.map { try InputFile.read($0, "application data") }
            let bytes = try InputFile.read(token, "token")
            try await check(bytes, key: key, trust: trust, bound: bound, at: now)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: json)
        }
    }

    private func check(
        _ bytes: [UInt8], key: ProcessingKey, trust: SignerTrust, bound: [UInt8]?, at now: Timestamp
    ) async throws {
        var unverified: UnverifiedPaymentToken?
        do throws(PaymentTokenError) {
            let token = try UnverifiedPaymentToken(parsing: bytes)
            unverified = token
            let verifier = PaymentTokenVerifier(trust: trust, environment: sandbox ? .sandbox : .production)
            let verified = try await verifier.verify(token, at: now)
            let decrypted = try verified.decrypt(with: ProcessingKeyRing([key]))
            if let bound { try decrypted.checkApplicationData(bound) }
            show(decrypted, verified: verified, isBound: bound != nil)
        } catch {
            throw fail(error, next: advice(error, unverified?.claimedSigningTime))
        }
    }

    /// Returns the next step. An old token can be examined as of its signing time.
    private func advice(_ error: PaymentTokenError, _ signed: Timestamp?) -> String {
        guard ["expired", "not_yet_valid", "too_old", "from_the_future"].contains(error.code), let signed else {
            return error.next
        }
        return "The token says that it was signed \(signed): give --at with that time to examine it as of then."
    }

    private func time() throws -> Timestamp {
        guard let at else { return SystemClock().now() }
        guard let time = Timestamp(iso8601: at) else {
            throw ValidationError("The time \(at) is not written as 2026-11-21T09:30:00Z.")
        }
        return time
    }

    private func fail(_ error: PaymentTokenError, next: String) -> ExitCode {
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("verified", false)
            writer.field("step", error.step.rawValue)
            writer.key("error")
            writer.beginObject()
            writer.field("code", error.code)
            writer.field("step", error.step.rawValue)
            writer.field("what", error.what)
            writer.field("money_moved", error.moneyMoved.rawValue)
            writer.field("next", next)
            writer.endObject()
            writer.endObject()
            Output.line(writer.text)
        } else {
            for step in PaymentTokenStep.allCases.prefix(while: { $0 != error.step }) {
                Output.note("ok   \(step.rawValue)")
            }
            Output.note("FAIL \(error.step.rawValue)")
            Output.note(
                "till: "
                    + CommandError(code: error.code, what: error.what, moneyMoved: error.moneyMoved, next: next)
                    .description)
        }
        return ExitCode(1)
    }

    private func show(_ token: DecryptedPaymentToken, verified: VerifiedPaymentToken, isBound: Bool) {
        let payment = reveal ? token.payload.document.reveal() : token.payload.masked
        guard json else {
            Output.line("Verified and decrypted. Signed \(token.signingTime), \(verified.version.rawValue).")
            Output.line("transaction       \(token.transactionID)")
            Output.line("merchant          \(token.merchant)")
            Output.line("amount            \(token.payload.amount)")
            if token.isSandbox { Output.line("environment       Apple's sandbox: no money stands behind it") }
            if token.applicationDataHash != nil {
                Output.line("application data  \(isBound ? "fits" : "present; give --application-data to compare it")")
            }
            Output.line(String(decoding: payment.bytes(pretty: true), as: UTF8.self))
            return
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("verified", true)
        writer.field("version", verified.version.rawValue)
        writer.field("transactionId", token.transactionID.description)
        writer.field("signingTime", token.signingTime.description)
        writer.field("merchantIdHash", token.merchant.description.lowercased())
        writer.field("amount", token.payload.amount.decimalString)
        writer.field("currency", token.payload.amount.currency.code)
        writer.field("sandbox", token.isSandbox)
        writer.field("applicationDataHash", token.applicationDataHash.map(hexText))
        writer.field("applicationDataChecked", isBound)
        writer.field("masked", !reveal)
        writer.field("payment", payment)
        writer.endObject()
        Output.line(writer.text)
    }

    private func hexText(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
