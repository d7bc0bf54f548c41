import NIOCore
import Synchronization

/// The connections to a virtual printer.
final class PrinterLines: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// - Returns: `false` if there are too many connections.
    func add(_ channel: any Channel) -> Bool {
        channels.withLock { all in
            guard all.count < SandboxPrinterServer.maximumConnections else { return false }
            all[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    func remove(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = nil } }

    /// Resumes reading once the printer accepts bytes, and sends the state to connections that requested it.
    func stateChanged(reporting bytes: [UInt8]) {
        for channel in channels.withLock({ Array($0.values) }) {
            if !bytes.isEmpty { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
            channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
        }
    }
}

/// A connection: bytes in, responses out. A full printer stops reading, and the sender has to wait.
final class PrinterLine: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let printer: SandboxReceiptPrinter
    private let lines: PrinterLines

    init(_ printer: SandboxReceiptPrinter, _ lines: PrinterLines) {
        self.printer = printer
        self.lines = lines
    }

    func channelActive(context: ChannelHandlerContext) {
        if !lines.add(context.channel) { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        lines.remove(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Array(unwrapInboundIn(data).readableBytesView)
        if let limit = printer.conditions.breaksAfter {
            let room = limit - printer.output.received
            guard room > bytes.count else {
                bytes = Array(bytes.prefix(max(0, room)))
                _ = printer.take(bytes)
                return context.close(promise: nil)
            }
        }
        let answer = printer.take(bytes)
        if !answer.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil) }
        if printer.isFull { context.channel.setOption(.autoRead, value: false).whenFailure { _ in } }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
