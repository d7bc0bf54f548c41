import TillCore

/// The authenticator data of a signature (WebAuthn Level 3, 6.1).
package struct AuthenticatorData: Hashable, Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        /// User presence: the authenticator was touched.
        package static let present = Flags(rawValue: 1 << 0)
        /// User verification by a PIN, a fingerprint or a face.
        static let verified = Flags(rawValue: 1 << 2)
        /// The credential may be synchronized to the person's other devices.
        static let mayBeCopied = Flags(rawValue: 1 << 3)
        static let isCopied = Flags(rawValue: 1 << 4)
        static let hasCredential = Flags(rawValue: 1 << 6)
        static let hasExtensions = Flags(rawValue: 1 << 7)
    }

    /// A newly created credential.
    package struct Credential: Hashable, Sendable {
        package let id: [UInt8]
        package let key: PasskeyKey
        /// The encoded key, as received and stored.
        let encodedKey: [UInt8]
    }

    /// The maximum length of a credential identifier, in bytes (WebAuthn Level 3, 4).
    static let maximumIDBytes = 1_023
    private static let headBytes = 37
    private static let modelBytes = 16

    /// The SHA-256 of the relying party's identifier.
    let relyingParty: [UInt8]
    let flags: Flags
    /// The signature counter; 0 for an authenticator without one.
    package let counter: UInt32
    package let credential: Credential?

    package init(_ bytes: [UInt8]) throws(PasskeyFault) {
        guard bytes.count >= AuthenticatorData.headBytes else { throw .malformed("authenticator data") }
        relyingParty = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var rest = bytes[AuthenticatorData.headBytes...]
        credential = flags.contains(.hasCredential) ? try AuthenticatorData.credential(in: &rest) : nil
        if flags.contains(.hasExtensions) {
            guard case .map = try CBORValue.read(&rest) else { throw .malformed("extensions") }
        }
        guard rest.isEmpty, flags.contains(.mayBeCopied) || !flags.contains(.isCopied) else {
            throw .malformed("authenticator data")
        }
    }

    private static func credential(in rest: inout ArraySlice<UInt8>) throws(PasskeyFault) -> Credential {
        rest = rest.dropFirst(modelBytes)
        guard let high = rest.popFirst(), let low = rest.popFirst() else { throw .malformed("credential") }
        let length = Int(high) << 8 | Int(low)
        guard (1...maximumIDBytes).contains(length), length <= rest.count else { throw .malformed("credential") }
        let id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        let start = rest
        let key = try PasskeyKey(try CBORValue.read(&rest))
        return Credential(id: id, key: key, encodedKey: Array(start[..<rest.startIndex]))
    }
}
