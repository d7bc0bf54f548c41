import NIOCore
import NIOPosix
public import TillContactless
public import TillCore

/// A virtual card in the slot of the virtual reader that pcscd has with `vpcd`: so a program that speaks with real
/// readers speaks with this card, over the machine's real smart card service.
///
/// The card connects to the reader's port. Each message is two bytes of length and its bytes; one byte alone is a
/// control: power off, power on, reset, "who are you". Source: vsmartcard's `vpcd.h`.
public struct VirtualCardSlot: Sendable {
    /// What a contactless card with nothing to tell answers to being powered: both protocols, as PC/SC part 3 builds
    /// it.
    public static let contactlessATR: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]
    /// The longest message that is taken, in bytes.
    public static let longestMessage = 65_535
    /// How long to keep trying to reach the reader.
    public static let patience: Span = .seconds(30)

    /// Where the reader listens.
    public let host: String
    /// Its port, 35963 by default.
    public let port: Int
    /// How long a card that was torn away stays away before it is presented again; nil for ever.
    public let returnsAfter: Span?
    private let card: VirtualCard
    private let clock: any TillClock

    public init(
        _ card: VirtualCard, host: String = "127.0.0.1", port: Int = 35_963, returnsAfter: Span? = .seconds(2),
        clock: any TillClock = SystemClock()
    ) {
        (self.card, self.host, self.port) = (card, host, port)
        (self.returnsAfter, self.clock) = (returnsAfter, clock)
    }

    /// What happens to the card.
    public enum Event: String, Sendable {
        /// It lies in the reader.
        case presented
        case powered
        /// It was torn away in the middle.
        case removed
    }

    /// Holds the card in the reader until the task is canceled, the reader goes away, or the card is
    /// torn away for good.
    /// - Throws: when the reader cannot be reached within ``patience``.
    public func run(_ tell: @Sendable (Event) -> Void = { _ in }) async throws {
        while !Task.isCancelled {
            let wasTorn = try await present(tell)
            guard wasTorn, let returnsAfter else { return }
            try await clock.sleep(for: returnsAfter)
        }
    }

    /// One time in the reader; true when the card was torn away.
    private func present(_ tell: @Sendable (Event) -> Void) async throws -> Bool {
        let connection = try await connect()
        tell(.presented)
        let channel = VirtualCardChannel(card, clock: clock)
        return try await connection.executeThenClose { inbound, outbound in
            for try await message in inbound {
                guard let control = message.first, message.count == 1 else {
                    switch await answer(message, channel) {
                    case .bytes(let bytes): try await outbound.write(bytes)
                    case .nothing: continue
                    case .removed:
                        tell(.removed)
                        return true
                    }
                    continue
                }
                switch control {
                case 0: await channel.powerOff()
                case 1, 2:
                    await channel.powerOff()
                    try? await channel.waitForCard()
                    tell(.powered)
                case 4: try await outbound.write(VirtualCardSlot.contactlessATR)
                default: continue
                }
            }
            return false
        }
    }

    private enum Said {
        case bytes([UInt8])
        case nothing
        case removed
    }

    private func answer(_ message: [UInt8], _ channel: VirtualCardChannel) async -> Said {
        guard let command = CommandAPDU(bytes: message) else {
            return .bytes(ResponseAPDU(status: .wrongLength).bytes)
        }
        do throws(CardChannelError) {
            return .bytes(try await channel.transmit(command).bytes)
        } catch {
            return error == .silence ? .nothing : .removed
        }
    }

    private func connect() async throws -> NIOAsyncChannel<[UInt8], [UInt8]> {
        let began = clock.now()
        while true {
            do {
                return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandlers(
                                PromptAcknowledgement(), ByteToMessageHandler(CardMessages()),
                                MessageToByteHandler(CardMessages()))
                            return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                        }
                    }
            } catch {
                guard clock.now().since(began).milliseconds < VirtualCardSlot.patience.milliseconds else { throw error }
                try await clock.sleep(for: .milliseconds(100))
            }
        }
    }
}

/// Acknowledges at once what came. The reader sends a length and its bytes apart, and would hold the bytes back until
/// the length is acknowledged: 40 ms for each command, a third of a second for each tap. Source: tcp(7), TCP_QUICKACK.
private final class PromptAcknowledgement: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        #if os(Linux)
            let quick = NIOBSDSocket.Option(rawValue: 12)
            context.channel.setOption(.tcpOption(quick), value: 1).whenFailure { _ in }
        #endif
        context.fireChannelRead(data)
    }
}

/// Two bytes of length, then the message.
private struct CardMessages: ByteToMessageDecoder, MessageToByteEncoder {
    typealias InboundOut = [UInt8]
    typealias OutboundIn = [UInt8]

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let count = buffer.getInteger(at: buffer.readerIndex, as: UInt16.self),
            buffer.readableBytes >= 2 + Int(count)
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 2)
        context.fireChannelRead(wrapInboundOut(buffer.readBytes(length: Int(count)) ?? []))
        return .continue
    }

    func encode(data: [UInt8], out: inout ByteBuffer) throws {
        out.writeInteger(UInt16(clamping: data.count))
        out.writeBytes(data.prefix(VirtualCardSlot.longestMessage))
    }
}
