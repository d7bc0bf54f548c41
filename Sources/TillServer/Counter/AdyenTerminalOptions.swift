public import TillAdyen
public import TillCore
import TillHTTP

/// A terminal of Adyen's on the local network.
public struct AdyenTerminalOptions: Sendable {
    /// Its name: model and serial number.
    public let terminal: String
    /// Its address, `https://192.168.1.20:8443`.
    public let url: String
    /// The key that it shares with the till; nil speaks in the clear.
    public let seal: AdyenTerminalSeal?
    /// The file with the root certificate of terminals; nil: the system's roots.
    public let root: String?

    /// Reads `V400m-123456789@192.168.1.20:8443`. Nil for anything else, and for a key without its name.
    /// - Parameter key: the key's name and version, `mykey:1`.
    public init?(_ text: String, passphrase: Secret<String>?, key: String?, root: String?) {
        let parts = text.split(separator: "@", maxSplits: 1).map { String($0) }
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return nil }
        let address = parts[1].contains("://") ? parts[1] : "https://\(parts[1])"
        let seal = AdyenTerminalOptions.seal(passphrase: passphrase, key: key)
        guard (passphrase == nil) == (seal == nil) else { return nil }
        (terminal, url, self.seal, self.root) = (parts[0], address, seal, root)
    }

    /// The shared key; nil without a passphrase, or when its name is missing.
    public static func seal(passphrase: Secret<String>?, key: String?) -> AdyenTerminalSeal? {
        guard let passphrase, let (name, version) = key.flatMap(named) else { return nil }
        return AdyenTerminalSeal(passphrase: passphrase, keyIdentifier: name, keyVersion: version)
    }

    /// Reads a key's name and version, `mykey:1`; the version is 1 if it is missing.
    public static func named(_ key: String) -> (name: String, version: Int64)? {
        let parts = key.split(separator: ":", maxSplits: 1)
        guard let name = parts.first, !name.isEmpty, let version = parts.count == 2 ? Int64(parts[1]) : 1 else {
            return nil
        }
        return (String(name), version)
    }

    func transport() throws(CounterError) -> HTTPClientTransport {
        guard let root else { return HTTPClientTransport() }
        do {
            return try HTTPClientTransport(trustingDevicesOf: root)
        } catch {
            throw .cardProvider("the root certificate \(root) cannot be read")
        }
    }

    /// - Throws: ``CounterError/cardProvider(_:)``.
    func provider(
        transport: any HTTPTransport, checkout: AdyenProvider?, clock: any TillClock
    ) throws(CounterError) -> AdyenTerminalProvider {
        guard
            let client = AdyenTerminal(
                terminal: terminal, till: "Till", url: url, seal: seal, transport: transport, clock: clock)
        else { throw .cardProvider("the terminal's address must be https; http is for localhost only") }
        // In the clear anyone in the shop's network could change an amount.
        guard seal != nil || Loopback.isURL(url) else {
            throw .cardProvider("the terminal needs the passphrase and the name of the key that it shares with us")
        }
        return AdyenTerminalProvider(terminal: client, checkout: checkout, clock: clock)
    }
}
