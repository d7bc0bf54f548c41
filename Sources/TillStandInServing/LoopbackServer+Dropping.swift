package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
package import TillHTTP

extension LoopbackServer {
    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal, with a limit of
    /// connections, optionally over TLS.
    /// - Parameters:
    ///   - port: the port; zero selects a free one.
    ///   - identity: the certificate of a server with TLS; without one it serves plain HTTP.
    ///   - maximumConnections: the number of open connections beyond which no more are accepted until one ends.
    ///   - wire: the stand-in's transport for outgoing webhooks; closed at the end.
    ///   - onReady: called with the port once requests are accepted.
    ///   - respond: returns the response; `nil` closes the connection without one.
    package static func run(
        port: Int, identity: LoopbackIdentity?, maximumConnections: Int, wire: HTTPClientTransport,
        onReady: @escaping @Sendable (Int) async -> Void,
        respond: @escaping @Sendable (Request) async -> Response?
    ) async throws {
        var logger = Logger(label: "sandbox")
        logger.logLevel = .error
        do {
            let server: HTTPServerBuilder =
                try identity.map { try .tls(.http1(), tlsConfiguration: $0.configuration()) } ?? .http1()
            let responder = CallbackResponder<DroppableContext> { request, context in
                if let response = await respond(request) { return response }
                context.channel.close(promise: nil)
                return Response(status: .internalServerError)
            }
            let application = Application(
                responder: responder, server: server,
                configuration: ApplicationConfiguration(
                    address: .hostname("127.0.0.1", port: port), serverName: nil,
                    availableConnectionsDelegate: MaximumAvailableConnections(maximumConnections)),
                onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) }, logger: logger)
            try await application.runService()
        } catch {
            await wire.shutdown()
            throw error
        }
        await wire.shutdown()
    }
}

/// A request context with its connection, which can be closed.
private struct DroppableContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
