import Foundation
import Testing
import TillCore
import TillServer

@Test func serveForAWhile() async throws {
    guard let text = ProcessInfo.processInfo.environment["TILL_HAND_PORT"], let port = Int(text) else { return }
    let folder = NSTemporaryDirectory() + "hand-\(UUID())"
    let feed = EventFeed()
    let counter = try await Counter.open(CounterOptions(journal: folder + "/j.sqlite")) { feed.committed($0) }
    var options = ServerOptions()
    options.port = port
    options.webhookSecrets = [Secret("whsec_test")]
    options.keys = ["2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683": .main]
    let server = CounterServer(journal: counter.journal, checkout: counter.checkout, feed: feed, options: options)
    try await server.run()
    await counter.close()
}
