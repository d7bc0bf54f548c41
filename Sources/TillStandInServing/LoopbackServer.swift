package import Hummingbird
import Logging
package import TillHTTP

/// Serves a stand-in on loopback only.
package enum LoopbackServer {
    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    /// - Parameters:
    ///   - port: the port; zero selects a free one.
    ///   - wire: the stand-in's transport for outgoing webhooks, if any; closed at the end.
    ///   - onReady: called with the port once requests are accepted.
    package static func run(
        port: Int, wire: HTTPClientTransport? = nil, onReady: @escaping @Sendable (Int) async -> Void,
        respond: @escaping @Sendable (Request) async -> Response
    ) async throws {
        var logger = Logger(label: "sandbox")
        logger.logLevel = .warning
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in await respond(request) },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) }, logger: logger)
        do { try await application.runService() } catch {
            await wire?.shutdown()
            throw error
        }
        await wire?.shutdown()
    }
}
