import SwiftASN1
import TillCore
import X509

/// The requirements on a token's certificate chain: signer, authority and root, with Apple's marker extensions on the
/// first two, and key usages that permit each to act as it did.
///
/// The library's own RFC 5280 policy ignores key usages and uses the system clock; dates are checked in
/// ``ValidatedSigner`` instead, at the time passed in and on every use.
struct SignerPolicy: VerifierPolicy, Sendable {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == 3 else { return .failsToMeetPolicy(reason: "the chain is not signer, authority, root") }
        if let reason = Self.fault(ofSigner: chain[0]) ?? Self.fault(ofAuthority: chain[1], isRoot: false)
            ?? Self.fault(ofAuthority: chain[2], isRoot: true)
        {
            return .failsToMeetPolicy(reason: reason)
        }
        return .meetsPolicy
    }

    private static func fault(ofSigner certificate: Certificate) -> String? {
        guard certificate.version == .v3 else { return "the signer's certificate is not of version 3" }
        guard certificate.extensions[oid: ASN1Names.signerMark] != nil else {
            return "the signer's certificate has not Apple's mark for payment tokens"
        }
        do {
            if case .isCertificateAuthority? = try certificate.extensions.basicConstraints {
                return "the signer's certificate is an authority's"
            }
            guard try certificate.extensions.keyUsage?.digitalSignature == true else {
                return "the signer's certificate is not for signatures"
            }
        } catch {
            return "the signer's certificate has an extension that cannot be read"
        }
        return nil
    }

    private static func fault(ofAuthority certificate: Certificate, isRoot: Bool) -> String? {
        let name = isRoot ? "root" : "authority"
        guard certificate.version == .v3 else { return "the \(name)'s certificate is not of version 3" }
        guard isRoot || certificate.extensions[oid: ASN1Names.authorityMark] != nil else {
            return "the authority's certificate has not Apple's mark"
        }
        do {
            guard case .isCertificateAuthority(let length)? = try certificate.extensions.basicConstraints else {
                return "the \(name)'s certificate is not an authority's"
            }
            if let length, length < (isRoot ? 1 : 0) { return "the \(name) may not issue this far down" }
            guard try certificate.extensions.keyUsage?.keyCertSign ?? isRoot else {
                return "the \(name)'s certificate is not for issuing"
            }
        } catch {
            return "the \(name)'s certificate has an extension that cannot be read"
        }
        return nil
    }
}
