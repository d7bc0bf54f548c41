import ArgumentParser
import TillApplePay
import TillCore
import TillStandInApple

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `till applepay synthesize`: makes tokens for tests.
struct ApplePaySynthesize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize",
        abstract: "Makes a throw-away Apple with certificates and tokens in a folder, to test with.",
        discussion: "Writes root.pem, processing.pem, processing.key, identity.pem, identity.key and one token a file.")

    @Option(name: .long, help: "The folder.")
    var out: String
    @Option(name: .long, help: "The merchant.")
    var merchant = "merchant.test.example"
    @Option(name: .long, help: "The amount.")
    var amount = "12.34"
    @Option(name: .long, help: "The currency.")
    var currency = "GBP"
    @Option(name: .long, help: "The application data, as text.")
    var applicationData: String?
    @Option(name: .long, help: "The time of signing, such as 2026-11-21T09:30:00Z, instead of now.")
    var at: String?
    @Flag(name: .long, help: "One token for each flaw that must be refused, too.")
    var flaws = false

    func run() async throws {
        let now = at.flatMap { Timestamp(iso8601: $0) } ?? SystemClock().now()
        let apple = try SandboxAppleAuthority(issued: now)
        let processing = try apple.processingIdentity(merchant: merchant)
        let identity = try apple.merchantIdentity(merchant: merchant)
        let maker = try SandboxTokenMaker(apple: apple, processingCertificate: processing.certificate)
        var request = SandboxTokenRequest(
            amount: try Money(parsing: amount, currency: Currency(code: currency)), signedAt: now)
        request.applicationData = applicationData.map { Array($0.utf8) }
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        try write(apple.rootPEM, "root.pem")
        try write(processing.certificate, "processing.pem")
        try write(processing.key.reveal(), "processing.key")
        try write(identity.certificate, "identity.pem")
        try write(identity.key.reveal(), "identity.key")
        try write(String(decoding: maker.token(request).bytes(pretty: true), as: UTF8.self), "token.json")
        for flaw in flaws ? SandboxTokenFlaw.allCases : [] {
            let token = try maker.token(request, flaw: flaw)
            try write(String(decoding: token.bytes(pretty: true), as: UTF8.self), "bad-\(flaw.rawValue).json")
        }
        Output.line("Written to \(out). Nobody but a verifier with this root believes these tokens.")
    }

    private func write(_ text: String, _ name: String) throws {
        try Data((text.hasSuffix("\n") ? text : text + "\n").utf8).write(to: URL(filePath: out + "/" + name))
    }
}
