import Synchronization
package import TillApplePay
package import TillCore
package import TillStandInApple
import TillWeb

/// A simulated Apple on one machine: a throw-away certificate authority, its gateway over mutual TLS, and a customer
/// device that makes tokens. It exists only in a counter opened for the sandbox, never in production.
package actor ApplePaySandbox {
    package static let merchant = "merchant.sandbox.till"
    /// The domain of pages on this machine.
    static let domain = "localhost"
    /// The names of this machine in an address bar.
    static let hosts: Set<String> = [domain, "127.0.0.1", "[::1]"]

    package nonisolated let apple: SandboxAppleAuthority
    package nonisolated let identity: SandboxAppleAuthority.Identity
    package nonisolated let key: ProcessingKey
    nonisolated let gateway: SandboxAppleGateway
    private let maker: SandboxTokenMaker
    private let clock: any TillClock
    private var port: Int?
    private var server: Task<Void, Never>?

    /// - Parameter origins: the origins of a team's own pages; their hosts are the merchant's, too.
    package init(clock: any TillClock, origins: Set<String> = []) throws {
        self.clock = clock
        apple = try SandboxAppleAuthority(issued: clock.now())
        identity = try apple.merchantIdentity(merchant: ApplePaySandbox.merchant)
        let processing = try apple.processingIdentity(merchant: ApplePaySandbox.merchant)
        key = try ProcessingKey(
            certificate: Array(processing.certificate.utf8), key: Array(processing.key.reveal().utf8))
        maker = try SandboxTokenMaker(apple: apple, processingCertificate: processing.certificate)
        let hosts = origins.map { WebOrigin.hostName(String($0.drop { $0 != "/" }.dropFirst(2))) }
        gateway = SandboxAppleGateway(
            apple: apple, domains: [ApplePaySandbox.merchant: ApplePaySandbox.hosts.union(hosts)], clock: clock)
    }

    /// Returns the gateway's address; starts the gateway on the first call.
    package func standIn() async -> MerchantSessions.StandIn? {
        if port == nil {
            let (ports, continuation) = AsyncStream<Int>.makeStream()
            let gateway = gateway
            server = Task {
                try? await gateway.run { port in continuation.yield(port) }
                continuation.finish()
            }
            for await ready in ports {
                port = ready
                break
            }
        }
        return port.map { MerchantSessions.StandIn(port: $0, root: apple.rootCertificate) }
    }

    package func stop() { server?.cancel() }

    /// Simulates the device on authorization: consumes the session of a page and makes a token. An app has no session:
    /// its entitlements name the merchant.
    /// - Parameter host: the host of the page, for which the session must be.
    /// - Returns: `nil` if the session, or the app's merchant, is not valid.
    package func authorize(_ request: JSONValue, host: String) async throws -> JSONValue? {
        if let merchant = request["appMerchant"] {
            guard merchant.stringValue == ApplePaySandbox.merchant else { return nil }
        } else {
            guard let session = request["session"]?["merchantSessionIdentifier"]?.stringValue,
                request["session"]?["merchantIdentifier"]?.stringValue
                    == MerchantIDHash(of: ApplePaySandbox.merchant).description,
                await gateway.redeem(session, domain: host, sheet: request["sheet"]?.stringValue ?? "")
            else { return nil }
        }
        guard let code = request["currencyCode"]?.stringValue, let text = request["amount"]?.stringValue else {
            throw Problem.field("amount", "It is missing.")
        }
        let amount = try Money(parsing: text, currency: Currency(code: code))
        var token = SandboxTokenRequest(amount: amount, signedAt: clock.now())
        if let number = request["accountNumber"]?.stringValue, (12...19).contains(number.utf8.count) {
            token.accountNumber = number
        }
        if let bound = request["applicationData"]?.stringValue { token.applicationData = base64Bytes(bound) }
        return try maker.token(token)
    }
}
