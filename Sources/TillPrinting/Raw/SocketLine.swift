import NIOCore
import NIOPosix
import Synchronization
import TillCore

/// A connection to a receipt printer's port.
struct SocketLine: RawLine {
    private let channel: any Channel
    private let bytes: ReceivedBytes

    /// Connects, ``RawPrinter/connectTries`` times at most.
    static func open(host: String, port: Int) async throws(IPPError) -> SocketLine {
        var tries = 0
        while true {
            let bytes = ReceivedBytes()
            do {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(.seconds(3))
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(Listener(bytes))
                        }
                    }.connect(host: host, port: port).get()
                return SocketLine(channel: channel, bytes: bytes)
            } catch {
                tries += 1
                guard tries < RawPrinter.connectTries, await SystemClock().pause(for: .milliseconds(200 * Int64(tries)))
                else { throw .unreachable("no connection to \(host):\(port)", mayHaveArrived: false) }
            }
        }
    }

    func write(_ bytes: [UInt8], deadline: Span) async -> Bool {
        let done = channel.eventLoop.makePromise(of: Void.self)
        let channel = channel
        // A printer that has stopped accepts no more bytes, and the write would wait forever.
        let timer = channel.eventLoop.scheduleTask(in: .milliseconds(deadline.milliseconds)) {
            done.fail(ChannelError.ioOnClosedChannel)
            channel.close(mode: .all, promise: nil)
        }
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).cascade(to: done)
        let isWritten: Bool
        do {
            try await done.futureResult.get()
            isWritten = true
        } catch { isWritten = false }
        timer.cancel()
        return isWritten
    }

    func received() async -> RawLineAnswers {
        var answers = bytes.answers
        answers.isClosed = !channel.isActive
        return answers
    }

    func forget() async { bytes.forget() }

    func close() async { try? await channel.close() }
}

private final class ReceivedBytes: Sendable {
    private let bytes = Mutex(ESCPOSAnswers())

    var answers: RawLineAnswers {
        bytes.withLock { received in
            let isTalk = received.isTalk
            let next = isTalk ? nil : received.next()
            return RawLineAnswers(next: next, reported: received.reported, isTalk: isTalk)
        }
    }
    func forget() { bytes.withLock { $0.forget() } }
    func take(_ more: some Sequence<UInt8>) { bytes.withLock { $0.take(more) } }
}

private final class Listener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let received: ReceivedBytes

    init(_ received: ReceivedBytes) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.take(unwrapInboundIn(data).readableBytesView)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
