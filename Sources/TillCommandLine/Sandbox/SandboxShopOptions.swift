import ArgumentParser
import Foundation
import TillCore
import TillStandInServing
import TillStandInShop

/// The options of a simulated shop: `till sandbox shop --port 12114 --open-orders 5`.
struct SandboxShopOptions: ParsableArguments {
    /// The maximum size of a file with a certificate or a key, in bytes.
    private static let maximumFile = 1 << 20

    @Option(name: .long, help: "shop: the number of open orders at the beginning, 0 to 10000.")
    var openOrders = 3
    @Option(
        name: .long,
        help: ArgumentHelp("shop: serve TLS, and Basic, with this certificate, PEM.", valueName: "file"))
    var shopCertificate: String?
    @Option(name: .long, help: ArgumentHelp("shop: the certificate's key, PEM.", valueName: "file"))
    var shopKey: String?

    func validate() throws {
        guard (0...10_000).contains(openOrders) else {
            throw ValidationError("--open-orders is \(openOrders) and must be a number from 0 to 10000.")
        }
        guard (shopCertificate == nil) == (shopKey == nil) else {
            throw ValidationError("--shop-certificate and --shop-key go together.")
        }
    }

    /// Runs the simulated shop.
    func run(port: Int, json: Bool) async throws {
        var identity: LoopbackIdentity?
        if let shopCertificate, let shopKey {
            identity = LoopbackIdentity(
                chain: try Self.bytes(of: shopCertificate), key: Secret(try Self.bytes(of: shopKey)))
        }
        let isSecure = identity != nil
        try await SandboxShopServer(openOrders: openOrders, identity: identity).run(port: port) { port in
            let url = "\(isSecure ? "https" : "http")://127.0.0.1:\(port)"
            if json {
                let value = JSONValue.members([
                    "shop": .string(url), "consumer_key": .string("ck_sandbox"),
                    "consumer_secret": .string("cs_sandbox"),
                ])
                return Output.line(value.text)
            }
            Output.line("A shop with WooCommerce: \(url)")
            Output.line("Keys: ck_sandbox and cs_sandbox, or any two with the same ending.")
            Output.line("Its orders, and what was paid: \(url)/_sandbox/ledger")
        }
    }

    private static func bytes(of file: String) throws -> [UInt8] {
        let bytes = try Data(contentsOf: URL(filePath: file))
        guard bytes.count <= maximumFile else { throw CocoaError(.fileReadTooLarge) }
        return Array(bytes)
    }
}
