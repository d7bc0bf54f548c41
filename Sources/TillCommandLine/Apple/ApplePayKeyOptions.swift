import ArgumentParser
import TillApplePay
import TillCore
import TillFeatureApplePay

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a processing key: certificate and key separately, both in one PKCS #12 file, or the key alone with the
/// merchant identifier.
struct ApplePayKeyOptions: ParsableArguments {
    @Option(name: .long, help: "The payment-processing certificate: PEM, DER, or PKCS #12 with its key.")
    var certificate: String?
    @Option(name: .long, help: "Its private key: PEM or DER (PKCS #8, SEC 1, PKCS #1), or PKCS #12.")
    var key: String?
    @Option(name: .long, help: "The merchant identifier, in place of the certificate; or its SHA-256.")
    var merchant: String?
    @Option(
        name: .long,
        help: ArgumentHelp("The variable that holds the passphrase of the key or bundle.", valueName: "name"))
    var passphraseEnv: String?

    func validate() throws {
        guard certificate != nil || key != nil else {
            throw ValidationError("Give --certificate and --key, or one PKCS #12 file as --certificate.")
        }
    }

    /// Reads the key from the files.
    func processingKey() throws -> ProcessingKey {
        var certificateFile = try certificate.map { try InputFile.read($0, "certificate") }
        var keyFile = try key.map { try InputFile.read($0, "private key") }
        if let bundle = [certificateFile, keyFile].compactMap({ $0 }).first(where: KeyBundle.isBundle) {
            let opened = try open(bundle)
            if certificateFile.map(KeyBundle.isBundle) ?? (merchant == nil) { certificateFile = opened.certificate }
            if keyFile.map(KeyBundle.isBundle) ?? true { keyFile = opened.key.reveal() }
        }
        // A PEM file may hold both.
        guard let keyBytes = keyFile ?? certificateFile else {
            throw CommandError(code: "key", what: "There is no private key.", next: "Give it with --key.")
        }
        let plainKey = try plain(keyBytes)
        if let certificateFile { return try withCertificate(certificateFile, plainKey) }
        guard let merchant else {
            throw CommandError(
                code: "certificate", what: "There is neither a certificate nor a merchant identifier.",
                next: "Give --certificate, or --merchant with the identifier that the key is for.")
        }
        return try ProcessingKey(merchant: hash(merchant), key: plainKey)
    }

    private func withCertificate(_ certificate: [UInt8], _ key: [UInt8]) throws -> ProcessingKey {
        let read = try ProcessingKey(certificate: certificate, key: key)
        guard let merchant, hash(merchant) != read.merchant else { return read }
        throw CommandError(
            code: "merchant", what: "The certificate is not that of \(merchant).",
            next: "Leave out --merchant, or give the certificate of this merchant.")
    }

    private func hash(_ merchant: String) -> MerchantIDHash {
        MerchantIDHash(hex: merchant) ?? MerchantIDHash(of: merchant)
    }

    private func passphrase() throws -> String? {
        guard let passphraseEnv else { return nil }
        if let value = ProcessInfo.processInfo.environment[passphraseEnv] { return value }
        throw CommandError(
            code: "passphrase", what: "The variable \(passphraseEnv) is not set.",
            next: "Set it to the passphrase, or name another variable with --passphrase-env.")
    }

    private func open(_ bundle: [UInt8]) throws -> KeyBundle {
        if let opened = KeyBundle(pkcs12: bundle, passphrase: try passphrase()) { return opened }
        throw CommandError(
            code: "bundle",
            what: "The PKCS #12 file cannot be opened \(passphraseEnv == nil ? "without" : "with this") passphrase.",
            next: "Name the variable that holds its passphrase with --passphrase-env.")
    }

    private func plain(_ key: [UInt8]) throws -> [UInt8] {
        guard String(decoding: key, as: UTF8.self).contains("ENCRYPTED") else { return key }
        if let passphrase = try passphrase(), let opened = KeyBundle.decrypted(key: key, passphrase: passphrase) {
            return opened.reveal()
        }
        throw CommandError(
            code: "passphrase",
            what: "The private key cannot be opened \(passphraseEnv == nil ? "without" : "with this") passphrase.",
            next: "Name the variable that holds the key's passphrase with --passphrase-env.")
    }
}
