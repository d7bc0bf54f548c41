import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOSSL
import TillCounter
import TillHTTP

/// HTTP/1.1 on one listener, with or without TLS. Each connection holds a place at the gate, has deadlines for every
/// phase, and runs on its own event loop.
struct ListenerChannel: ServerChildChannel {
    /// An admitted connection.
    struct Value: ServerChildChannelValue {
        let http: HTTP1Channel.Value
        let connection: Connection

        var channel: any Channel { http.channel }
    }

    /// The refusal of a connection at the limit.
    private struct Refused: Error {}

    let responder: HTTPChannelHandler.Responder
    let gate: ConnectionGate
    let deadlines: ConnectionDeadlines
    let tls: TLSIdentity?
    let decoder: HTTP1Channel.Configuration.DecoderConfiguration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let door = Door()
        let bound = NIOLoopBound(door, eventLoop: channel.eventLoop)
        guard let peer = ClientAddress(channel.remoteAddress),
            let place = gate.enter(peer, close: { channel.eventLoop.execute { bound.value.close() } })
        else { return refuse(channel) }
        channel.closeFuture.whenComplete { _ in gate.leave(place) }
        let watch = NIOLoopBound(
            ConnectionWatch(place, door: door, deadlines: deadlines, gate: gate), eventLoop: channel.eventLoop)
        let http = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [watch.value], idleTimeout: nil, httpDecoderConfiguration: decoder))
        return channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(
                .socketOption(.so_sndbuf), value: SocketOptionValue(ConnectionDeadlines.unreadBytes))
            try channel.pipeline.syncOperations.addHandler(bound.value)
            if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context)) }
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.map { value in
            Value(http: value, connection: Connection(peer: peer, isEncrypted: tls != nil, place: place, gate: gate))
        }.flatMapErrorThrowing { error in
            // The pipeline is incomplete, so close it here.
            channel.close(promise: nil)
            throw error
        }
    }

    /// Closes a channel that is not registered yet, since nothing else would.
    private func refuse(_ channel: any Channel) -> EventLoopFuture<Value> {
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(Refused())
    }

    func handle(value: Value, logger: Logger) async {
        let executor = EventLoopExecutor(value.channel.eventLoop)
        let http = HTTP1Channel(responder: responder)
        await EventLoopExecutor.$current.withValue(executor) {
            await Connection.$current.withValue(value.connection) {
                await withTaskExecutorPreference(executor) { await http.handle(value: value.http, logger: logger) }
            }
        }
    }
}
