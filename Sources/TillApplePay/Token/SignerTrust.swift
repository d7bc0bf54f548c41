import Crypto
import SwiftASN1
import TillCore
import X509

/// The trust anchor for tokens: one root, and the signers verified against it so far.
///
/// Verifying a chain takes four times as long as the rest of a token, and Apple's signers change once in years. A
/// verified pair of certificates is therefore cached by the hash of its exact bytes. Only verified pairs are cached, so
/// forged certificates cannot fill the memory.
public final class SignerTrust: Sendable {
    /// Maximum number of verified signers kept. Apple has used about five in ten years.
    public static let maximumSigners = 32

    /// The root in DER, for a TLS client that trusts the same authority.
    package let rootDER: [UInt8]
    private let root: Certificate
    private let proved = Guarded<[[UInt8]: ValidatedSigner]>([:])

    /// Trusts Apple Root CA - G3.
    /// - Throws: never for the bundled bytes; declared because they are parsed.
    public static func apple() throws(PaymentTokenError) -> SignerTrust { try SignerTrust(root: AppleRoot.der) }

    /// Trusts another root, for tests with their own public key infrastructure.
    /// - Parameter root: one certificate, in DER or PEM.
    public init(root: [UInt8]) throws(PaymentTokenError) {
        do {
            let der = PEMBlock.first(in: root, named: "CERTIFICATE") ?? root
            rootDER = der
            self.root = try Certificate(derEncoded: der)
        } catch {
            throw PaymentTokenError(
                .chain, "root", "The root certificate cannot be read.", next: "Give one certificate, in PEM or DER.")
        }
    }

    /// Number of verified chains in the cache.
    package var rememberedSigners: Int { proved.withLock { $0.count } }

    /// Returns the signer of a token, verified now or earlier.
    func signer(of signature: TokenSignature) async throws(PaymentTokenError) -> ValidatedSigner {
        var hash = SHA256()
        hash.update(data: signature.signer.bytes)
        hash.update(data: signature.authority.bytes)
        let name = Array(hash.finalize())
        if let known = proved.withLock({ $0[name] }) { return known }
        let signer = try await prove(signature)
        proved.withLock { signers in
            if signers.count >= SignerTrust.maximumSigners { signers.removeAll(keepingCapacity: true) }
            signers[name] = signer
        }
        return signer
    }

    private func prove(_ signature: TokenSignature) async throws(PaymentTokenError) -> ValidatedSigner {
        let leaf: Certificate
        let authority: Certificate
        do {
            leaf = try Certificate(derEncoded: signature.signer.bytes)
            authority = try Certificate(derEncoded: signature.authority.bytes)
        } catch {
            throw PaymentTokenError(.container, "certificate", "A certificate in the signature cannot be read.")
        }
        // A signer without the marker has its own error: a forger with another Apple certificate would end here.
        guard leaf.extensions[oid: ASN1Names.signerMark] != nil else {
            throw PaymentTokenError(
                .signer, "signer_mark", "The signer's certificate has not Apple's mark for payment tokens.")
        }
        guard authority.extensions[oid: ASN1Names.authorityMark] != nil else {
            throw PaymentTokenError(.signer, "authority_mark", "The authority's certificate has not Apple's mark.")
        }
        var verifier = Verifier(rootCertificates: CertificateStore([root])) { SignerPolicy() }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore([authority])) {
        case .validCertificate(let chain):
            return try ValidatedSigner(chain: Array(chain))
        case .couldNotValidate(let failures):
            guard let reason = failures.first?.policyFailureReason.description else {
                throw PaymentTokenError(
                    .chain, "untrusted", "The signer's certificate does not lead to the trusted root.")
            }
            throw PaymentTokenError(.chain, "policy", "The signer's chain is refused: \(reason).")
        }
    }
}
