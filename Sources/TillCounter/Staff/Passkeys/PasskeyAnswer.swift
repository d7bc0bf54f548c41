import Crypto
import TillCore

/// The browser's response from an authenticator, as bytes. Checked here against the standard alone (WebAuthn Level 3,
/// 7.1 and 7.2); ownership and single use are checked against the journal.
package enum PasskeyAnswer {
    /// The registration of a new passkey.
    package struct Registration: Sendable {
        package static let maximumBytes = 8_192

        let clientData: [UInt8]
        let attestation: [UInt8]

        package init(clientData: [UInt8], attestation: [UInt8]) {
            (self.clientData, self.attestation) = (clientData, attestation)
        }

        /// Verifies the registration and returns its credential.
        /// - Returns: also the challenge, which is not verified yet.
        package func judged(
            at party: RelyingParty
        ) throws(PasskeyFault) -> (data: AuthenticatorData, made: AuthenticatorData.Credential, challenge: [UInt8]) {
            let client = try PasskeyClientData(clientData, for: .register, at: party)
            var rest = attestation[...]
            let object = try CBORValue.read(&rest)
            // No attestation is requested, and a statement about the authenticator's make is ignored.
            guard rest.isEmpty, case .map(let members) = object, members.count == 3, case .text = object[.text("fmt")],
                case .map = object[.text("attStmt")], let bytes = object[.text("authData")]?.bytes
            else { throw .malformed("attestation") }
            let data = try AuthenticatorData(bytes)
            try PasskeyAnswer.check(data, at: party)
            guard let made = data.credential else { throw .malformed("credential") }
            return (data, made, client.challenge)
        }
    }

    /// A sign-in assertion.
    package struct Assertion: Sendable {
        package static let maximumBytes = 2_048

        package let credential: [UInt8]
        let clientData: [UInt8]
        let authenticatorData: [UInt8]
        let signature: [UInt8]
        package let user: [UInt8]

        package init(
            credential: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], user: [UInt8]
        ) {
            (self.credential, self.clientData, self.user) = (credential, clientData, user)
            (self.authenticatorData, self.signature) = (authenticatorData, signature)
        }

        /// Verifies that a passkey has signed the assertion.
        /// - Returns: the challenge, which is not verified yet, and the authenticator's counter.
        package func judged(by passkey: Passkey, at party: RelyingParty) throws(PasskeyFault) -> (
            challenge: [UInt8], counter: UInt32
        ) {
            let client = try PasskeyClientData(clientData, for: .signIn, at: party)
            let data = try AuthenticatorData(authenticatorData)
            try PasskeyAnswer.check(data, at: party)
            guard data.credential == nil else { throw .malformed("authenticator data") }
            guard passkey.credential == credential, passkey.relyingParty == party.id,
                user == Array(passkey.staff.rawValue.utf8)
            else { throw .unknown }
            var encoded = passkey.key[...]
            let key = try PasskeyKey(try CBORValue.read(&encoded))
            let signed = authenticatorData + Array(SHA256.hash(data: clientData))
            guard key.hasSigned(signed, signature) else { throw .signature }
            // Authenticators without a counter always report 0.
            guard data.counter > passkey.counter || (data.counter == 0 && passkey.counter == 0) else { throw .counter }
            return (client.challenge, data.counter)
        }
    }

    private static func check(_ data: AuthenticatorData, at party: RelyingParty) throws(PasskeyFault) {
        guard equalInConstantTime(data.relyingParty, Array(SHA256.hash(data: Array(party.id.utf8)))) else {
            throw .relyingParty
        }
        guard data.flags.contains(.present) else { throw .presence }
        guard data.flags.contains(.verified) else { throw .verification }
    }
}
