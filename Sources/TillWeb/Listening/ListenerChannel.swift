import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
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
    let limits: NIOHTTPDecoderLimitConfiguration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let door = Door()
        let bound = NIOLoopBound(door, eventLoop: channel.eventLoop)
        guard let peer = ClientAddress(channel.remoteAddress),
            let place = gate.enter(peer, close: { channel.eventLoop.execute { bound.value.close() } })
        else { return refuse(channel) }
        channel.closeFuture.whenComplete { _ in gate.leave(place) }
        return channel.eventLoop.makeCompletedFuture { () throws -> Value in
            try channel.syncOptions?.setOption(
                .socketOption(.so_sndbuf), value: SocketOptionValue(ConnectionDeadlines.unreadBytes))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(door)
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
            // As HTTP1Channel does it, but for the codec. Requests in a row wait in the asynchronous channel.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: HTTPResponseEncoder.Configuration(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(RequestCodec())
            try pipeline.addHandler(ConnectionWatch(place, door: door, deadlines: deadlines, gate: gate))
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            let http = try HTTP1Channel.Value(
                wrappingChannelSynchronously: channel,
                configuration: HTTP1Channel.Value.Configuration(isOutboundHalfClosureEnabled: true))
            return Value(
                http: http, connection: Connection(peer: peer, isEncrypted: tls != nil, place: place, gate: gate))
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
