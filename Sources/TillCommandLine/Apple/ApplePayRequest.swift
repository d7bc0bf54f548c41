public import ArgumentParser
public import TillApplePay
import TillCore
import TillJournal

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `till applepay request`: makes a key and the request with which Apple issues a merchant's certificate.
struct ApplePayRequest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Makes a private key and the certificate request to upload to Apple.",
        discussion: """
            Writes identity.key and identity.csr, or processing.key and processing.csr. Upload the .csr file in \
            Apple's developer account under the merchant identifier: as Merchant Identity Certificate, or as Apple Pay \
            Payment Processing Certificate. The .cer file that Apple returns and the .key file are a pair of the \
            settings; keep a copy of the key, which exists nowhere else. For a renewal, choose another folder: both \
            pairs stay in the settings until the old certificate is over.
            """)

    @Argument(help: "identity (towards Apple's gateway) or processing (tokens are encrypted to it).")
    var purpose: AppleCertificateRequest.Purpose
    @Option(name: .long, help: "The folder; files in it are never overwritten.")
    var out = "."
    @Option(name: .long, help: "The name in the request. Apple puts its own into the certificate.")
    var name = "Till"
    @Flag(name: .long, help: "Print one JSON object and nothing else.")
    var json = false

    func run() async throws {
        do {
            let request = try AppleCertificateRequest(for: purpose, named: name)
            let place = out + "/" + purpose.rawValue
            do {
                try FileManager.default.createDirectory(
                    atPath: out, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw CommandError(
                    code: "folder_unusable", what: "The folder \(out) cannot be made. Nothing was written.",
                    next: "Give a folder that can be written to with --out.")
            }
            // The key first: a request whose key is not on the disk is worth nothing.
            try HeadKeyFile.create(place + ".key", request.key.reveal() + "\n", mode: 0o600)
            try HeadKeyFile.create(place + ".csr", request.pem + "\n", mode: 0o644)
            show(place)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: json)
        }
    }

    private func show(_ place: String) {
        guard json else {
            Output.line("Written: \(place).csr, to upload to Apple, and its private key \(place).key.")
            return
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("purpose", purpose.rawValue)
        writer.field("request", place + ".csr")
        writer.field("key", place + ".key")
        writer.endObject()
        Output.line(writer.text)
    }
}

extension AppleCertificateRequest.Purpose: ExpressibleByArgument {}
