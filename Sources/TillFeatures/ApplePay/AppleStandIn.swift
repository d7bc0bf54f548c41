public import TillApplePay

/// A program on this machine in Apple's place, with which a shop rehearses production: merchant sessions come from it,
/// and tokens are taken whose signers lead to its root. No money may stand behind a counter that has one.
public struct AppleStandIn: Sendable {
    /// The port of its gateway on 127.0.0.1, with mutual TLS.
    let port: Int
    let trust: SignerTrust

    /// - Parameters:
    ///   - port: the port of its gateway on 127.0.0.1.
    ///   - root: the root certificate of the gateway and of the tokens' signers, in PEM or DER.
    /// - Throws: ``TillApplePay/PaymentTokenError`` if the root cannot be read.
    public init(port: Int, root: [UInt8]) throws(PaymentTokenError) {
        self.port = port
        trust = try SignerTrust(root: root)
    }

    var gateway: MerchantSessions.StandIn { MerchantSessions.StandIn(port: port, root: trust.rootDER) }
}
