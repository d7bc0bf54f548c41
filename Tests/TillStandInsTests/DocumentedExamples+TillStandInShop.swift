// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillStandInShop

/// Of `SandboxShopServer.swift`.
private func example1() async throws {
    let shop = SandboxShopServer(openOrders: 3)
    try await shop.run(port: 12114) { port in print("http://127.0.0.1:\(port)") }
    _ = shop
}
